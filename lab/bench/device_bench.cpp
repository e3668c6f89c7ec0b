#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "hpcx/device.h"
#include "hpcx/error.h"
#include "hpcx/host_memory.h"
#include "tail_products.h"

/// Rates of a device in each operation of the device layer: one table, one line an operation.
namespace {

using namespace hpcx;

struct Options {
  std::string device = "auto";
  int index = 0;
  std::int64_t size = 0;  ///< edge of the large square matrices; 0: by device
  double sustained_seconds = 5;
  int cpu_threads = 1;
  std::vector<std::string> only;
  std::vector<std::int64_t> depths{256, 384, 512, 768, 1024, 1536, 2048};
};

constexpr IndexMap kAll{.block = std::int64_t{1} << 40, .stride = std::int64_t{1} << 40};
constexpr std::int64_t kOrder = 1'000'003;

class Bench {
 public:
  explicit Bench(const Options& options)
      : options_(options), device_(open(options)), stream_(device_->create_stream(Priority::High)) {
    const bool gpu = device_->properties().backend != Backend::Cpu;
    size_ = options.size > 0 ? options.size : (gpu ? 32768 : 1536);
  }

  void run() {
    const DeviceProperties& properties = device_->properties();
    const MemoryInfo memory = device_->memory();
    fmt::print("{} {}: {}, {} units\n{}\n{:.1f} of {:.1f} GiB free, matrices of {} x {}\n",
               to_string(properties.backend), properties.index, properties.name,
               properties.compute_units, properties.description, gib(memory.free),
               gib(memory.total), size_, size_);
    section("latency", [this] { latency(); });
    section("transfer", [this] { transfer(); });
    section("host", [this] { host_memory(); });
    section("memory", [this] { memory_bound(); });
    section("rows", [this] { rows(); });
    section("inverse", [this] { inverse(); });
    section("panel", [this] { panel(); });
    section("team", [this] { team(); });
    section("gemm", [this] { gemm(); });
    section("tail", [this] { tail(); });
  }

 private:
  static double gib(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

  static std::unique_ptr<Device> open(const Options& options) {
    for (const DeviceProperties& candidate : list_devices()) {
      if (options.device != "auto" && options.device != to_string(candidate.backend)) continue;
      return open_device({.backend = candidate.backend,
                          .index = options.index,
                          .cpu = {.threads = options.cpu_threads, .on_thread_start = {}}});
    }
    for (const auto& [backend, name] : kBackends)
      if (options.device == name) throw Error(why_unavailable(backend));
    throw Error("no such device: " + options.device);
  }

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

  /// Median seconds of `work` alone, `prepare` before each.
  double median(
      int repetitions, const std::function<void()>& work,
      const std::function<void()>& prepare = [] {}) {
    prepare();
    work();
    std::vector<double> seconds;
    for (int k = 0; k < repetitions; ++k) {
      prepare();
      const Event start = stream_.ref().record();
      work();
      const Event end = stream_.ref().record();
      end.synchronize();
      seconds.push_back(end.seconds_since(start));
    }
    std::nth_element(seconds.begin(), seconds.begin() + repetitions / 2, seconds.end());
    return seconds[static_cast<std::size_t>(repetitions / 2)];
  }

  void bandwidth(const std::string& name, double bytes, const std::function<void()>& work) {
    const double seconds = median(5, work);
    fmt::print("  {:<44} {:>10.3f} ms {:>9.1f} GB/s\n", name, seconds * 1e3,
               bytes / seconds * 1e-9);
    std::fflush(stdout);
  }

  MatrixView matrix(Buffer& buffer, std::int64_t rows, std::int64_t cols, Layout layout) {
    const std::int64_t ld = layout == Layout::RowMajor ? cols : rows;
    const auto bytes = static_cast<std::size_t>(rows * cols) * sizeof(double);
    if (buffer.bytes() < bytes) {
      buffer = Buffer();  // before the new one is asked for
      buffer = device_->allocate(bytes);
    }
    return {buffer.as<double>(), rows, cols, ld, layout};
  }
  void randomize(MatrixView a) { device_->kernels().generate(stream_, {kOrder, kAll, kAll}, a); }

  void latency() {
    Buffer small = device_->allocate(sizeof(double));
    const MatrixView one{small.as<double>(), 1, 1, 1, Layout::ColumnMajor};
    const double launch = median(5, [&] {
      for (int k = 0; k < 100; ++k)
        device_->kernels().fill(stream_, 1, one);
    });
    fmt::print("  {:<44} {:>10.2f} us\n", "kernel after kernel", launch * 1e4);
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < 100; ++k) {
      device_->kernels().fill(stream_, 1, one);
      stream_.ref().synchronize();
    }
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
    fmt::print("  {:<44} {:>10.2f} us\n", "kernel and sleeping wait of the host",
               waited.count() * 1e4);
  }

