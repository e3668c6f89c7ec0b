#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "first_gpu.h"
#include "hpcx/mixed.h"

/// Rates of a GPU in the operations of HPL-MxP, in FP16: one table, one line an operation.
namespace {

using namespace hpcx;

constexpr IndexMap kAll{.block = std::int64_t{1} << 40, .stride = std::int64_t{1} << 40};

struct Options {
  std::vector<std::string> only;
  std::vector<std::int64_t> depths{1024, 2048, 4096};
  std::vector<std::int64_t> edges{65536, 16384};
  std::int64_t order = 131072;
  double seconds = 1;
};

char letter(Layout layout) {
  return layout == Layout::RowMajor ? 'R' : 'C';
}

class Bench {
 public:
  explicit Bench(const Options& options)
      : options_(options),
        device_(open_device(hpl::first_gpu())),
        stream_(device_->create_stream(Priority::High)) {
    if (device_->mixed_precision() == nullptr) throw Error("this device has no mixed precision");
    make_pool();
  }

  void run() {
    fmt::print("{}, {}\n", device_->properties().name, device_->properties().description);
    section("gemm", [this] { gemm(); });
    section("diagonal", [this] { diagonal(); });
    section("matrix", [this] { matrix(); });
    section("gemv", [this] { gemv(); });
    section("solve", [this] { solve(); });
  }

 private:
  MixedPrecision& mixed() { return *device_->mixed_precision(); }

  void section(const std::string& name, const std::function<void()>& body) {
    const auto& only = options_.only;
    if (!only.empty() && std::find(only.begin(), only.end(), name) == only.end()) return;
    fmt::print("\n{}\n", name);
    try {
      body();
    } catch (const OutOfMemory& error) {
      fmt::print("  stopped: {}\n", error.what());
    }
    std::fflush(stdout);
  }

  /// Normally distributed numbers in FP16, with standard deviation 1.
  void make_pool() {
    constexpr std::int64_t kCount = 4194301;  // no multiple of any line
    std::mt19937_64 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> values(kCount);
    for (float& value : values)
      value = normal(random);
    const Buffer single = device_->allocate(values.size() * sizeof(float));
    pool_ = device_->allocate(values.size() * 2);
    stream_.ref().copy(single.as<void>(), values.data(), single.bytes());
    mixed().convert(stream_, {single.as<void>(), Precision::Fp32, 1, kCount, kCount},
                    {pool_.as<void>(), Precision::Fp16, 1, kCount, kCount});
    stream_.ref().synchronize();
  }

  /// A matrix of the pool's numbers in FP16, in `buffer`, which grows if need be.
  MixedView normal(Buffer& buffer, std::int64_t rows, std::int64_t cols, Layout layout) {
    const auto bytes = static_cast<std::size_t>(rows * cols) * 2;
    if (buffer.bytes() < bytes) {
      buffer = Buffer();  // before the new one is asked for
      buffer = device_->allocate(bytes);
    }
    for (std::size_t at = 0; at < bytes; at += pool_.bytes())
      stream_.ref().copy(buffer.as<char>() + at, pool_.as<void>(),
                         std::min(pool_.bytes(), bytes - at));
    return {buffer.as<void>(),
            Precision::Fp16,
            rows,
            cols,
            layout == Layout::RowMajor ? cols : rows,
            layout};
  }

  /// Median seconds of `work` alone, `prepare` before each.
  double median(
      const std::function<void()>& work, const std::function<void()>& prepare = [] {}) {
    constexpr int kRepetitions = 5;
    prepare();
    work();
    std::vector<double> seconds;
    for (int k = 0; k < kRepetitions; ++k) {
      prepare();
      const Event start = stream_.ref().record();
      work();
      const Event end = stream_.ref().record();
      end.synchronize();
      seconds.push_back(end.seconds_since(start));
    }
    std::nth_element(seconds.begin(), seconds.begin() + kRepetitions / 2, seconds.end());
    return seconds[kRepetitions / 2];
  }

  void gemm() {
    fmt::print("  C by rows, layouts of A and B by letter (R: by rows), TFLOP/s over {} s\n",
               options_.seconds);
    Buffer left, right, result;
    for (const std::int64_t edge : options_.edges) {
      const MixedView c = normal(result, edge, edge, Layout::RowMajor);
      for (const std::int64_t depth : options_.depths) {
        fmt::print("  {:>6} x {:>6} x {:>5}:", edge, edge, depth);
        for (const Layout a_layout : {Layout::RowMajor, Layout::ColumnMajor})
          for (const Layout b_layout : {Layout::RowMajor, Layout::ColumnMajor}) {
            const MixedView a = normal(left, edge, depth, a_layout);
            const MixedView b = normal(right, depth, edge, b_layout);
            fmt::print("  {}{} {:>6.1f}", letter(a_layout), letter(b_layout),
                       product_rate(a, b, c) * 1e-12);
            std::fflush(stdout);
          }
        fmt::print("\n");
      }
    }
  }

