#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>

namespace hpl {

/// Text that may be larger than memory, in a file without a name: it goes away with its process.
class SpoolFile {
 public:
  /// On the disk of `neighbour`, whose name the file has for a moment, with `.tmp-` behind it.
  /// Throws std::system_error, as all here.
  explicit SpoolFile(const std::filesystem::path& neighbour);
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;
  ~SpoolFile();

  void append(std::string_view text);
  /// Bytes appended so far.
  std::size_t size() const { return size_; }
  /// Hands the first `bytes` bytes to `take`, in pieces of at most 1 MiB.
  void read(std::size_t bytes, const std::function<void(std::string_view)>& take) const;

 private:
  int descriptor_;
  std::size_t size_ = 0;
};

}  // namespace hpl
