// In front of the C library (LD_PRELOAD) it refuses memory as a system does that has no more:
// XHPL_TEST_MAPS="<number>" lets the program map so many anonymous ranges. What libraries map for
// themselves differs from machine to machine and does not count.

#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace {

/// Ranges that may still be mapped; negative from the start: any number.
std::atomic<long>& left() {
  static std::atomic<long> count{[] {
    const char* const text = std::getenv("XHPL_TEST_MAPS");
    return text == nullptr ? -1 : std::atol(text);
  }()};
  return count;
}

bool called_from_program(void* caller) {
  Dl_info place{}, program{};
  return dladdr(caller, &place) != 0 &&
         dladdr(reinterpret_cast<void*>(getauxval(AT_ENTRY)), &program) != 0 &&
         place.dli_fbase == program.dli_fbase;
}

bool refused() {
  long count = left();
  while (count > 0)
    if (left().compare_exchange_weak(count, count - 1)) return false;
  return count == 0;
}

}  // namespace

extern "C" void* mmap(void* at, std::size_t bytes, int protection, int flags, int file,
                      off_t offset) noexcept {
  using Map = void* (*)(void*, std::size_t, int, int, int, off_t);
  static const auto map = reinterpret_cast<Map>(dlsym(RTLD_NEXT, "mmap"));
  if ((flags & MAP_ANONYMOUS) != 0 && called_from_program(__builtin_return_address(0)) &&
      refused()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return map(at, bytes, protection, flags, file, offset);
}
