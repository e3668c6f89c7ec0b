#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "bounds.h"
#include "hpl/check/deep/deep_check.h"
#include "product_oracle.h"
#include "timing.h"

namespace hpl {
namespace {

using hpcx::LadderRung;

constexpr std::int64_t kNoOrder = std::numeric_limits<std::int64_t>::max();

template <class T>
constexpr const char* kPrecision = sizeof(T) == 8 ? "FP64" : "FP32";
template <class T>
constexpr const char* kPrecisionKey = sizeof(T) == 8 ? "fp64" : "fp32";

std::size_t bytes_of(std::int64_t elements, std::size_t each) {
  return static_cast<std::size_t>(elements) * each;
}

/// Square matrices of one order, on the host and on the device that multiplies them.
template <class T>
class Operands {
 public:
  Operands(hpcx::Device& device, hpcx::Device& host, hpcx::StreamRef stream, std::int64_t order)
      : device_(device),
        order_(order),
        stream_(stream),
        host_c_(values(0)),
        host_a_(values(1)),
        host_b_(values(2)),
        a_(upload(host_a_)),
        b_(upload(host_b_)),
        c_(device.allocate(bytes_of(order * order, sizeof(T)))),
        oracle_(host, order, host_a_.data(), host_b_.data()) {}

  void multiply(LadderRung rung) const {
    device_.ladder()->multiply(
        stream_, rung,
        hpcx::BasicProduct<T>{.a = view(a_),
                              .b = view(b_),
                              .c = {c_.as<T>(), order_, order_, order_, hpcx::Layout::RowMajor}});
  }
  /// So that a product that does nothing does not find the last one's result.
  void clear() {
    std::ranges::fill(host_c_, std::numeric_limits<T>::quiet_NaN());
    stream_.copy(c_.as<void>(), host_c_.data(), bytes_of(order_ * order_, sizeof(T)));
    stream_.synchronize();
  }
  double worst_ratio() {
    stream_.copy(host_c_.data(), c_.as<void>(), bytes_of(order_ * order_, sizeof(T)));
    stream_.synchronize();
    return oracle_.worst_ratio(host_c_.data());
  }
  double flops() const { return 2.0 * std::pow(static_cast<double>(order_), 3); }

 private:
  std::vector<T> values(std::uint64_t seed) const {
    std::vector<T> all(static_cast<std::size_t>(order_ * order_));
    if (seed == 0) return all;
    std::uint64_t x = seed;
    for (T& value : all) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      value = static_cast<T>(static_cast<double>(x >> 11) * 0x1p-53 - 0.5);
    }
    return all;
  }
  hpcx::Buffer upload(const std::vector<T>& all) const {
    hpcx::Buffer memory = device_.allocate(bytes_of(order_ * order_, sizeof(T)));
    stream_.copy(memory.as<void>(), all.data(), bytes_of(order_ * order_, sizeof(T)));
    stream_.synchronize();
    return memory;
  }
  hpcx::BasicMatrixView<const T> view(const hpcx::Buffer& memory) const {
    return {memory.as<T>(), order_, order_, order_, hpcx::Layout::RowMajor};
  }

  hpcx::Device& device_;
  std::int64_t order_;
  hpcx::StreamRef stream_;
  std::vector<T> host_c_, host_a_, host_b_;
  hpcx::Buffer a_, b_, c_;
  ProductOracle<T> oracle_;
};

/// All rungs of one device and precision.
template <class T>
class Ladder {
 public:
  Ladder(const DeepSetup& setup, const DeepTarget& target, DeepResult& result)
      : setup_(setup), device_(target.device), result_(result) {
    if (target.mine) rungs_ = device_.ladder()->rungs();
    rounds_ = static_cast<std::size_t>(
        setup.world.all_reduce(static_cast<std::int64_t>(rungs_.size()), mpi::Reduce::Max));
    slice_ = target.seconds / static_cast<double>(std::max<std::size_t>(rounds_, 1));
  }

  void measure(const RateCeilings& memory) {
    if (!rungs_.empty())
      attempt(result_.failed,
              [&] { stream_.emplace(device_.create_stream(hpcx::Priority::Normal)); });
    for (std::size_t i = 0; i < rounds_; ++i) {
      const bool mine = i < rungs_.size() && stream_ && result_.failed.empty();
      std::int64_t order = kNoOrder;
      if (mine) attempt(result_.failed, [&] { order = largest_order(rungs_[i]); });
      // The same on all ranks, so that their rates can be compared; together, so that they meet the
      // same load.
      order = setup_.world.all_reduce(order, mpi::Reduce::Min);
      if (mine && result_.failed.empty())
        attempt(result_.failed, [&] { measure_rung(rungs_[i], order); });
    }
    add_bounds(memory);
  }

 private:
  struct Measured {
    std::size_t figure = 0;
    LadderRung rung;
    std::int64_t order = 0;
    double seconds = 0, flops = 0;
  };