  void transfer() {
    const std::size_t bytes = static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_);
    const Buffer host = device_->allocate_pinned(bytes);
    const Buffer device = device_->allocate(bytes);
    const auto size = static_cast<double>(bytes);
    bandwidth("pinned to device", size,
              [&] { stream_.ref().copy(device.as<void>(), host.as<void>(), bytes); });
    bandwidth("device to pinned", size,
              [&] { stream_.ref().copy(host.as<void>(), device.as<void>(), bytes); });
  }

  /// Touching and pinning by one thread and by all, and copies of a matrix there, pinned or staged.
  void host_memory() {
    const std::unique_ptr<Device> all = open_device(
        {.backend = Backend::Cpu, .cpu = {.threads = options_.cpu_threads, .on_thread_start = {}}});
    const std::unique_ptr<Device> one =
        open_device({.backend = Backend::Cpu, .cpu = {.threads = 1, .on_thread_start = {}}});
    Buffer buffer;
    const MatrixView slot = matrix(buffer, size_, size_, Layout::RowMajor);
    const auto bytes = static_cast<std::size_t>(size_ * size_) * sizeof(double);
    const auto print = [](const std::string& name, double amount, double seconds) {
      fmt::print("  {:<44} {:>10.3f} ms {:>9.1f} GB/s\n", name, seconds * 1e3,
                 amount / seconds * 1e-9);
      std::fflush(stdout);
    };
    for (Device* const threads : {one.get(), all.get()})
      for (const std::size_t pieces : {1, 16, 64}) {
        const HostMemorySpec spec{
            .bytes = bytes, .threads = threads, .piece_bytes = bytes / pieces};
        const auto start = std::chrono::steady_clock::now();
        const HostMemory memory(*device_, spec);
        const std::chrono::duration<double> made = std::chrono::steady_clock::now() - start;
        print(fmt::format("touch and pin, {} threads, {} pieces",
                          threads->properties().compute_units, pieces),
              static_cast<double>(memory.pinned_bytes()), made.count());
      }
    for (const bool pinned : {true, false}) {
      const HostMemory memory(*device_, {.bytes = bytes,
                                         .threads = all.get(),
                                         .piece_bytes = bytes / 16,
                                         .most_pinned = pinned ? bytes : 0,
                                         .staging_bytes = std::size_t{64} << 20});
      const MatrixView there{memory.as<double>(), size_, size_, size_, Layout::RowMajor};
      const std::string way = pinned ? "pinned" : "staged";
      bandwidth("load, " + way, static_cast<double>(bytes),
                [&] { memory.load(stream_, there, slot); });
      bandwidth("store, " + way, static_cast<double>(bytes),
                [&] { memory.store(stream_, slot, there); });
      const auto start = std::chrono::steady_clock::now();
      memory.load(stream_, there, slot);
      const std::chrono::duration<double> enqueued = std::chrono::steady_clock::now() - start;
      stream_.ref().synchronize();
      fmt::print("  {:<44} {:>10.3f} ms\n", "enqueuing a load, " + way, enqueued.count() * 1e3);
    }
  }

