// Loaded in front of the BLAS (LD_PRELOAD), it harms what a product of one rank made, as a chip
// does that now and then computes wrong:
//   XHPL_TEST_FLIP="<rank>:<product>:<place>:<bit>"   flips a bit, 0 to 63
//   XHPL_TEST_ADD="<rank>:<product>:<place>:<value>"  adds a value
// with the number of the product among those of that rank, from 1 (0: each product), and the
// element of the result (modulo its elements). XHPL_TEST_FLIP_LOG names a file that then gets one
// line: the value before and the value after. Without that it only stands in front, as another BLAS
// would.

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "rank_of_launcher.h"

namespace {

struct Order {
  long product = -1, place = 0;  // -1: no product
  bool adds = false;
  double amount = 0;  // the value, or the bit
};

Order order_of(const char* variable) {
  Order read{.adds = std::strcmp(variable, "XHPL_TEST_ADD") == 0};
  const char* const text = std::getenv(variable);
  int victim = -1;
  if (text == nullptr ||
      std::sscanf(text, "%d:%ld:%ld:%lf", &victim, &read.product, &read.place, &read.amount) != 4 ||
      victim != hpl::test::rank_of_launcher())
    read.product = -1;
  return read;
}

const Order& order() {
  static const Order given = [] {
    const Order flip = order_of("XHPL_TEST_FLIP");
    return flip.product >= 0 ? flip : order_of("XHPL_TEST_ADD");
  }();
  return given;
}

std::atomic<long> products{0};

void flip(double& value, int bit) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  bits ^= std::uint64_t{1} << (bit & 63);
  std::memcpy(&value, &bits, sizeof bits);
}

void harm(double& value) {
  const double before = value;
  if (order().adds)
    value += order().amount;
  else
    flip(value, static_cast<int>(order().amount));
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
  if (order().product < 0 || m <= 0 || n <= 0) return;
  if (const long number = ++products; order().product != 0 && number != order().product) return;
  const long place = order().place % (static_cast<long>(m) * n);
  harm(c[place % m + place / m * ldc]);
}
