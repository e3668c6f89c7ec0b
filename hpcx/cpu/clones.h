#pragma once

// The same loop compiled for several instruction sets; the loader picks the best.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define HPCX_CLONES __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define HPCX_CLONES
#endif
