#include "tall_skinny.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "bounds.h"
#include "hpl/check/deep/deep_check.h"
#include "timing.h"

namespace hpl {

double tall_skinny_ratio(hpcx::ConstMatrixView a, hpcx::ConstMatrixView r) {
  const std::int64_t n = a.cols;
  const auto at = [n](std::int64_t p, std::int64_t q) {
    return static_cast<std::size_t>(p * n + q);
  };
  std::vector<double> gram(static_cast<std::size_t>(n * n));
  for (std::int64_t p = 0; p < n; ++p)
    for (std::int64_t q = p; q < n; ++q) {
      const double* const x = &a(0, p);
      const double* const y = &a(0, q);
      double sums[8] = {};
      std::int64_t i = 0;
      for (; i + 8 <= a.rows; i += 8)
        for (std::int64_t l = 0; l < 8; ++l)
          sums[l] += x[i + l] * y[i + l];
      double sum = 0;
      for (; i < a.rows; ++i)
        sum += x[i] * y[i];
      for (const double part : sums)
        sum += part;
      gram[at(p, q)] = sum;
    }
  // A column of A + dA has an error of gamma(c m' n) |a|, m' the rows of a leaf and of the stacks
  // on its way up (Higham, 19.3, for each level); the sums of products here add m / 8 roundoffs.
  const auto rows = static_cast<double>(a.rows);
  const double levels = 1 + std::log2(std::max(rows / 128, 1.0)) / 2;
  const double terms = 8.0 * 128 * static_cast<double>(n) * levels + rows / 8 + 16;
  const double bound = terms * std::numeric_limits<double>::epsilon();
  double worst = 0;
  for (std::int64_t p = 0; p < n; ++p)
    for (std::int64_t q = p; q < n; ++q) {
      double sum = 0;
      for (std::int64_t i = 0; i <= p; ++i)
        sum += r(i, p) * r(i, q);
      const double error = std::abs(sum - gram[at(p, q)]);
      if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
      const double size = std::sqrt(gram[at(p, p)] * gram[at(q, q)]);
      if (error > 0)
        worst = std::max(
            worst, size > 0 ? error / (bound * size) : std::numeric_limits<double>::infinity());
    }
  return worst;
}

namespace {

constexpr std::int64_t kColumns = hpcx::kMostTallColumns;

/// A matrix of `rows` x kColumns in the device's memory, with its R.
class TallTrial {
 public:
  TallTrial(hpcx::Device& device, std::int64_t rows)
      : device_(device),
        rows_(rows),
        stream_(device.create_stream(hpcx::Priority::Normal)),
        a_(device.allocate(bytes(rows * kColumns))),
        work_(device.allocate(bytes(hpcx::tall_skinny_work(rows, kColumns)))),
        r_(device.allocate(bytes(kColumns * kColumns))) {
    device.kernels().generate(stream_, {rows, {rows, rows, 0}, {kColumns, kColumns, 0}}, a());
  }
  std::vector<double> seconds(double most) {
    return samples_of(stream_, most, [&] {
      device_.ladder()->tall_skinny_r(stream_, a(), work_.as<double>(), r());
    });
  }
  double ratio() {
    std::vector<double> a_here(static_cast<std::size_t>(rows_ * kColumns)),
        r_here(static_cast<std::size_t>(kColumns * kColumns));
    stream_.ref().copy(a_here.data(), a_.as<void>(), a_here.size() * sizeof(double));
    stream_.ref().copy(r_here.data(), r_.as<void>(), r_here.size() * sizeof(double));
    stream_.ref().synchronize();
    return tall_skinny_ratio({a_here.data(), rows_, kColumns, rows_},
                             {r_here.data(), kColumns, kColumns, kColumns});
  }
  double flops() const {
    const auto m = static_cast<double>(rows_), n = static_cast<double>(kColumns);
    return 2 * m * n * n - 2.0 / 3.0 * n * n * n;
  }
  double bytes_read() const { return 8.0 * static_cast<double>(rows_ * kColumns); }

 private:
  static std::size_t bytes(std::int64_t elements) { return static_cast<std::size_t>(8 * elements); }
  hpcx::MatrixView a() const { return {a_.as<double>(), rows_, kColumns, rows_}; }
  hpcx::MatrixView r() const { return {r_.as<double>(), kColumns, kColumns, kColumns}; }

  hpcx::Device& device_;
  std::int64_t rows_;
  hpcx::Stream stream_;
  hpcx::Buffer a_, work_, r_;
};

void measure_on(const DeepSetup& setup, const DeepTarget& target, DeepResult& result) {
  hpcx::Device& device = target.device;
  const bool mine = target.mine;
  const double seconds = target.seconds;
  const bool on_host = device.shares_host_memory();
  const std::int64_t most = on_host ? 1 << 17 : 1 << 21;
  std::int64_t rows = std::numeric_limits<std::int64_t>::max();
  if (mine)
    attempt(result.failed, [&] {
      for (std::int64_t now = 1024;; now *= 2) {
        const double one = std::ranges::min(TallTrial(device, now).seconds(0));
        rows = now;
        if (2 * now > most || 2 * one > 0.1 * seconds ||
            16 * kColumns * 2 * now > memory_of(setup, device) / 8)
          break;
      }
    });
  rows = setup.world.all_reduce(rows, mpi::Reduce::Min);
  if (!mine || !result.failed.empty()) return;
  attempt(result.failed, [&] {
    TallTrial trial(device, rows);
    const double time = typical(device, trial.seconds(0.4 * seconds));
    const double rate = memory_copy_rate(device, memory_of(setup, device), 0.05 * seconds);
    // By the memory alone: no product of this shape has a rate to compare with.
    const double share = trial.bytes_read() / time / rate;
    result.figures.push_back(
        {.key = on_host ? "host_tall_skinny" : "device_tall_skinny",
         .label = fmt::format("{} TSQR, {} columns", on_host ? "host" : "device", kColumns),
         .unit = "GFLOP/s",
         .of_device = !on_host,
         .value = 1e-9 * trial.flops() / time,
         .bound = share >= 0.5 ? Bound::Memory : Bound::Latency,
         .share = share,
         .error = trial.ratio()});
  });
}

}  // namespace

DeepResult measure_tall_skinny(const DeepSetup& setup) {
  DeepResult result;
  const double seconds = 0.05 * setup.seconds;
  measure_on(setup, {setup.host, true, seconds}, result);
  const bool mine = !setup.device.shares_host_memory() && setup.device.ladder() != nullptr;
  if (setup.world.all_reduce(mine ? 1 : 0, mpi::Reduce::Max) != 0)
    measure_on(setup, {setup.device, mine, seconds}, result);
  return result;
}

}  // namespace hpl
