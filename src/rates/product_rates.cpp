#include "product_rates.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hpl/base/number/statistics.h"
#include "hpl/base/number/stopwatch.h"

namespace hpl {

namespace {

class ProductMeasurement {
 public:
  ProductMeasurement(const RateTables& tables, const RateSetup& setup, Rates& rates)
      : tables_(tables), setup_(setup), rates_(rates), gpu_(rates.kind == ProcessorKind::Gpu) {}

  void measure() {
    const double largest_square = std::sqrt(*rates_.memory_bytes / 4 / 8);
    const Sizes sizes = up_to(gpu_ ? Sizes{512, 2048, 8192, 32768} : Sizes{16, 64, 256, 1024, 4096},
                              largest_square);
    Sizes rows = sizes;
    // A chunk is no wider, but as high as the tail, which many threads share better.
    if (!gpu_ && rates_.threads > 1) rows.push_back(16384);
    steady_products(std::min(sizes.back(), gpu_ ? 16384.0 : 4096.0));
    tables_.begin("products of the tail update");
    rates_.product_gflops = tables_.table(
        {up_to(rows, largest_square), sizes, block_sizes(rates_.kind, setup_.mixed.has_value())},
        [&](const Sizes& s) {
          ProductTrial trial = make_product_trial(setup_, {whole(s[0]), whole(s[1]), whole(s[2])});
          return kept_of_host_ * product_rate(trial, s);
        });
    if (gpu_ && !setup_.mixed) uneven_products(std::min(sizes.back(), 16384.0));
  }

 private:
  /// The rate at which it settles.
  double product_rate(ProductTrial& trial, const Sizes& s) const {
    const double elements = s[0] * s[1], depth = s[2];  // of C
    // A pause leaves a device that is held to its power cap more than that for most of a second,
    // and it swings about the cap with a period of a second. Small and shallow products draw less.
    // Nearly all operations of a run are in the largest and deepest ones.
    constexpr double kLarge = 67e6, kLargest = 268e6;
    if (gpu_ && elements >= kLarge) {
      const double seconds = depth < 512 ? 0.2 : elements < kLargest || depth < 1024 ? 0.8 : 2;
      return mean_of_later_half(trial.rates(seconds, 0.1));
    }
    // Threads that sleep between products wake at different times.
    constexpr double kManyThreads = 1e6;
    if (!gpu_ && rates_.threads > 1 && elements >= kManyThreads)
      return median(trial.rates(0.5, 0.1));
    constexpr double kStretch = 0.03;
    return median(trial.rates(4 * kStretch, kStretch));
  }

  /// All ranks for as long: how they differ. Then they are as hot as a run makes them, too.
  void steady_products(double size) {
    tables_.begin("products for several seconds");
    constexpr double kPart = 0.1;
    ProductTrial trial = make_product_trial(setup_, {whole(size), whole(size), gpu_ ? 1024 : 192});
    double own = 0;
    if (gpu_) {
      std::vector<double> watts;
      const auto sample_power = [&] {
        if (const auto now = setup_.device.telemetry().sample().power_watts) watts.push_back(*now);
      };
      const std::vector<double> rates = trial.rates(6, kPart, sample_power);
      own = mean_of_later_half(rates);
      boost(rates, own, kPart);
      power(watts);
    } else {
      const Stopwatch watch;
      const std::vector<double> rates = trial.rates(4, kPart);
      own = median(rates);
      steadiness(rates, watch.seconds() / static_cast<double>(rates.size()));
    }
    const std::vector<double> all = tables_.world().all_gather(own);
    const double middle = median(all);
    for (const double rate : all)
      rates_.rank_speeds.push_back(rate / middle);
  }

  /// Others want a host's cores now and then, in a run as well: what that costs and how far it sets
  /// ranks apart, from rates of stretches of as many products, of `seconds` each.
  void steadiness(const std::vector<double>& rates, double seconds) {
    std::vector<double> took;
    for (const double rate : rates)
      took.push_back(1 / rate);
    const double own_mean = mean(took);
    kept_of_host_ = std::min(1.0, tables_.median_of_ranks(median(took) / own_mean));
    if (tables_.world().size() == 1) return;
    took.resize(
        static_cast<std::size_t>(tables_.world().all_reduce(std::ssize(took), mpi::Reduce::Min)));
    std::vector<double> variances;
    for (const double stretch : took)
      variances.push_back(variance(tables_.world().all_gather(stretch / own_mean)));
    rates_.second_deviation = tables_.median_of_ranks(std::sqrt(mean(variances) * seconds));
  }

  /// The gain of `rates`, of `part` seconds each after a pause, over the sustained one.
  void boost(const std::vector<double>& rates, double sustained, double part) {
    constexpr double kLongest = 2;  // seconds
    constexpr double kLeastGain = 0.002;
    const auto count = std::min(rates.size(), static_cast<std::size_t>(kLongest / part));
    double gain = 0, all = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double now = rates[i] / sustained - 1;
      gain = std::max(gain, now);
      all += now * part;
    }
    gain = tables_.median_of_ranks(gain);
    all = tables_.median_of_ranks(all);
    if (gain < kLeastGain || all <= 0) return;
    rates_.boost = {.gain = gain, .seconds = all / gain};
  }

  /// As those of a run where NB is no multiple of 16: half of the steps begin as step 1, half as
  /// step 2 does, and so on.
  void uneven_products(double size) {
    tables_.begin("products where NB is no multiple of 16");
    constexpr std::int64_t kEven = 16;
    const Sizes divisors{1, 2, 8};
    const auto rate = [&](double depth, std::int64_t shift) {
      ProductTrial trial(setup_.device, {whole(size), whole(size), whole(depth)},
                         {.values = ProductValues::Factors, .shift = shift});
      tables_.world().barrier();
      return mean_of_later_half(trial.rates(0.4, 0.1));
    };
    const auto in_table = [&](double depth) {
      return rates_.product_gflops.at({size, size, depth});
    };
    Sizes shares;
    for (const double divisor : divisors) {
      const double depth = 992 + divisor;
      const double even = rate(1024, 0);
      double share = 0, weight = 1;
      for (std::int64_t shift = whole(divisor); shift < kEven; shift *= 2) {
        weight /= 2;
        share += weight * rate(depth, shift);
      }
      share += weight * rate(depth, 0);
      const double expected = even * in_table(depth) / in_table(1024);
      shares.push_back(std::min(1.0, tables_.median_of_ranks(share / expected)));
    }
    rates_.uneven_product_share = {{divisors}, shares};
  }

  void power(const std::vector<double>& watts) {
    const double measured = tables_.median_of_ranks(mean_of_later_half(watts));
    if (measured > 0) rates_.power_watts = measured;
  }

  const RateTables& tables_;
  const RateSetup& setup_;
  Rates& rates_;
  bool gpu_;
  double kept_of_host_ = 1;  // of what products reach undisturbed
};

}  // namespace

ProductTrial make_product_trial(const RateSetup& setup, const ProductShape& shape) {
  if (!setup.mixed) return {setup.device, shape, {.values = ProductValues::Factors}};
  // Most products of HPL-MxP leave room for the next panel or for messages.
  ProductTrial trial(setup.device, shape, *setup.mixed);
  trial.leave_free(setup.panel_compute_units);
  return trial;
}

void measure_product_rates(const RateTables& tables, const RateSetup& setup, Rates& rates) {
  ProductMeasurement(tables, setup, rates).measure();
}

}  // namespace hpl
