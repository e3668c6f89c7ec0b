// The rates of square products, from three loops to the library, in both precisions: the ladder of
// lab/README.md.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "bench/first_gpu.h"
#include "hpcx/device.h"
#include "hpcx/error.h"
#include "hpl/machine/host/environment.h"
#include "ladder/ladder.h"

namespace {

using hpcx::LadderRung;

/// A and B of one order and precision, with random values, and C.
template <class T>
class Product {
 public:
  Product(hpcx::Device& device, std::int64_t order)
      : stream_(device.create_stream(hpcx::Priority::Normal)), order_(order) {
    std::vector<T> values(static_cast<std::size_t>(order * order));
    std::uint64_t x = 1;
    for (hpcx::Buffer* const matrix : {&a_, &b_, &c_}) {
      for (T& value : values) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        value = static_cast<T>(static_cast<double>(x >> 11) * 0x1p-53 - 0.5);
      }
      *matrix = device.allocate(values.size() * sizeof(T));
      stream_.ref().copy(matrix->as<void>(), values.data(), values.size() * sizeof(T));
      stream_.ref().synchronize();
    }
  }

  /// The best of `seconds`, GFLOP/s; the first product loads code and does not count.
  double gflops(hpcx::Ladder& ladder, LadderRung rung, double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + std::chrono::duration<double>(seconds);
    double best = 0;
    for (int count = 0; count < 3 || Clock::now() < until; ++count) {
      const hpcx::Event begin = stream_.ref().record();
      ladder.multiply(stream_, rung,
                      hpcx::BasicProduct<T>{.a = view(a_), .b = view(b_), .c = view(c_)});
      const hpcx::Event end = stream_.ref().record();
      end.synchronize();
      const auto n = static_cast<double>(order_);
      if (count > 0) best = std::max(best, 2e-9 * n * n * n / end.seconds_since(begin));
    }
    return best;
  }

 private:
  hpcx::BasicMatrixView<T> view(const hpcx::Buffer& matrix) const {
    return {matrix.as<T>(), order_, order_, order_, hpcx::Layout::RowMajor};
  }

  hpcx::Stream stream_;
  std::int64_t order_;
  hpcx::Buffer a_, b_, c_;
};

}  // namespace

int main(int argc, char** argv) {
  hpl::ensure_environment(argc, argv);
  std::int64_t order = 2048;
  int threads = 1;
  double seconds = 1;
  std::string where = "cpu";
  CLI::App app("products C = A B by hand, rung by rung, beside those of the library");
  app.add_option("-n", order, "rows and columns of the matrices")->check(CLI::PositiveNumber);
  app.add_option("--threads", threads, "compute threads")->check(CLI::PositiveNumber);
  app.add_option("--seconds", seconds, "duration of each rung")->check(CLI::PositiveNumber);
  app.add_option("--device", where, "cpu or gpu")->check(CLI::IsMember({"cpu", "gpu"}));
  CLI11_PARSE(app, argc, argv);
  try {
    const auto device = hpcx::open_device(
        where == "gpu" ? hpl::first_gpu() : hpcx::DeviceChoice{.cpu = {.threads = threads}});
    const auto ladder = hpcx::make_ladder(*device);
    if (ladder == nullptr) throw hpcx::Error("this device has no ladder of products");
    Product<double> fp64(*device, order);
    Product<float> fp32(*device, order);
    fmt::print("{:<30} {:>10} {:>10}  GFLOP/s, N = {}\n", "", "FP64", "FP32", order);
    for (const LadderRung rung : ladder->rungs())
      fmt::print("{:<30} {:>10.1f} {:>10.1f}\n", label_of(rung),
                 fp64.gflops(*ladder, rung, seconds), fp32.gflops(*ladder, rung, seconds));
  } catch (const hpcx::Error& error) {
    fmt::print(stderr, "ladder: {}\n", error.what());
    return 1;
  }
}
