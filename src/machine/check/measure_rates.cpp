#include "hpl/machine/check/measure_rates.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/number/statistics.h"
#include "hpl/lu/grid/node_tiles.h"
#include "hpl/lu/grid/process_grid.h"
#include "hpl/lu/panel/device_panel.h"
#include "hpl/lu/panel/pivot_exchange.h"
#include "hpl/lu/update/product_trial.h"
#include "hpl/machine/host/topology.h"
#include "line_exchange.h"
#include "probe.h"
#include "rate_probes.h"
#include "stopwatch.h"

namespace hpl {

namespace {

using Sizes = std::vector<double>;

std::int64_t whole(double size) {
  return static_cast<std::int64_t>(size);
}

/// Sizes of an axis that are not beyond `most`; the smallest in any case.
Sizes up_to(Sizes sizes, double most) {
  const double smallest = sizes.front();
  std::erase_if(sizes, [&](double size) { return size > most && size > smallest; });
  return sizes;
}

class RateMeasurement {
 public:
  RateMeasurement(const mpi::Communicator& world, const RateSetup& setup)
      : world_(world),
        setup_(setup),
        grid_(world, setup.grid.rows, setup.grid.columns, setup.rank_order),
        node_(world.split_shared()),
        gpu_(!setup.device.shares_host_memory()) {}

  Rates measure() {
    describe();
    products();
    panels();
    solve();
    copies();
    links();
    beside();
    return rates_;
  }

 private:
  void describe() {
    const NodeMap nodes = NodeMap::of(world_);
    rates_.origin = "measured";
    rates_.kind = gpu_ ? ProcessorKind::Gpu : ProcessorKind::Cpu;
    rates_.machine = gpu_ ? setup_.device.properties().name : cpu_model();
    rates_.ranks = world_.size();
    rates_.ranks_per_node = nodes.ranks_per_node().value_or(nodes.ranks_on(0));
    rates_.threads = setup_.host.properties().compute_units;
    rates_.memory_bytes = static_cast<double>(setup_.memory_bytes);
  }

  void probe(const char* name) const {
    if (setup_.on_probe) setup_.on_probe(name);
    world_.barrier();
  }
  double median_of_ranks(double value) const { return median(world_.all_gather(value)); }

  /// `value(sizes...)` for every combination, in the order of a RateTable: all ranks begin each
  /// together. The median of the ranks.
  template <class Value>
  RateTable table(std::vector<Sizes> axes, Value value) const {
    std::vector<double> values;
    std::vector<double> sizes(axes.size());
    const auto fill = [&](const auto& self, std::size_t axis) -> void {
      if (axis == axes.size()) {
        world_.barrier();
        values.push_back(median_of_ranks(value(sizes)));
        return;
      }
      for (const double size : axes[axis]) {
        sizes[axis] = size;
        self(self, axis + 1);
      }
    };
    fill(fill, 0);
    return {std::move(axes), std::move(values)};
  }

  /// The depths that NB may have, and panels as tall and narrow as they get.
  Sizes block_sizes() const {
    return gpu_ ? Sizes{128, 256, 512, 1024, 2048} : Sizes{32, 64, 128, 192, 256};
  }
  double least_memory() const {
    return static_cast<double>(world_.all_reduce(setup_.memory_bytes, mpi::Reduce::Min));
  }
  double largest_square() const { return std::sqrt(least_memory() / 4 / 8); }

