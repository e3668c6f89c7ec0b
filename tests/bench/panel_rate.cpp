// Rate of the panel factorization by itself, P A = L U of rows x columns: on the host with several
// threads, or on a device. For scripts/compare-lu, which sets it beside the getrf of libraries.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

#include "hpcx/device.h"
#include "hpcx/error.h"
#include "hpl/machine/host/environment.h"
#include "machine/check/rate_probes.h"

int main(int argc, char** argv) {
  hpl::ensure_environment(argc, argv);
  std::int64_t rows = 20000, columns = 1000;
  int threads = 1, repeats = 3;
  std::string device = "cpu";
  CLI::App app("Rate of a panel factorization");
  app.add_option("--rows", rows, "rows of the matrix")->check(CLI::PositiveNumber);
  app.add_option("--columns", columns, "columns, at most the rows")->check(CLI::PositiveNumber);
  app.add_option("--threads", threads, "compute threads of the host")->check(CLI::PositiveNumber);
  app.add_option("--repeats", repeats, "times; the best counts")->check(CLI::PositiveNumber);
  app.add_option("--device", device, "where: cpu or gpu")->check(CLI::IsMember({"cpu", "gpu"}));
  CLI11_PARSE(app, argc, argv);
  try {
    hpcx::DeviceChoice choice{.cpu = {.threads = threads, .on_thread_start = {}}};
    if (device == "gpu") {
      const hpcx::DeviceProperties first = hpcx::list_devices().front();  // GPUs come first
      if (first.backend == hpcx::Backend::Cpu) throw hpcx::Error("there is no GPU here");
      choice.backend = first.backend;
      choice.index = first.index;
    }
    const auto where = hpcx::open_device(choice);
    const auto trial = device == "gpu" ? hpl::make_device_panel_trial(*where, rows, columns, 0)
                                       : hpl::make_host_panel_trial(*where, rows, columns);
    if (!trial) throw hpcx::Error("this device has no panel factorization of its own");
    double best = trial->seconds();
    for (int i = 1; i < repeats; ++i)
      best = std::min(best, trial->seconds());
    const auto m = static_cast<double>(rows), n = static_cast<double>(columns);
    fmt::print("panel {} x {}: {:.6f} s, {:.3f} GFLOP/s\n", rows, columns, best,
               1e-9 * (m * n * n - n * n * n / 3) / best);
  } catch (const std::exception& error) {
    fmt::print(stderr, "panel_rate: {}\n", error.what());
    return 1;
  }
  return 0;
}
