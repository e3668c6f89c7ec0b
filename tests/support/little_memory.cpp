// In front of the C library (LD_PRELOAD) it refuses memory as a system does that has no more:
// XHPL_TEST_MAPS="<number>" lets the program map so many anonymous ranges. What libraries map for
// themselves differs from machine to machine and does not count.

#include <sys/mman.h>

#include <cerrno>

#include "allowance.h"

namespace {

hpl::test::Allowance& maps() {
  static hpl::test::Allowance allowance("XHPL_TEST_MAPS");
  return allowance;
}

bool called_from_program(void* caller) {
  Dl_info place{};
  return dladdr(caller, &place) != 0 && hpl::test::is_of_program(place);
}

}  // namespace

extern "C" void* mmap(void* at, std::size_t bytes, int protection, int flags, int file,
                      off_t offset) noexcept {
  using Map = void* (*)(void*, std::size_t, int, int, int, off_t);
  static const auto map = reinterpret_cast<Map>(dlsym(RTLD_NEXT, "mmap"));
  if ((flags & MAP_ANONYMOUS) != 0 && called_from_program(__builtin_return_address(0)) &&
      maps().refused()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return map(at, bytes, protection, flags, file, offset);
}