  /// Operations per second of C -= A B and C += A B in turn, so that C stays as it is.
  double product_rate(MixedView a, MixedView b, MixedView c) {
    const auto twice = [&] {
      mixed().gemm(stream_, {-1, a, b, 1, c});
      mixed().gemm(stream_, {1, a, b, 1, c});
    };
    twice();
    const Event before = stream_.ref().record();
    twice();
    const Event start = stream_.ref().record();
    start.synchronize();
    const int count = 1 + static_cast<int>(options_.seconds / start.seconds_since(before));
    for (int k = 0; k < count; ++k)
      twice();
    const Event end = stream_.ref().record();
    end.synchronize();
    const double operations = 2.0 * static_cast<double>(c.rows) * static_cast<double>(c.cols) *
                              static_cast<double>(a.cols);
    return 2 * count * operations / end.seconds_since(start);
  }

  /// Alone, and in a stream of high priority beside products in another.
  void diagonal() {
    constexpr std::int64_t kEdge = 16384;
    const Stream busy = device_->create_stream(Priority::Normal);
    Buffer left, right, product, block_memory, lower_memory, upper_memory;
    const MixedView c = normal(product, kEdge, kEdge, Layout::RowMajor);
    const Buffer result = device_->allocate(sizeof(DiagonalResult));
    for (const std::int64_t width : options_.depths) {
      const MixedView a = normal(left, kEdge, width, Layout::RowMajor);
      const MixedView b = normal(right, width, kEdge, Layout::RowMajor);
      const MixedView block = normal(block_memory, width, width, Layout::RowMajor);
      const MixedView lower = normal(lower_memory, width, width, Layout::RowMajor);
      const MixedView upper = normal(upper_memory, width, width, Layout::RowMajor);
      const Buffer work =
          device_->allocate(static_cast<std::size_t>(diagonal_workspace_bytes(width)));
      const MixedMatrix matrix{.order = width, .shift = std::sqrt(static_cast<double>(width))};
      const auto factorize = [&] {
        mixed().factorize_diagonal(
            stream_, {block, work.as<void>(), lower, upper, result.as<DiagonalResult>()});
      };
      const auto renew = [&] {
        device_->synchronize();
        mixed().generate(stream_, {matrix, kAll, kAll}, 1, block);
      };
      const double alone = median(factorize, renew);
      const double beside = median(factorize, [&] {
        renew();
        stream_.ref().synchronize();
        for (int k = 0; k < 16; ++k)
          mixed().gemm(busy, {k % 2 == 0 ? -1.0F : 1.0F, a, b, 1, c});
      });
      device_->synchronize();
      DiagonalResult there;
      stream_.ref().copy(&there, result.as<void>(), sizeof there);
      stream_.ref().synchronize();
      fmt::print(
          "  width {:>5}: {:>8.3f} ms, {:>8.3f} ms beside 16 products of {} x {} x {}"
          "  (bad column {}, scale {})\n",
          width, alone * 1e3, beside * 1e3, kEdge, kEdge, width, there.bad_column, there.scale);
      std::fflush(stdout);
    }
  }