  /// What it settles at.
  double product_rate(ProductTrial& trial, const Sizes& s) const {
    constexpr double kStretch = 0.03;
    if (gpu_) {
      // A pause leaves a device that is held to its power cap more than that for most of a second.
      // Small and shallow products draw less.
      const bool large = s[0] * s[1] >= 67e6, deep = s[2] >= 512;
      if (large) return mean_of_later_half(trial.rates(deep ? 1.2 : 0.4, 0.1));
      return median(trial.rates(4 * kStretch, kStretch));
    }
    double best = 0;
    // On the host others want the cores now and then.
    for (int round = 0; round < 4; ++round)
      best = std::max(best, trial.rates(0, kStretch).front());
    return best;
  }
  void products() {
    const Sizes sizes = up_to(gpu_ ? Sizes{512, 2048, 8192, 32768} : Sizes{16, 64, 256, 1024, 4096},
                              largest_square());
    // All ranks for as long: how they differ. Then they are as hot as a run makes them, too.
    probe("products for several seconds");
    {
      const double size = std::min(sizes.back(), gpu_ ? 16384.0 : 4096.0);
      ProductTrial trial(setup_.device, {whole(size), whole(size), gpu_ ? 1024 : 192});
      const std::vector<double> rates = trial.rates(gpu_ ? 8 : 2, 0.1);
      const double sustained = gpu_ ? mean_of_later_half(rates) : std::ranges::max(rates);
      const std::vector<double> all = world_.all_gather(sustained);
      const double middle = median(all);
      for (const double rate : all)
        rates_.rank_speeds.push_back(rate / middle);
    }
    probe("products of the tail update");
    rates_.product_gflops = table({sizes, sizes, block_sizes()}, [&](const Sizes& s) {
      ProductTrial trial(setup_.device, {whole(s[0]), whole(s[1]), whole(s[2])});
      return product_rate(trial, s);
    });
    if (!gpu_) return;
    uneven_products(std::min(sizes.back(), 16384.0));
    power();
  }

  /// As those of a run where NB is no multiple of 16: half of the steps begin as step 1, half as
  /// step 2 does, and so on.
  void uneven_products(double size) {
    probe("products where NB is no multiple of 16");
    constexpr std::int64_t kEven = 16;
    const Sizes divisors{1, 2, 8};
    const auto rate = [&](double depth, std::int64_t shift) {
      ProductTrial trial(setup_.device, {whole(size), whole(size), whole(depth)}, shift);
      world_.barrier();
      return mean_of_later_half(trial.rates(0.5, 0.1));
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
      shares.push_back(std::min(1.0, median_of_ranks(share / expected)));
    }
    rates_.uneven_product_share = {{divisors}, shares};
  }

  void power() {
    std::vector<double> watts;
    ProductTrial trial(setup_.device, {8192, 8192, 1024});
    trial.rates(1, 0.1, [&] {
      if (const auto now = setup_.device.telemetry().sample().power_watts) watts.push_back(*now);
    });
    const double measured = median_of_ranks(mean_of_later_half(watts));
    if (measured > 0) rates_.power_watts = measured;
  }

  static double best_of(PanelTrial& trial) {
    constexpr int kPanels = 4;
    double best = trial.seconds();
    const Stopwatch watch;
    for (int i = 1; i < kPanels && watch.seconds() < 1; ++i)
      best = std::min(best, trial.seconds());
    return best;
  }

  void panels() {
    probe("panels of the host");
    // Two of the widest take an eighth of the memory.
    const double tallest = least_memory() / 8 / 8 / 2 / block_sizes().back();
    const Sizes widths = gpu_ ? Sizes{256, 512, 1024} : block_sizes();
    rates_.host_panel = PanelRates{
        table({up_to(gpu_ ? Sizes{4096, 16384, 65536} : Sizes{256, 1024, 4096, 16384}, tallest),
               widths},
              [&](const Sizes& s) {
                const auto trial = make_host_panel_trial(setup_.host, whole(s[0]), whole(s[1]));
                return best_of(*trial);
              }),
        pivots()};
    if (!gpu_ || !make_device_panel_trial(setup_.device, 4096, 128, 0)) return;
    probe("panels of the device");
    const std::vector<Sizes> axes{up_to({2048, 8192, 32768, 131072}, tallest), block_sizes()};
    rates_.device_panel = PanelRates{
        table(axes, [&](const Sizes& s) { return device_panel_seconds(s, 0); }), device_pivots(0)};
    const int units = setup_.panel_compute_units;
    if (units == 0) return;
    rates_.narrow_panel =
        PanelRates{table(axes, [&](const Sizes& s) { return device_panel_seconds(s, units); }),
                   device_pivots(units)};
    rates_.narrow_panel_columns = static_cast<double>(setup_.narrow_panel_columns);
  }
  double device_panel_seconds(const Sizes& s, int units) const {
    const auto trial = make_device_panel_trial(setup_.device, whole(s[0]), whole(s[1]), units);
    return best_of(*trial);
  }

