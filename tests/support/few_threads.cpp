// In front of the C library (LD_PRELOAD, or among the sources of a test), it refuses threads as a
// limit of the system does: XHPL_TEST_THREADS="<number>" lets so many be made. Only those of C++
// count: what libraries in C start for themselves differs from machine to machine.

#include "few_threads.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/auxv.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace {

/// Threads that may still be made; negative from the start: any number.
std::atomic<long>& left() {
  static std::atomic<long> count{[] {
    const char* const text = std::getenv("XHPL_TEST_THREADS");
    return text == nullptr ? -1 : std::atol(text);
  }()};
  return count;
}

/// By the C++ library, which some toolchains link into the program.
bool called_from_cpp(void* caller) {
  Dl_info place{}, program{};
  if (dladdr(caller, &place) == 0 || place.dli_fname == nullptr) return false;
  if (std::strstr(place.dli_fname, "libstdc++") != nullptr) return true;
  return dladdr(reinterpret_cast<void*>(getauxval(AT_ENTRY)), &program) != 0 &&
         place.dli_fbase == program.dli_fbase;
}

bool refused() {
  long count = left();
  while (count > 0)
    if (left().compare_exchange_weak(count, count - 1)) return false;
  return count == 0;
}

}  // namespace

extern "C" void hpl_test_allow_threads(long count) {
  left() = count;
}

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*body)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (called_from_cpp(__builtin_return_address(0)) && refused()) return EAGAIN;
  return create(thread, attributes, body, argument);
}
