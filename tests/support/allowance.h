#pragma once

#include <dlfcn.h>
#include <sys/auxv.h>

#include <atomic>
#include <cstdlib>

namespace hpl::test {

/// The number of objects that a library in front of another lets the program have, by an
/// environment variable; any number if there is none, or a negative one.
class Allowance {
 public:
  explicit Allowance(const char* variable) {
    if (const char* const text = std::getenv(variable)) left_ = std::atol(text);
  }
  void set(long count) { left_ = count; }
  /// Takes one; whether there was none left.
  bool refused() {
    long count = left_;
    while (count > 0)
      if (left_.compare_exchange_weak(count, count - 1)) return false;
    return count == 0;
  }

 private:
  std::atomic<long> left_{-1};
};

/// Whether an address is one of the program and not of a library.
inline bool is_of_program(const Dl_info& place) {
  Dl_info program{};
  return dladdr(reinterpret_cast<void*>(getauxval(AT_ENTRY)), &program) != 0 &&
         place.dli_fbase == program.dli_fbase;
}

}  // namespace hpl::test