  /// What a column takes where the hosts of a process column agree on its pivot.
  RateTable pivots() const {
    const mpi::Communicator& column = grid_.column();
    if (column.size() < 2) return {};
    PivotExchange exchange(column, mpi::WaitPolicy::spinning());
    exchange.resize(whole(block_sizes()[3]));
    constexpr int kColumns = 300;
    double seconds = 0;
    for (int round = 0; round < 2; ++round) {
      column.barrier();
      const Stopwatch watch;
      for (int i = 0; i < kColumns; ++i)
        exchange.exchange({1.0 + column.rank(), column.rank()}, column.rank() == 0);
      seconds = watch.seconds() / kColumns;
    }
    return {{{static_cast<double>(column.size())}}, {median_of_ranks(seconds)}};
  }

  /// Numbers of devices that factorize panels together: those of the grid's process columns, and
  /// what of 2, 4 and 8 divides the ranks of every node.
  std::vector<int> team_sizes() const {
    const int in_column = grid_.rows();
    std::vector<int> sizes;
    for (const int size : {2, 4, 8})
      if (size != in_column && world_.all_reduce(node_.size() % size, mpi::Reduce::Max) == 0)
        sizes.push_back(size);
    if (in_column > 1) sizes.push_back(in_column);
    std::ranges::sort(sizes);
    return sizes;
  }
  /// What a column takes longer where several devices agree on its pivot: panels of a team against
  /// those of a device alone, as tall and wide on each.
  RateTable device_pivots(int units) const {
    Sizes sizes, seconds;
    for (const int size : team_sizes()) {
      const mpi::Communicator team = size == grid_.rows()
                                         ? grid_.column().dup()
                                         : node_.split(node_.rank() / size, node_.rank());
      const PanelGroups groups = find_panel_groups(setup_.device, team, setup_.pivots_by_host);
      if (world_.all_reduce(groups.sizes.empty() ? 1 : 0, mpi::Reduce::Max) != 0) continue;
      double sum = 0;
      const Sizes heights{4096, 16384, 32768};
      constexpr std::int64_t kWidth = 1024;
      for (const double rows : heights) {
        const double alone = device_panel_seconds({rows, static_cast<double>(kWidth)}, units);
        const auto trial =
            make_team_panel_trial(setup_.device, team, whole(rows), kWidth, units, groups.sizes);
        // As many times on every rank of the team.
        double best = trial->seconds();
        for (int i = 1; i < 4; ++i)
          best = std::min(best, trial->seconds());
        sum += (best - alone) / kWidth;
      }
      constexpr double kLeast = 1e-8;  // rates are positive
      sizes.push_back(size);
      seconds.push_back(
          std::max(kLeast, median_of_ranks(sum / static_cast<double>(heights.size()))));
    }
    return sizes.empty() ? RateTable() : RateTable({sizes}, seconds);
  }

  void solve() {
    probe("solves for U");
    rates_.solve_gflops =
        table({gpu_ ? Sizes{256, 2048, 16384} : Sizes{16, 128, 1024, 4096}, block_sizes()},
              [&](const Sizes& s) {
                const SolveTrial trial(setup_.device, whole(s[1]), whole(s[0]), setup_.solve_rows);
                return 1e-9 * s[0] * s[1] * s[1] / trial.seconds();
              });
  }

  void copies() {
    probe("copies of rows");
    const double width = gpu_ ? 512 : 128;
    rates_.row_copy_gbytes =
        table({gpu_ ? Sizes{256, 2048, 16384} : Sizes{16, 128, 1024, 4096}}, [&](const Sizes& s) {
          return RowCopyTrial(setup_.device, whole(width), whole(s[0])).gbytes();
        });
    rates_.memory_gbytes = median_of_ranks(memory_copy_gbytes(setup_.device));
    rates_.task_seconds = median_of_ranks(small_task_seconds(setup_.device));
    rates_.plan_seconds = median_of_ranks(
        plan_seconds_per_pivot(gpu_ ? 65536 : 8192, gpu_ ? 1024 : 192, setup_.grid.rows));
    if (gpu_) host_device_copies();
  }

