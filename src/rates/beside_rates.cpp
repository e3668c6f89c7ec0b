#include "beside_rates.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "hpl/base/number/statistics.h"
#include "hpl/base/number/stopwatch.h"
#include "hpl/check/probes/line_exchange.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "mixed_rates.h"
#include "product_rates.h"
#include "rate_probes.h"

namespace hpl {

namespace {

/// The fractions of their rates that products and other work keep beside each other.
struct RateFractions {
  double product = 1, other = 1;
};
/// The times for which products are watched. Seconds.
struct ProbeTimes {
  double settling = 0;  ///< alone, until the device has used up what a pause leaves it
  double alone = 0;     ///< and then to be measured
  double together = 0;  ///< beside other work
  double part = 1;      ///< fraction of that time in which other work is enqueued
};

/// Of stretches of the same number of products.
double mean_rate(std::span<const double> rates) {
  double sum = 0;
  for (const double rate : rates)
    sum += 1 / rate;
  return static_cast<double>(rates.size()) / sum;
}

/// Products without pause, and beside them `other` again and again, which returns what it took and
/// typically takes `other_seconds` alone.
RateFractions interference(ProductTrial& products, const ProbeTimes& times, double other_seconds,
                           const std::function<double()>& other) {
  // Longer than the other work, or the device would be through with its products before the next
  // are enqueued.
  const double stretch = std::max(0.15, 2 * other_seconds);
  const std::vector<double> alone = products.rates(times.settling + times.alone, stretch);
  const auto settled = std::min(std::ssize(alone) - 1, std::lround(times.settling / stretch));
  double busy = 0;
  std::vector<double> measured;
  const Stopwatch watch;
  const std::vector<double> beside = products.rates(times.together, stretch, [&] {
    for (double now = 0; now < times.part * stretch;) {
      measured.push_back(other());
      now += measured.back();
      busy += measured.back();
    }
  });
  const double lost =
      watch.seconds() * (1 - mean_rate(beside) / mean_rate(std::span(alone).subspan(
                                                     static_cast<std::size_t>(settled))));
  return {.product = std::clamp(1 - lost / busy, 0.0, 1.0),
          .other = std::clamp(other_seconds / median(measured), 0.01, 1.0)};
}

/// Of a typical run: a panel, and products as large as may be.
struct TypicalSizes {
  std::int64_t panel_rows, width, product;
};

/// The panel of HPL-MxP, or the host's.
PanelRates& usual_panel(Rates& rates) {
  return rates.mixed ? *rates.device_panel : *rates.host_panel;
}

/// Of a device that does several things at once.
class BesideProducts {
 public:
  BesideProducts(const RateTables& tables, const RateSetup& setup, const ProcessGrid& grid,
                 double memory_bytes)
      : tables_(tables),
        setup_(setup),
        grid_(grid),
        sizes_(setup.device.shares_host_memory() ? TypicalSizes{8192, 192, 4096}
                                                 : TypicalSizes{32768, 1024, 16384}),
        size_(product_size(memory_bytes)),
        products_(make_product_trial(setup, {size_, size_, sizes_.width})) {}

  void measure(Rates& rates) {
    if (rates.host_panel) {
      const PanelShares of_one = beside_typical_panel();
      rates.host_panel->product_beside = of_one.product;
      rates.host_panel->beside_product = of_one.panel;
    }
    const auto device_panel = [&](int units) {
      return [this, units](std::int64_t rows, std::int64_t width) {
        return setup_.mixed ? typical_panel(rows, width)
                            : make_device_panel_trial(setup_.device, rows, width, units);
      };
    };
    if (rates.device_panel) beside_panels(*rates.device_panel, device_panel(0));
    if (rates.narrow_panel)
      beside_panels(*rates.narrow_panel, device_panel(setup_.panel_compute_units));

    SharedRates& shared = rates.shared;
    const RateFractions of_copy = beside_row_copies();
    shared.product_beside_swap = of_copy.product;
    shared.swap_beside_product = of_copy.other;
    const RateFractions of_solve = beside_solves();
    shared.product_beside_solve = of_solve.product;
    shared.solve_beside_product = of_solve.other;
    // In a grid with one process row or column, the other's messages stand for both.
    const auto row = beside_messages(grid_.row()), column = beside_messages(grid_.column());
    if (row || column) shared.product_beside_messages = row ? *row : *column;
    shared.product_beside_exchange = column ? column : row;
  }