  void matrix() {
    const std::int64_t n = options_.order;
    const MixedMatrix matrix{.order = n, .shift = std::sqrt(static_cast<double>(n))};
    const auto entries = static_cast<double>(n) * static_cast<double>(n);
    const auto print = [&](const std::string& name, double count, double seconds) {
      fmt::print("  {:<36} {:>9.3f} ms {:>8.1f} G entries/s\n", name, seconds * 1e3,
                 count / seconds * 1e-9);
      std::fflush(stdout);
    };
    const Buffer x = device_->allocate(static_cast<std::size_t>(n) * sizeof(double));
    const Buffer y = device_->allocate(static_cast<std::size_t>(n) * sizeof(double));
    device_->kernels().fill(stream_, 0.5, {x.as<double>(), n, 1, n, Layout::ColumnMajor});
    device_->kernels().fill(stream_, 0.0, {y.as<double>(), n, 1, n, Layout::ColumnMajor});
    print(fmt::format("multiply, n = {}", n), entries, median([&] {
            mixed().multiply(stream_, {{matrix, kAll, kAll}, n, n, y.as<double>()}, x.as<double>());
          }));
    const IndexMap cyclic{.block = 2048, .stride = 8192, .first = 2048};
    print("multiply, a part of 4 x 4", entries / 16, median([&] {
            mixed().multiply(stream_, {{matrix, cyclic, cyclic}, n / 4, n / 4, y.as<double>()},
                             x.as<double>());
          }));
    print("row_sums", entries, median([&] {
            mixed().row_sums(stream_, {{matrix, kAll, kAll}, n, n, y.as<double>()}, true);
          }));
    Buffer tile_memory, single_memory;
    const std::int64_t edge = std::min<std::int64_t>(n, 32768);
    const auto tile_entries = static_cast<double>(edge) * static_cast<double>(edge);
    for (const Layout layout : {Layout::RowMajor, Layout::ColumnMajor}) {
      const MixedView tile = normal(tile_memory, edge, edge, layout);
      print(fmt::format("generate FP16, layout {}", letter(layout)), tile_entries, median([&] {
              mixed().generate(stream_, {matrix, kAll, kAll}, 1, tile);
            }));
    }
    const MixedView half = normal(tile_memory, edge, edge, Layout::RowMajor);
    single_memory = device_->allocate(static_cast<std::size_t>(edge * edge) * sizeof(float));
    MixedView single = half;
    single.data = single_memory.as<void>();
    single.precision = Precision::Fp32;
    print("convert FP16 to FP32", tile_entries,
          median([&] { mixed().convert(stream_, half, single); }));
    print("convert FP32 to FP16", tile_entries,
          median([&] { mixed().convert(stream_, single, half); }));
  }

  void gemv() {
    constexpr std::int64_t kLong = 250'000, kShort = 4096;
    Buffer memory;
    const auto size = static_cast<std::size_t>(kLong) * sizeof(float);
    const Buffer x = device_->allocate(size), y = device_->allocate(size);
    device_->kernels().clear(stream_, x);
    device_->kernels().clear(stream_, y);
    for (const auto& [rows, cols] : {std::pair{kLong, kShort}, std::pair{kShort, kLong}})
      for (const Layout layout : {Layout::RowMajor, Layout::ColumnMajor}) {
        const MixedView a = normal(memory, rows, cols, layout);
        const double seconds = median([&] {
          mixed().gemv(stream_, {-1, a, x.as<float>(), y.as<float>()});
        });
        fmt::print("  {:>6} x {:>6}, layout {}: {:>8.3f} ms {:>8.1f} GB/s\n", rows, cols,
                   letter(layout), seconds * 1e3,
                   2.0 * static_cast<double>(rows * cols) / seconds * 1e-9);
        std::fflush(stdout);
      }
  }

  void solve() {
    for (const std::int64_t width : {1024, 2048, 4096, 8192}) {
      Buffer memory;
      const Buffer x = device_->allocate(static_cast<std::size_t>(width) * sizeof(float));
      const MixedMatrix matrix{.order = width, .shift = static_cast<double>(width)};
      fmt::print("  width {:>5}:", width);
      for (const Layout layout : {Layout::RowMajor, Layout::ColumnMajor})
        for (const Triangle triangle : {Triangle::Lower, Triangle::Upper}) {
          const MixedView t = normal(memory, width, width, layout);
          mixed().generate(stream_, {matrix, kAll, kAll}, 0x1p-12, t);
          device_->kernels().clear(stream_, x);
          const double seconds =
              median([&] { mixed().solve(stream_, triangle, t, x.as<float>()); });
          fmt::print("  {} {} {:>7.1f} us", letter(layout),
                     triangle == Triangle::Lower ? "lower" : "upper", seconds * 1e6);
        }
      fmt::print("\n");
      std::fflush(stdout);
    }
  }

  Options options_;
  std::unique_ptr<Device> device_;
  Stream stream_;
  Buffer pool_;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Rates of the operations of HPL-MxP on the first GPU");
  app.add_option("--only", options.only, "gemm, diagonal, matrix, gemv, solve")->delimiter(',');
  app.add_option("--K", options.depths, "inner sizes of the products, widths of diagonal blocks")
      ->delimiter(',');
  app.add_option("--edges", options.edges, "edges of C in the products")->delimiter(',');
  app.add_option("-n,--order", options.order, "order of the matrix that is multiplied");
  app.add_option("--seconds", options.seconds, "length of each product's measurement");
  CLI11_PARSE(app, argc, argv);
  try {
    Bench(options).run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "mixed_bench: {}\n", error.what());
    return 3;
  }
}