  void host_device_copies() {
    const CheckContext context{.device = setup_.device,
                               .host = setup_.host,
                               .world = world_,
                               .node = node_,
                               .leaders = no_leaders_,
                               .node_ranks = {},
                               .leader_ranks = {},
                               .grid = setup_.grid,
                               .rank_order = setup_.rank_order,
                               .form = CheckForm::Full};
    RankRecord record;
    record.free_bytes = setup_.memory_bytes;
    probe_host_device_copies(context, record);
    CopyRates copies;
    for (const Measurement& measurement : record.measurements)
      (measurement.metric == Metric::HostToDevice ? copies.host_to_device_gbytes
                                                  : copies.device_to_host_gbytes) =
          median_of_ranks(measurement.value);
    const auto [in, out] = both_ways();
    copies.host_to_device_both_gbytes = median_of_ranks(in);
    copies.device_to_host_both_gbytes = median_of_ranks(out);
    rates_.copies = copies;
  }
  std::pair<double, double> both_ways() const {
    constexpr std::size_t kBytes = std::size_t{128} << 20;
    constexpr int kCopies = 8;
    hpcx::Device& device = setup_.device;
    const hpcx::Buffer host_in = device.allocate_pinned(kBytes),
                       host_out = device.allocate_pinned(kBytes), in = device.allocate(kBytes),
                       out = device.allocate(kBytes);
    const hpcx::Stream to = device.create_stream(hpcx::Priority::Normal),
                       from = device.create_stream(hpcx::Priority::Normal);
    const hpcx::Event begin_in = to.ref().record(), begin_out = from.ref().record();
    for (int i = 0; i < kCopies; ++i) {
      to.ref().copy(in.as<std::byte>(), host_in.as<std::byte>(), kBytes);
      from.ref().copy(host_out.as<std::byte>(), out.as<std::byte>(), kBytes);
    }
    const hpcx::Event end_in = to.ref().record(), end_out = from.ref().record();
    end_in.synchronize();
    end_out.synchronize();
    const double gbytes = 1e-9 * kCopies * static_cast<double>(kBytes);
    return {gbytes / end_in.seconds_since(begin_in), gbytes / end_out.seconds_since(begin_out)};
  }

  void add_link(const mpi::Communicator& line, Neighbours neighbours) {
    if (line.size() < 2) return;
    const LineExchange exchange(line, setup_.device);
    const Sizes bytes =
        up_to({8, 1024, 16384, 262144, 4194304, 33554432}, static_cast<double>(exchange.longest()));
    LinkRates link{.neighbours = neighbours,
                   .place = in_one_node(line) ? LinkPlace::InNode : LinkPlace::BetweenNodes,
                   .transport = std::string(to_string(exchange.transport().kind())),
                   .seconds = {}};
    link.seconds = table({bytes}, [&](const Sizes& s) { return exchange.seconds(whole(s[0])); });
    rates_.links.push_back(std::move(link));
  }
  /// Of all such lines of the grid, so that all ranks say the same.
  bool in_one_node(const mpi::Communicator& line) const {
    const NodeMap nodes = NodeMap::of(line);
    return world_.all_reduce(nodes.nodes(), mpi::Reduce::Max) == 1;
  }
  void links() {
    probe("messages along rows and columns");
    add_link(grid_.row(), Neighbours::Row);
    add_link(grid_.column(), Neighbours::Column);
  }