  Operands<T>& operands(std::int64_t order) {
    auto& found = operands_[order];
    if (!found) found = std::make_unique<Operands<T>>(device_, setup_.host, *stream_, order);
    return *found;
  }

  /// The largest power of two of which one product takes no more than a part of the time.
  std::int64_t largest_order(LadderRung rung) {
    constexpr double kPart = 0.2;
    const std::int64_t most = device_.shares_host_memory() ? 2048 : 4096;
    // Three matrices here and on the host, of every order that was tried.
    const double fits = std::sqrt(static_cast<double>(memory_of(setup_, device_)) / 32 / sizeof(T));
    std::int64_t order = 64;
    for (;; order *= 2) {
      const Operands<T>& now = operands(order);
      const double seconds = std::ranges::min(samples_of(*stream_, 0, [&] { now.multiply(rung); }));
      const double next = 8 * seconds;
      if (2 * order > most || static_cast<double>(2 * order) > fits || next > kPart * slice_)
        return order;
    }
  }

  void measure_rung(LadderRung rung, std::int64_t order) {
    constexpr double kPart = 0.5;  // what is left is for setting up and checking
    Operands<T>& now = operands(order);
    now.clear();
    const double seconds =
        typical(device_, samples_of(*stream_, kPart * slice_, [&] { now.multiply(rung); }));
    const bool on_host = device_.shares_host_memory();
    const char* const where = on_host ? "host" : "device";
    measured_.push_back({result_.figures.size(), rung, order, seconds, now.flops()});
    result_.figures.push_back(
        {.key = fmt::format("{}_{}_{}", where, rung_key(rung), kPrecisionKey<T>),
         .label = fmt::format("{} {}, {}", where, kPrecision<T>, rung_label(rung)),
         .unit = "GFLOP/s",
         .of_device = !on_host,
         .value = 1e-9 * now.flops() / seconds,
         .error = now.worst_ratio()});
  }

  void add_bounds(RateCeilings rates) {
    for (const Measured& one : measured_)
      if (one.rung.kind == hpcx::LadderKind::Library) rates.flops = one.flops / one.seconds;
    for (const Measured& one : measured_) {
      const BoundedBy by = bounded_by(
          one.flops, product_bytes(one.rung, one.order, static_cast<std::int64_t>(sizeof(T))),
          one.seconds, rates);
      if (!by.bound) continue;
      result_.figures[one.figure].bound = by.bound;
      result_.figures[one.figure].share = by.share;
    }
  }

  const DeepSetup& setup_;
  hpcx::Device& device_;
  DeepResult& result_;
  std::vector<LadderRung> rungs_;
  std::size_t rounds_ = 0;
  double slice_ = 0;
  std::optional<hpcx::Stream> stream_;
  std::map<std::int64_t, std::unique_ptr<Operands<T>>> operands_;
  std::vector<Measured> measured_;
};

DeepResult measure_products(const DeepSetup& setup, hpcx::Device& device, bool mine,
                            double seconds) {
  DeepResult result;
  const bool on_host = device.shares_host_memory();
  const double for_copies = 0.05 * seconds, for_each = 0.475 * seconds;
  RateCeilings rates;
  if (mine)
    attempt(result.failed, [&] {
      rates.bytes = memory_copy_rate(device, memory_of(setup, device), for_copies);
      result.figures.push_back({.key = on_host ? "host_memory_copy" : "device_memory_copy",
                                .label = on_host ? "host memory copy" : "device memory copy",
                                .unit = "GB/s",
                                .of_device = !on_host,
                                .value = 1e-9 * rates.bytes,
                                .bound = Bound::Memory});
    });
  Ladder<double>(setup, {device, mine, for_each}, result).measure(rates);
  Ladder<float>(setup, {device, mine, for_each}, result).measure(rates);
  return result;
}

/// Nothing for any rank to do.
std::optional<DeepResult> nobody_has(const DeepSetup& setup, bool mine) {
  if (setup.world.all_reduce(mine ? 1 : 0, mpi::Reduce::Max) != 0) return {};
  return DeepResult{.figures = {},
                    .skipped = setup.device.shares_host_memory()
                                   ? "the device is the host's processor"
                                   : "this back end has no products by hand"};
}

bool has_device_ladder(const DeepSetup& setup) {
  return !setup.device.shares_host_memory() && setup.device.ladder() != nullptr;
}

/// A product whose A and C pass through the device in strips of rows, each strip in the next of
/// several streams: copy in, multiply, copy out.
template <class T>
class StripProduct {
 public:
  StripProduct(const DeepSetup& setup, std::int64_t order)
      : device_(setup.device), host_(setup.host), order_(order) {
    const std::size_t bytes = bytes_of(order * order, sizeof(T));
    for (hpcx::Buffer* const memory : {&host_a_, &host_b_, &host_c_})
      *memory = device_.allocate_pinned(bytes);
    for (hpcx::Buffer* const memory : {&a_, &b_, &c_})
      *memory = device_.allocate(bytes);
    std::uint64_t x = 3;
    for (T* const values : {host_a_.as<T>(), host_b_.as<T>()})
      for (std::int64_t i = 0; i < order * order; ++i) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        values[i] = static_cast<T>(static_cast<double>(x >> 11) * 0x1p-53 - 0.5);
      }
    for (int i = 0; i < kMostStreams; ++i)
      streams_.push_back(device_.create_stream(hpcx::Priority::Normal));
    streams_[0].ref().copy(b_.as<void>(), host_b_.as<void>(), bytes);
    streams_[0].ref().synchronize();
  }

