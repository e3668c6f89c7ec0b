// In front of the C library (LD_PRELOAD, or among the sources of a test), it refuses threads as a
// limit of the system does: XHPL_TEST_THREADS="<number>" lets so many be made. Only those of C++
// count: what libraries in C start for themselves differs from machine to machine.

#include "few_threads.h"

#include <pthread.h>

#include <cerrno>
#include <cstring>

#include "allowance.h"

namespace {

hpl::test::Allowance& threads() {
  static hpl::test::Allowance allowance("XHPL_TEST_THREADS");
  return allowance;
}

/// By the C++ library, which some toolchains link into the program.
bool called_from_cpp(void* caller) {
  Dl_info place{};
  if (dladdr(caller, &place) == 0 || place.dli_fname == nullptr) return false;
  return std::strstr(place.dli_fname, "libstdc++") != nullptr || hpl::test::is_of_program(place);
}

}  // namespace

/// Of a sanitizer whose runtime stands in the program, where looking behind this library finds the
/// C library at once.
extern "C" int __interceptor_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*),
                                            void*) __attribute__((weak));

extern "C" void hpl_test_allow_threads(long count) {
  threads().set(count);
}

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*body)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const Create create = __interceptor_pthread_create != nullptr
                                   ? __interceptor_pthread_create
                                   : reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (called_from_cpp(__builtin_return_address(0)) && threads().refused()) return EAGAIN;
  return create(thread, attributes, body, argument);
}
