// DGEMM rate of the BLAS in the form of the tail update, C -= A B with A m x k by columns and
// C by rows: the yardstick beside which xhpl and netlib HPL are measured. Mean and later half,
// since a GPU takes a second to settle at its power cap, and what it draws depends on the values.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "first_gpu.h"
#include "hpcx/device.h"
#include "hpcx/error.h"
#include "hpl/base/number/statistics.h"
#include "hpl/lu/update/product_trial.h"
#include "hpl/machine/host/environment.h"

int main(int argc, char** argv) {
  hpl::ensure_environment(argc, argv);
  std::int64_t m = 8000, n = 8000, k = 256;
  int threads = 1;
  double seconds = 2;
  std::string where = "cpu", values = "random";
  CLI::App app("DGEMM rate, C (m x n) -= A (m x k) B (k x n)");
  app.add_option("-m", m, "rows of C")->check(CLI::PositiveNumber);
  app.add_option("-n", n, "columns of C")->check(CLI::PositiveNumber);
  app.add_option("-k", k, "columns of A")->check(CLI::PositiveNumber);
  app.add_option("--threads", threads, "compute threads")->check(CLI::PositiveNumber);
  app.add_option("--seconds", seconds, "duration")->check(CLI::PositiveNumber);
  app.add_option("--device", where, "cpu or gpu")->check(CLI::IsMember({"cpu", "gpu"}));
  app.add_option("--values", values,
                 "random: A and B as the benchmark's matrix; factors: as its L21 and U12")
      ->check(CLI::IsMember({"random", "factors"}));
  CLI11_PARSE(app, argc, argv);
  try {
    const auto device = hpcx::open_device(
        where == "gpu" ? hpl::first_gpu() : hpcx::DeviceChoice{.cpu = {.threads = threads}});
    hpl::ProductTrial trial(
        *device, {.rows = m, .columns = n, .depth = k},
        {.values = values == "factors" ? hpl::ProductValues::Factors : hpl::ProductValues::Random});
    const std::vector<double> rates = trial.rates(seconds, seconds / 20);
    fmt::print("{:.2f} GFLOP/s; later half {:.2f}\n", hpl::mean(rates),
               hpl::mean_of_later_half(rates));
  } catch (const hpcx::Error& error) {
    fmt::print(stderr, "dgemm: {}\n", error.what());
    return 1;
  }
}