  void memory_bound() {
    Kernels& kernels = device_->kernels();
    Buffer first;
    Buffer second;
    Buffer sums = device_->allocate(static_cast<std::size_t>(size_) * sizeof(double));
    const MatrixView rows = matrix(first, size_, size_, Layout::RowMajor);
    const MatrixView cols = matrix(second, size_, size_, Layout::ColumnMajor);
    const MatrixView rows2 = cols.transposed();
    const double bytes = static_cast<double>(size_) * static_cast<double>(size_) * sizeof(double);
    bandwidth("generate, row-major", bytes, [&] { randomize(rows); });
    bandwidth("generate, column-major", bytes, [&] { randomize(cols); });
    bandwidth("fill", bytes, [&] { kernels.fill(stream_, 0.5, rows); });
    bandwidth("copy, same layout (read + write)", 2 * bytes,
              [&] { kernels.copy(stream_, rows, rows2); });
    bandwidth("copy, row-major to column-major", 2 * bytes,
              [&] { kernels.copy(stream_, rows, cols); });
    bandwidth("copy, column-major to row-major", 2 * bytes,
              [&] { kernels.copy(stream_, cols, rows); });
    bandwidth("row sums, row-major", bytes,
              [&] { kernels.row_sums(stream_, rows, sums.as<double>()); });
    bandwidth("column sums, row-major", bytes,
              [&] { kernels.column_sums(stream_, rows, sums.as<double>()); });
  }

  void rows() {
    Kernels& kernels = device_->kernels();
    Buffer first;
    Buffer second;
    const MatrixView tail = matrix(first, size_, size_, Layout::RowMajor);
    std::vector<std::int64_t> list(static_cast<std::size_t>(size_));
    std::iota(list.begin(), list.end(), 0);
    std::shuffle(list.begin(), list.end(), std::mt19937_64(1));
    const Buffer indices = device_->allocate(list.size() * sizeof(std::int64_t));
    stream_.ref().copy(indices.as<void>(), list.data(), indices.bytes());
    const std::int64_t* from = indices.as<std::int64_t>();
    const std::int64_t block = std::min<std::int64_t>(1024, size_ / 2);
    for (const std::int64_t width : {size_, size_ / 8, std::int64_t{512}}) {
      const MatrixView source = tail.col_range(0, width);
      const MatrixView packed = matrix(second, block, width, Layout::RowMajor);
      const MatrixView transposed = matrix(second, block, width, Layout::ColumnMajor);
      const double bytes = 16.0 * static_cast<double>(block) * static_cast<double>(width);
      const std::string shape = fmt::format("{} rows of {}", block, width);
      bandwidth("gather " + shape, bytes,
                [&] { kernels.gather_rows(stream_, source, from, packed); });
      bandwidth("gather, transposed, " + shape, bytes,
                [&] { kernels.gather_rows(stream_, source, from, transposed); });
      bandwidth("move " + shape, bytes, [&] {
        kernels.move_rows(stream_, {block, source, from, source, from + block});
      });
    }
  }

  void inverse() {
    Buffer first;
    Buffer second;
    Buffer third;
    for (const std::int64_t n : {256, 512, 1024, 1536, 2048}) {
      if (n > size_) break;
      const MatrixView lower = matrix(first, n, n, Layout::ColumnMajor);
      const MatrixView inverse = matrix(second, n, n, Layout::ColumnMajor);
      const MatrixView right = matrix(third, n, size_, Layout::RowMajor);
      randomize(lower);
      randomize(right);
      const double invert =
          median(5, [&] { device_->kernels().invert_unit_lower(stream_, lower, inverse); });
      const double solve = median(
          3,
          [&] {
            device_->blas().trsm(stream_, {Triangle::Lower, Diagonal::Unit, lower}, right);
          },
          [&] { randomize(right); });
      fmt::print(
          "  n = {:>4}: inverse {:>8.3f} ms, triangular solve with {} right sides {:>8.3f} ms\n", n,
          invert * 1e3, size_, solve * 1e3);
      std::fflush(stdout);
    }
  }

