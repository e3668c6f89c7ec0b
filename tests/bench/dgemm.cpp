// DGEMM rate of the BLAS in the form of the tail update, C -= A B with A m x k by columns and
// C by rows: the yardstick beside which xhpl and netlib HPL are measured.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <numeric>
#include <vector>

#include "hpcx/device.h"
#include "hpl/lu/update/product_trial.h"
#include "hpl/machine/host/environment.h"

int main(int argc, char** argv) {
  hpl::ensure_environment(argc, argv);
  std::int64_t m = 8000, n = 8000, k = 256;
  int threads = 1;
  double seconds = 2;
  CLI::App app("DGEMM rate, C (m x n) -= A (m x k) B (k x n)");
  app.add_option("-m", m, "rows of C")->check(CLI::PositiveNumber);
  app.add_option("-n", n, "columns of C")->check(CLI::PositiveNumber);
  app.add_option("-k", k, "columns of A")->check(CLI::PositiveNumber);
  app.add_option("--threads", threads, "compute threads")->check(CLI::PositiveNumber);
  app.add_option("--seconds", seconds, "duration")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);

  const auto device = hpcx::open_device({.cpu = {.threads = threads}});
  hpl::ProductTrial trial(*device, {.rows = m, .columns = n, .depth = k});
  const std::vector<double> rates = trial.rates(seconds, seconds / 20);
  fmt::print("{:.2f} GFLOP/s\n",
             std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size()));
}