  void beside() {
    probe("products beside other work");
    const double size = gpu_ ? 8192 : 2048;
    const std::int64_t width = gpu_ ? 1024 : 192, rows = gpu_ ? 32768 : 4096;
    ProductTrial trial(setup_.device, {whole(size), whole(size), width});
    const std::vector<double> rates_alone = trial.rates(gpu_ ? 4 : 0.6, 0.1);
    const double alone = gpu_ ? mean_of_later_half(rates_alone) : std::ranges::max(rates_alone);
    const double settling = gpu_ ? 1 : 0;
    SharedRates& shared = rates_.shared;

    const auto beside_panel = [&](PanelTrial& panel) {
      const double seconds = best_of(panel);
      world_.barrier();
      const KeptRates kept =
          kept_beside(trial, {seconds, alone, settling}, [&] { return panel.seconds(); });
      return PanelShares{median_of_ranks(kept.product), median_of_ranks(kept.other)};
    };
    const auto beside_panels_of_device = [&](std::optional<PanelRates>& rates, int units) {
      if (!rates) return;
      // Products of their own are a larger part of wide panels.
      const std::vector<Sizes> axes{up_to({8192, 65536}, rates->seconds.largest(0)), {1024, 2048}};
      std::vector<double> of_panels;
      const RateTable of_products = table(axes, [&](const Sizes& s) {
        const auto panel = make_device_panel_trial(setup_.device, whole(s[0]), whole(s[1]), units);
        const PanelShares shares = beside_panel(*panel);
        of_panels.push_back(shares.panel);
        return std::max(0.01, shares.product);
      });
      rates->product_beside_by_size = of_products;
      rates->beside_product_by_size = {axes, of_panels};
      const PanelShares typical =
          rates->shares(static_cast<double>(rows), static_cast<double>(width));
      rates->product_beside = typical.product;
      rates->beside_product = typical.panel;
    };
    const auto host_panel = make_host_panel_trial(setup_.host, rows, width);
    const PanelShares of_host = beside_panel(*host_panel);
    rates_.host_panel->product_beside = of_host.product;
    rates_.host_panel->beside_product = of_host.panel;
    beside_panels_of_device(rates_.device_panel, 0);
    beside_panels_of_device(rates_.narrow_panel, setup_.panel_compute_units);
    const auto timed = [](const auto& other) {
      return [&other] {
        const hpcx::Event begin = other.stream().record();
        for (int i = 0; i < 4; ++i)
          other.enqueue();
        const hpcx::Event end = other.stream().record();
        end.synchronize();
        return end.seconds_since(begin) / 4;
      };
    };
    const RowCopyTrial copy(setup_.device, width, whole(size));
    const double copy_seconds = best_seconds_of(copy.stream(), [&] { copy.enqueue(); });
    world_.barrier();
    const KeptRates of_copy = kept_beside(
        trial, {copy_seconds, alone, settling}, [&] { return 4 * timed(copy)(); }, 4);
    shared.product_beside_swap = median_of_ranks(of_copy.product);
    shared.swap_beside_product = median_of_ranks(of_copy.other);
    const SolveTrial solve(setup_.device, width, whole(size), setup_.solve_rows);
    world_.barrier();
    const KeptRates of_solve = kept_beside(
        trial, {solve.seconds(), alone, settling}, [&] { return 4 * timed(solve)(); }, 4);
    shared.product_beside_solve = median_of_ranks(of_solve.product);
    shared.solve_beside_product = median_of_ranks(of_solve.other);
    if (!gpu_) return;
    // Where a grid has one process row or column, the other's messages stand for both.
    const auto row = beside_messages(trial, grid_.row()),
               column = beside_messages(trial, grid_.column());
    if (row || column) shared.product_beside_messages = row ? *row : *column;
    shared.product_beside_exchange = column ? column : row;
  }

  /// What products keep while long messages travel along a line of the grid.
  std::optional<double> beside_messages(ProductTrial& products,
                                        const mpi::Communicator& line) const {
    if (line.size() < 2) return std::nullopt;
    constexpr double kStretch = 2, kPart = 0.5;  // messages take longer beside products
    const LineExchange exchange(line, setup_.device);
    const std::int64_t count = exchange.longest();
    // As many on all ranks.
    const double slowest = world_.all_reduce(exchange.seconds(count), mpi::Reduce::Max);
    const int times = std::max(1, static_cast<int>(kPart * kStretch / slowest));
    const double alone = mean_of_later_half(products.rates(kStretch, 0.1));
    world_.barrier();
    double busy = 0;
    const std::vector<double> rates = products.rates(0, kStretch, [&] {
      const Stopwatch watch;
      for (int i = 0; i < times; ++i)
        exchange(count);
      busy = watch.seconds();
    });
    const double share = std::clamp(busy / kStretch, 0.05, 1.0);
    const double lost = 1 - rates.front() / alone;
    return median_of_ranks(std::clamp(1 - lost / share, 0.0, 1.0));
  }

  const mpi::Communicator& world_;
  const RateSetup& setup_;
  ProcessGrid grid_;
  mpi::Communicator node_;
  std::optional<mpi::Communicator> no_leaders_;
  bool gpu_;
  Rates rates_;
};

}  // namespace

Rates measure_rates(const mpi::Communicator& world, const RateSetup& setup) {
  return RateMeasurement(world, setup).measure();
}

}  // namespace hpl