  void panel() {
    const bool gpu = device_->properties().backend != Backend::Cpu;
    if (device_->create_panel_solver({.max_rows = 64, .max_cols = 64}) == nullptr) {
      fmt::print("  panels are factorized by the host\n");
      return;
    }
    Buffer panel_memory;
    const Buffer pivots = device_->allocate(4096 * sizeof(std::int64_t));
    const Buffer zero = device_->allocate(sizeof(std::int64_t));
    const std::vector<int> units = gpu ? std::vector<int>{0, 64, 32, 16, 8} : std::vector<int>{0};
    for (const std::int64_t rows : {8192, 32768, 65536, 131072}) {
      for (const std::int64_t cols : {256, 512, 1024, 1536}) {
        const MatrixView panel = matrix(panel_memory, rows, cols, Layout::ColumnMajor);
        fmt::print("  {:>6} x {:>4}:", rows, cols);
        for (const int limit : units) {
          const auto solver = device_->create_panel_solver(
              {.max_rows = rows, .max_cols = cols, .compute_units = limit});
          const double seconds = median(
              3,
              [&] {
                solver->factorize(stream_,
                                  {panel, pivots.as<std::int64_t>(), zero.as<std::int64_t>()});
              },
              [&] { randomize(panel); });
          fmt::print("  {}: {:.2f} ms", limit == 0 ? "own choice" : fmt::format("{} units", limit),
                     seconds * 1e3);
        }
        fmt::print("\n");
        std::fflush(stdout);
      }
    }
  }

  /// A panel distributed over several members, all of them on this device: what the exchange
  /// between them costs, but for the links.
  void team() {
    if (device_->create_panel_solver({.max_rows = 64, .max_cols = 64}) == nullptr) return;
    constexpr int kUnits = 24;
    fmt::print("  rows x columns of each member, {} units each\n", kUnits);
    for (const std::int64_t rows : {8192, 32768, 65536}) {
      for (const std::int64_t cols : {512, 1024}) {
        fmt::print("  {:>6} x {:>4}:", rows, cols);
        for (const int members : {1, 2, 4})
          fmt::print("  {}: {:.2f} ms", members, team_seconds(members, kUnits, rows, cols) * 1e3);
        fmt::print("\n");
        std::fflush(stdout);
      }
    }
  }