  static constexpr int kMostStreams = 6;

  double seconds(int streams) {
    const Stopwatch watch;
    const std::int64_t strip = std::max<std::int64_t>(order_ / kStrips, 1);
    for (std::int64_t first = 0, strips = 0; first < order_; first += strip, ++strips) {
      const std::int64_t rows = std::min(strip, order_ - first);
      const hpcx::StreamRef stream = streams_[strips % streams];
      const std::size_t bytes = bytes_of(rows * order_, sizeof(T));
      const auto at = [&](const hpcx::Buffer& memory) { return memory.as<T>() + first * order_; };
      const auto lines = [&](T* data) {
        return hpcx::BasicMatrixView<T>{data, rows, order_, order_, hpcx::Layout::RowMajor};
      };
      stream.copy(at(a_), at(host_a_), bytes);
      device_.ladder()->multiply(
          stream, {hpcx::LadderKind::Tiles, 2},
          hpcx::BasicProduct<T>{.a = lines(at(a_)),
                                .b = {b_.as<T>(), order_, order_, order_, hpcx::Layout::RowMajor},
                                .c = lines(at(c_))});
      stream.copy(at(host_c_), at(c_), bytes);
    }
    for (int i = 0; i < streams; ++i)
      streams_[i].ref().synchronize();
    return watch.seconds();
  }
  double worst_ratio() const {
    return ProductOracle<T>(host_, order_, host_a_.as<T>(), host_b_.as<T>())
        .worst_ratio(host_c_.as<T>());
  }
  double flops() const { return 2.0 * std::pow(static_cast<double>(order_), 3); }

 private:
  static constexpr std::int64_t kStrips = 16;

  hpcx::Device& device_;
  hpcx::Device& host_;
  std::int64_t order_;
  hpcx::Buffer host_a_, host_b_, host_c_, a_, b_, c_;
  std::vector<hpcx::Stream> streams_;
};

template <class T>
void measure_strips(const DeepSetup& setup, bool mine, double seconds, DeepResult& result) {
  constexpr int kStreams[] = {1, 2, 3, 4, StripProduct<T>::kMostStreams};
  const double slice = seconds / static_cast<double>(std::size(kStreams));
  std::optional<StripProduct<T>> product;
  std::int64_t order = mine ? 4096 : kNoOrder;
  if (mine)
    attempt(result.failed, [&] {
      while (order > 64 &&
             static_cast<double>(order) * static_cast<double>(order) * 16 * sizeof(T) >
                 static_cast<double>(setup.memory_bytes))
        order /= 2;
      while (order > 64 && StripProduct<T>(setup, order).seconds(1) > 0.2 * slice)
        order /= 2;
    });
  order = setup.world.all_reduce(order, mpi::Reduce::Min);
  if (mine && result.failed.empty()) attempt(result.failed, [&] { product.emplace(setup, order); });
  for (const int streams : kStreams) {
    setup.world.barrier();
    if (!product || !result.failed.empty()) continue;
    attempt(result.failed, [&] {
      std::vector<double> samples;
      const Stopwatch watch;
      do
        samples.push_back(product->seconds(streams));
      while (watch.seconds() < 0.6 * slice || samples.size() < 3);
      const double best = std::ranges::min(samples);
      result.figures.push_back(
          {.key = fmt::format("device_streams_{}_{}", streams, kPrecisionKey<T>),
           .label = fmt::format("device {} from host memory, {} stream{}", kPrecision<T>, streams,
                                streams == 1 ? "" : "s"),
           .unit = "GFLOP/s",
           .of_device = true,
           .value = 1e-9 * product->flops() / best,
           .error = product->worst_ratio()});
    });
  }
}

}  // namespace

DeepResult measure_host_products(const DeepSetup& setup) {
  return measure_products(setup, setup.host, true, 0.35 * setup.seconds);
}

DeepResult measure_device_products(const DeepSetup& setup) {
  const bool mine = has_device_ladder(setup);
  if (auto nothing = nobody_has(setup, mine)) return *nothing;
  return measure_products(setup, setup.device, mine, 0.3 * setup.seconds);
}

DeepResult measure_streams(const DeepSetup& setup) {
  const bool mine = has_device_ladder(setup);
  if (auto nothing = nobody_has(setup, mine)) return *nothing;
  DeepResult result;
  measure_strips<double>(setup, mine, 0.05 * setup.seconds, result);
  measure_strips<float>(setup, mine, 0.05 * setup.seconds, result);
  return result;
}

}  // namespace hpl
