// Loaded in front of the BLAS (LD_PRELOAD), it flips a bit of what one product of one rank made, as
// a chip does that now and then computes wrong: XHPL_TEST_FLIP="<rank>:<product>:<place>:<bit>"
// with the how manieth product of that rank, the element of the result (modulo its elements) and
// the bit, 0 to 63. XHPL_TEST_FLIP_LOG names a file that then gets one line: the value before and
// the value after. Without that it only stands in front, as another BLAS would.

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Order {
  int rank = -1, bit = 0;
  long product = 0, place = 0;
};

const Order& order() {
  static const Order given = [] {
    Order read;
    const char* const text = std::getenv("XHPL_TEST_FLIP");
    const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
    if (text == nullptr ||
        std::sscanf(text, "%d:%ld:%ld:%d", &read.rank, &read.product, &read.place, &read.bit) !=
            4 ||
        read.rank != (rank == nullptr ? 0 : std::atoi(rank)))
      read.product = 0;
    return read;
  }();
  return given;
}

std::atomic<long> products{0};

void flip(double& value) {
  const double before = value;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  bits ^= std::uint64_t{1} << (order().bit & 63);
  std::memcpy(&value, &bits, sizeof bits);
  const char* const name = std::getenv("XHPL_TEST_FLIP_LOG");
  std::FILE* const log = name == nullptr ? nullptr : std::fopen(name, "w");
  if (log == nullptr) return;
  std::fprintf(log, "%.17g %.17g\n", before, value);
  std::fclose(log);
}

}  // namespace

// As the ABI sees it: names of the enumerations differ between libraries. The result is stored by
// columns.
extern "C" void cblas_dgemm(int layout, int op_a, int op_b, int m, int n, int k, double alpha,
                            const double* a, int lda, const double* b, int ldb, double beta,
                            double* c, int ldc) {
  static const auto next =
      reinterpret_cast<decltype(&cblas_dgemm)>(dlsym(RTLD_NEXT, "cblas_dgemm"));
  next(layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  if (order().product <= 0 || m <= 0 || n <= 0 || ++products != order().product) return;
  const long place = order().place % (static_cast<long>(m) * n);
  flip(c[place % m + place / m * ldc]);
}
