#pragma once

#include <utility>
#include <vector>

namespace hpl {

/// Affinity mask of a thread as the kernel keeps it, for any number of processors (cpu_set_t ends
/// at 1024).
class AffinityMask {
 public:
  /// Empty when the kernel refuses to tell.
  static AffinityMask of_this_thread();
  static AffinityMask of_cpu(int cpu);
  static AffinityMask of_cpus(const std::vector<int>& cpus);
  /// From what bytes() gave.
  explicit AffinityMask(std::vector<unsigned char> bytes) : bytes_(std::move(bytes)) {}

  /// Ascending operating system numbers.
  std::vector<int> cpus() const;
  const std::vector<unsigned char>& bytes() const { return bytes_; }

  /// Gives the mask to the calling thread. Returns 0 or an errno.
  int apply() const;

 private:
  std::vector<unsigned char> bytes_;  ///< a cpu_set_t of bytes_.size() bytes
};

}  // namespace hpl