  /// Of a processor with several threads, which divide all work among them: products lose the time
  /// of those that do other work. A panel beside them, or the worker that moves messages, takes
  /// one. The difference of two rates of products would be lost in their noise.
  void measure_threads(Rates& rates) {
    const double all_but_one = 1 - 1.0 / rates.threads;
    usual_panel(rates).beside_product = beside_typical_panel().panel;
    usual_panel(rates).product_beside = all_but_one;
    SharedRates& shared = rates.shared;
    shared.swap_beside_product = beside_row_copies().other;
    shared.product_beside_swap =
        1 - shared.swap_beside_product * busy_threads(*row_copies(), rates.threads);
    shared.solve_beside_product = beside_solves().other;
    shared.product_beside_solve =
        1 - shared.solve_beside_product * busy_threads(*solves(), rates.threads);
    shared.product_beside_messages = all_but_one;
    shared.product_beside_exchange = all_but_one;
  }

 private:
  /// In a run other work goes on for a small part of the time. A device under a power cap answers
  /// within a second, now above the cap and now below it: so long must products be watched.
  ProbeTimes probe_times() const {
    if (setup_.device.shares_host_memory()) return {.alone = 0.15, .together = 0.9, .part = 0.2};
    return {.settling = 0.75, .alone = 0.6, .together = 1.95, .part = 0.2};
  }

  /// Small products leave a device idle at their ends, where other work costs them nothing.
  std::int64_t product_size(double memory_bytes) const {
    const std::int64_t largest = whole(std::sqrt(memory_bytes / 4 / 8));
    return std::clamp<std::int64_t>(largest / kPadding * kPadding, 2048, sizes_.product);
  }

  /// The panel of HPL-MxP, or the host's.
  std::unique_ptr<PanelTrial> typical_panel(std::int64_t rows, std::int64_t width) const {
    if (setup_.mixed) return make_mixed_panel_trial(setup_.device, *setup_.mixed, rows, width);
    return make_host_panel_trial(setup_.device, setup_.host, {.order = rows, .block_size = width});
  }
  PanelShares beside_panel(PanelTrial& panel, ProductTrial& products) {
    const double seconds = typical_seconds(panel);
    grid_.all().barrier();
    const RateFractions fractions =
        interference(products, probe_times(), seconds, [&] { return panel.seconds(); });
    return {tables_.median_of_ranks(fractions.product), tables_.median_of_ranks(fractions.other)};
  }

  PanelShares beside_typical_panel() {
    return beside_panel(*typical_panel(sizes_.panel_rows, sizes_.width), products_);
  }

  /// Products of their own are a larger part of wide panels. Those of HPL-MxP wait for blocks of
  /// the products beside them, the longer the deeper these are.
  template <class MakePanel>
  void beside_panels(PanelRates& rates, const MakePanel& make_panel) {
    const std::vector<Sizes> axes{up_to({8192, 65536}, rates.seconds.largest(0)),
                                  {1024, setup_.mixed ? 4096.0 : 2048.0}};
    std::vector<double> of_panels;
    const RateTable of_products = tables_.table(axes, [&](const Sizes& s) {
      const auto panel = make_panel(whole(s[0]), whole(s[1]));
      std::optional<ProductTrial> as_deep;
      if (setup_.mixed) as_deep.emplace(make_product_trial(setup_, {size_, size_, whole(s[1])}));
      const PanelShares shares = beside_panel(*panel, as_deep ? *as_deep : products_);
      of_panels.push_back(shares.panel);
      return std::max(0.01, shares.product);
    });
    rates.product_beside_by_size = of_products;
    rates.beside_product_by_size = {axes, of_panels};
    const PanelShares typical =
        rates.shares(static_cast<double>(sizes_.panel_rows), static_cast<double>(sizes_.width));
    rates.product_beside = typical.product;
    rates.beside_product = typical.panel;
  }

