// Time of one host panel (seconds of the thread's own, so that other work on the machine counts
// little), by rows, width and sweep: what the leaves of the recursion cost.

#include <fmt/format.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "hpcx/device.h"
#include "hpl/lu/panel/host_panel.h"
#include "hpl/lu/panel/panel_layout.h"
#include "hpl/machine/host/environment.h"

namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  hpl::ensure_environment(argc, argv);
  std::int64_t rows = 2000, width = 128;
  int repeats = 20, nbmin = 8, ndiv = 2, pfact = 2, rfact = 2;
  CLI::App app("CPU time of a host panel");
  app.add_option("--rows", rows, "rows of the panel")->check(CLI::PositiveNumber);
  app.add_option("--width", width, "columns of the panel")->check(CLI::PositiveNumber);
  app.add_option("--repeats", repeats, "times; the median counts")->check(CLI::PositiveNumber);
  app.add_option("--nbmin", nbmin, "columns at which the recursion stops")
      ->check(CLI::PositiveNumber);
  app.add_option("--ndiv", ndiv, "parts of a panel per recursion")->check(CLI::Range(2, 64));
  app.add_option("--pfact", pfact, "0 left, 1 Crout, 2 right")->check(CLI::Range(0, 2));
  app.add_option("--rfact", rfact, "0 left, 1 Crout, 2 right")->check(CLI::Range(0, 2));
  CLI11_PARSE(app, argc, argv);

  const auto device = hpcx::open_device({.cpu = {.threads = 1, .on_thread_start = {}}});
  const hpcx::Stream stream = device->create_stream(hpcx::Priority::Normal);
  const hpl::LocalShape shape = hpl::local_shape({.order = rows, .block_size = width}, {0, 0});
  const hpl::StepGeometry geometry = hpl::step_geometry(shape, 0);
  const hpl::PanelLayout layout = hpl::panel_layout(geometry);
  const auto bytes = static_cast<std::size_t>(8 * layout.leading_dimension * layout.width);
  const hpcx::Buffer source = device->allocate(bytes), memory = device->allocate(bytes);
  const auto view = [&](const hpcx::Buffer& buffer) {
    return hpcx::MatrixView{buffer.as<double>(), layout.rows, layout.width,
                            layout.leading_dimension};
  };
  device->kernels().generate(stream, rows, {rows, rows, 0}, {width, width, 0}, view(source));
  const hpl::PanelSweep sweep{static_cast<hpl::PanelVariant>(rfact), ndiv, nbmin,
                              static_cast<hpl::PanelVariant>(pfact)};
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(width));
  std::vector<double> times;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    device->kernels().copy(stream, view(source), view(memory));
    stream.ref().synchronize();
    std::int64_t zero_column = -1;
    double exchange = 0;
    const double begin = thread_seconds();
    hpl::factorize_panel({.x = view(memory),
                          .geometry = geometry,
                          .rows = shape.rows,
                          .pivots = pivots,
                          .zero_column = &zero_column},
                         sweep, {.threads = 1, .run = {}}, nullptr, &exchange);
    times.push_back(thread_seconds() - begin);
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  const auto m = static_cast<double>(rows), n = static_cast<double>(width);
  fmt::print("{} x {}: median {:.0f} us, least {:.0f} us, {:.1f} GFLOP/s\n", rows, width,
             1e6 * median, 1e6 * times.front(), (m * n * n - n * n * n / 3) / median / 1e9);
}
