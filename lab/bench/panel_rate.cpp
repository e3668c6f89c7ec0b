// Rate of the panel factorization by itself, P A = L U of rows x columns: on the host with several
// threads, or on a device. For lab/scripts/compare-lu, which sets it beside the getrf of libraries,
// and for what the leaves of the host's recursion cost.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "first_gpu.h"
#include "hpcx/device.h"
#include "hpcx/error.h"
#include "hpl/machine/host/environment.h"
#include "rates/rate_probes.h"

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
  app.add_option("--device", device,
                 "where: cpu or gpu, or host: on the host, from the GPU's memory")
      ->check(CLI::IsMember({"cpu", "gpu", "host"}));
  hpl::RunSpec shape;
  int pfact = static_cast<int>(shape.panel_variant),
      rfact = static_cast<int>(shape.recursive_variant);
  app.add_option("--nbmin", shape.recursion_stop,
                 "of the host: columns at which the recursion stops")
      ->check(CLI::PositiveNumber);
  app.add_option("--ndiv", shape.recursion_divisor, "of the host: parts of a panel per recursion")
      ->check(CLI::Range(2, 64));
  app.add_option("--pfact", pfact, "of the host: 0 left, 1 Crout, 2 right")
      ->check(CLI::Range(0, 2));
  app.add_option("--rfact", rfact, "of the host: 0 left, 1 Crout, 2 right")
      ->check(CLI::Range(0, 2));
  CLI11_PARSE(app, argc, argv);
  shape.order = rows;
  shape.block_size = columns;
  shape.panel_variant = static_cast<hpl::PanelVariant>(pfact);
  shape.recursive_variant = static_cast<hpl::PanelVariant>(rfact);
  try {
    const auto host = hpcx::open_device({.cpu = {.threads = threads, .on_thread_start = {}}});
    std::unique_ptr<hpcx::Device> gpu;
    if (device != "cpu") gpu = hpcx::open_device(hpl::first_gpu());
    const auto trial = device == "gpu"
                           ? hpl::make_device_panel_trial(*gpu, rows, columns, 0)
                           : hpl::make_host_panel_trial(gpu ? *gpu : *host, *host, shape);
    if (!trial) throw hpcx::Error("this device has no panel factorization of its own");
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i)
      times.push_back(trial->seconds());
    std::ranges::sort(times);
    const double best = times.front();
    const auto m = static_cast<double>(rows), n = static_cast<double>(columns);
    fmt::print("panel {} x {}: {:.6f} s, {:.3f} GFLOP/s; median {:.6f} s\n", rows, columns, best,
               1e-9 * (m * n * n - n * n * n / 3) / best, times[times.size() / 2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "panel_rate: {}\n", error.what());
    return 1;
  }
  return 0;
}