  /// HPL-MxP converts panels in their place.
  std::unique_ptr<WorkTrial> row_copies() const {
    if (setup_.mixed)
      return make_conversion_trial(setup_.device, *setup_.mixed, size_, sizes_.width);
    return std::make_unique<RowCopyTrial>(setup_.device, sizes_.width, size_, setup_.memory_bytes);
  }
  std::unique_ptr<WorkTrial> solves() const {
    if (setup_.mixed)
      return make_mixed_solve_trial(setup_.device, *setup_.mixed, sizes_.width, size_);
    return std::make_unique<SolveTrial>(setup_.device, sizes_.width, size_, setup_.solve_rows);
  }
  RateFractions beside_row_copies() { return beside_work(*row_copies()); }
  RateFractions beside_solves() { return beside_work(*solves()); }
  /// Several at a time.
  RateFractions beside_work(WorkTrial& work) {
    constexpr int kTimes = 4;
    const double alone = work.seconds();
    const auto timed = [&] {
      const hpcx::Event begin = work.stream().record();
      for (int i = 0; i < kTimes; ++i)
        work.enqueue();
      const hpcx::Event end = work.stream().record();
      end.synchronize();
      return end.seconds_since(begin);
    };
    grid_.all().barrier();
    const RateFractions fractions = interference(products_, probe_times(), alone * kTimes, timed);
    return {tables_.median_of_ranks(fractions.product), tables_.median_of_ranks(fractions.other)};
  }

  /// The share of the threads that such work keeps busy by itself, by its processor time.
  double busy_threads(WorkTrial& work, int threads) const {
    constexpr double kSeconds = 0.05;
    const double once = work.seconds();
    const Stopwatch watch;
    const std::clock_t before = std::clock();
    for (int i = std::max(1, static_cast<int>(kSeconds / once)); i > 0; --i)
      work.enqueue();
    work.stream().synchronize();
    const double busy = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    return tables_.median_of_ranks(std::clamp(busy / (watch.seconds() * threads), 0.0, 1.0));
  }

  /// The share of its rate that a product keeps while long messages travel along a line of the
  /// grid: bursts, as short and as far apart as a run's panels. Messages that never pause cost less
  /// for each second of theirs.
  std::optional<double> beside_messages(const mpi::Communicator& line) {
    if (line.size() < 2) return std::nullopt;
    constexpr double kAlone = 2;  // the first second to settle, then one swing about a power cap
    constexpr double kPeriod = 0.15, kBurst = 0.05 * kPeriod;
    constexpr int kBursts = 12;
    const LineExchange exchange(line, setup_.device);
    const std::int64_t bytes = exchange.longest();
    // As many on all ranks.
    const double message = grid_.all().all_reduce(exchange.seconds(bytes), mpi::Reduce::Max);
    const int messages = std::max(1, static_cast<int>(kBurst / message));
    const std::vector<double> alone = products_.rates(kAlone, 0.1);
    grid_.all().barrier();
    const Stopwatch watch;
    const std::vector<double> beside = products_.rates(0, (kBursts + 1) * kPeriod, [&] {
      for (int burst = 1; burst <= kBursts; ++burst) {
        for (int i = 0; i < messages; ++i)
          exchange(bytes);
        std::this_thread::sleep_for(
            std::chrono::duration<double>(burst * kPeriod - watch.seconds()));
      }
    });
    const double lost = watch.seconds() * (1 - beside.front() / mean_of_later_half(alone));
    return tables_.median_of_ranks(std::clamp(1 - lost / (kBursts * messages * message), 0.0, 1.0));
  }

  const RateTables& tables_;
  const RateSetup& setup_;
  const ProcessGrid& grid_;
  TypicalSizes sizes_;
  std::int64_t size_;
  ProductTrial products_;
};

}  // namespace

void measure_beside_products(const RateTables& tables, const RateSetup& setup,
                             const ProcessGrid& grid, Rates& rates) {
  const bool processor = setup.device.shares_host_memory();
  if (processor && rates.threads == 1) {
    // A core does one thing at a time: what it does of other work is lost to products.
    SharedRates& shared = rates.shared;
    shared.product_beside_swap = shared.product_beside_solve = shared.product_beside_messages = 0;
    usual_panel(rates).product_beside = 0;
    return;
  }
  tables.begin("products beside other work");
  BesideProducts beside(tables, setup, grid, *rates.memory_bytes);
  if (processor)
    beside.measure_threads(rates);
  else
    beside.measure(rates);
}

}  // namespace hpl