  double team_seconds(int members, int units, std::int64_t rows, std::int64_t cols) {
    const PanelSolverSpec spec{
        .max_rows = rows, .max_cols = cols, .compute_units = units, .members = 4, .group_size = 4};
    const Buffer results = device_->allocate(4 * 2048 * sizeof(std::int64_t));
    std::vector<Stream> streams;
    std::vector<std::unique_ptr<PanelSolver>> solvers;
    std::vector<Buffer> memory(static_cast<std::size_t>(members));
    std::vector<MatrixView> panels;
    std::vector<void*> mailboxes;
    for (int m = 0; m < members; ++m)
      streams.push_back(device_->create_stream(Priority::High));
    for (Buffer& buffer : memory) {
      panels.push_back(matrix(buffer, rows, cols, Layout::ColumnMajor));
      solvers.push_back(device_->create_panel_solver(spec));
      mailboxes.push_back(solvers.back()->mailbox().as<void>());
    }
    for (int m = 0; m < members; ++m)
      solvers[static_cast<std::size_t>(m)]->connect({m, {members}, mailboxes});
    // All code is loaded before members wait for one another, since loading may wait for what runs:
    // by a team of one of this shape, and here.
    device_->kernels().fill(stream_, 0.0, panels[0]);
    std::vector<double> seconds;
    for (int repetition = 0; repetition < 4; ++repetition) {
      for (const MatrixView panel : panels)
        randomize(panel);
      device_->synchronize();
      const auto start = std::chrono::steady_clock::now();
      for (std::size_t m = 0; m < panels.size(); ++m) {
        auto* words = results.as<std::int64_t>(m * 2048 * sizeof(std::int64_t));
        solvers[m]->factorize_shared(streams[m], {panels[m], words + 1, words},
                                     {.owner = 0, .most_rows = rows});
      }
      device_->synchronize();
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      if (repetition > 0) seconds.push_back(passed.count());
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[1];
  }

  void gemm() {
    Buffer large;
    Buffer left;
    Buffer upper;
    const MatrixView c = matrix(large, size_, size_, Layout::RowMajor);
    randomize(c);
    fmt::print("  C -= A B, C {} x {} row-major: short (median of 3), sustained over {} s\n", size_,
               size_, options_.sustained_seconds);
    for (const std::int64_t k : options_.depths) {
      if (k > size_) break;
      for (const bool transposed : {true, false}) {
        // A column-major under a row-major C is what column-major libraries call NT.
        const MatrixView a =
            matrix(left, size_, k, transposed ? Layout::ColumnMajor : Layout::RowMajor);
        const MatrixView b = matrix(upper, k, size_, Layout::RowMajor);
        randomize(a);
        randomize(b);
        const auto multiply = [&] { device_->blas().gemm(stream_, {-1.0, a, b, 1.0, c}); };
        const double flops =
            2.0 * static_cast<double>(size_) * static_cast<double>(size_) * static_cast<double>(k);
        const double brief = median(3, multiply);
        fmt::print("  {} K = {:>4}: {:>9.2f} GFLOP/s", transposed ? "NT" : "NN", k,
                   flops / brief * 1e-9);
        if (options_.sustained_seconds > 0) {
          const int count = 1 + static_cast<int>(options_.sustained_seconds / brief);
          const Event start = stream_.ref().record();
          for (int r = 0; r < count; ++r)
            multiply();
          const Event end = stream_.ref().record();
          end.synchronize();
          const TelemetrySample sensors = device_->telemetry().sample();
          fmt::print(", sustained {:>9.2f}  ({:.0f} MHz, {:.0f} W, {:.0f} C{}{})",
                     flops * count / end.seconds_since(start) * 1e-9, sensors.clock_mhz.value_or(0),
                     sensors.power_watts.value_or(0), sensors.temperature_celsius.value_or(0),
                     sensors.throttle_reasons.empty() ? "" : ", ",
                     fmt::join(sensors.throttle_reasons, ", "));
        }
        fmt::print("\n");
        std::fflush(stdout);
      }
    }
  }

  void tail() {
    const bool gpu = device_->properties().backend != Backend::Cpu;
    hpl::bench::print_tail_products(
        *device_, gpu ? hpl::bench::TailSizes{.rows = 40000, .columns = {8192, 16384, 32768}}
                      : hpl::bench::TailSizes{.rows = 800, .columns = {800, 1600}});
  }

  Options options_;
  std::unique_ptr<Device> device_;
  Stream stream_;
  std::int64_t size_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Rates of the operations of one device");
  app.add_option("--device", options.device, "auto, cpu, cuda or hip");
  app.add_option("--index", options.index, "which device of its kind");
  app.add_option("-n,--size", options.size, "edge of the large matrices");
  app.add_option("--seconds", options.sustained_seconds,
                 "length of each sustained product; 0: none");
  app.add_option("--threads", options.cpu_threads,
                 "compute threads of the CPU device, of any device's host");
  app.add_option("--K", options.depths, "inner sizes of the products")->delimiter(',');
  app.add_option("--only", options.only,
                 "latency, transfer, host, memory, rows, inverse, panel, team, gemm, tail")
      ->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  try {
    Bench(options).run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "device_bench: {}\n", error.what());
    return 3;
  }
}
