#include "hpl/machine/check/measure_rates.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/number/statistics.h"
#include "hpl/comm/transport/transport_choice.h"
#include "hpl/lu/grid/node_tiles.h"
#include "hpl/lu/grid/process_grid.h"
#include "hpl/lu/panel/device_panel.h"
#include "hpl/lu/panel/pivot_exchange.h"
#include "hpl/lu/update/product_trial.h"
#include "hpl/machine/host/topology.h"
#include "link_timer.h"
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

  void products() {
    probe("products of the tail update");
    const Sizes sizes = up_to(gpu_ ? Sizes{512, 2048, 8192, 32768} : Sizes{16, 64, 256, 1024, 4096},
                              largest_square());
    constexpr double kStretch = 0.03;
    rates_.product_gflops = table({sizes, sizes, block_sizes()}, [&](const Sizes& s) {
      ProductTrial trial(setup_.device, {whole(s[0]), whole(s[1]), whole(s[2])});
      // A GPU settles at what its power allows.
      if (gpu_) return median(trial.rates(4 * kStretch, kStretch));
      double best = 0;
      // On the host others want the cores now and then.
      for (int round = 0; round < 4; ++round)
        best = std::max(best, trial.rates(0, kStretch).front());
      return best;
    });
    // Hot, all ranks for as long: what a run finds, and how the ranks differ.
    probe("products for several seconds");
    const double size = std::min(sizes.back(), gpu_ ? 16384.0 : 4096.0);
    const double depth = gpu_ ? 1024 : 192;
    ProductTrial trial(setup_.device, {whole(size), whole(size), whole(depth)});
    const std::vector<double> rates = trial.rates(gpu_ ? 5 : 2, 0.1);
    const double sustained = gpu_ ? mean_of_later_half(rates) : std::ranges::max(rates);
    const std::vector<double> all = world_.all_gather(sustained);
    const double middle = median(all);
    for (const double rate : all)
      rates_.rank_speeds.push_back(rate / middle);
    if (!gpu_) return;
    // The short products of the table ran before heat and power cap had their say.
    const double share = std::min(1.0, middle / rates_.product_gflops.at({size, size, depth}));
    std::vector<double> values = rates_.product_gflops.values();
    for (double& value : values)
      value *= share;
    rates_.product_gflops = {rates_.product_gflops.axes(), std::move(values)};
    power();
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

  /// All ranks of the line send to the next and receive from the one before.
  void add_link(const mpi::Communicator& line, Neighbours neighbours) {
    if (line.size() < 2) return;
    const ChosenTransport chosen = choose_transport(
        line, setup_.device,
        {.kind = std::nullopt, .least_piece_bytes = 0, .wait = mpi::WaitPolicy::spinning()});
    Transport& transport = *chosen.transport;
    const double longest = std::min(64e6, static_cast<double>(transport.piece_bytes()));
    const Sizes bytes = up_to({8, 1024, 16384, 262144, 4194304, 67108864}, longest);
    const hpcx::Buffer memory =
        setup_.device.allocate(2 * static_cast<std::size_t>(whole(bytes.back())));
    const hpcx::Stream stream = setup_.device.create_stream(hpcx::Priority::High);
    setup_.device.kernels().clear(stream, memory);
    const auto exchange = [&](std::int64_t count) {
      const int next = (line.rank() + 1) % line.size();
      const int before = (line.rank() + line.size() - 1) % line.size();
      const mpi::Schedule schedule{
          {.messages = {{next, 0, count, mpi::Message::Direction::Send},
                        {before, count, count, mpi::Message::Direction::Receive}}}};
      const auto transfer = transport.begin(
          stream, schedule, {memory.as<std::byte>(), 2 * static_cast<std::size_t>(count)});
      while (!transfer->progress()) {
      }
      stream.ref().synchronize();
    };
    LinkRates link{.neighbours = neighbours,
                   .place = in_one_node(line) ? LinkPlace::InNode : LinkPlace::BetweenNodes,
                   .transport = std::string(to_string(transport.kind())),
                   .seconds = {}};
    link.seconds = table({bytes}, [&](const Sizes& s) {
      const std::int64_t count = whole(s[0]);
      const double best = best_exchange_seconds(
          {.rounds = 3, .in_a_round = s[0] < 1e6 ? 100 : 10}, [&] { exchange(count); },
          [&] { line.barrier(); });
      return line.all_reduce(best, mpi::Reduce::Max);
    });
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
    const std::vector<double> rates_alone = trial.rates(gpu_ ? 1.5 : 0.6, 0.1);
    const double alone = gpu_ ? mean_of_later_half(rates_alone) : std::ranges::max(rates_alone);
    SharedRates& shared = rates_.shared;

    const auto beside_panel = [&](std::optional<PanelRates>& rates,
                                  std::unique_ptr<PanelTrial> panel) {
      if (!rates || !panel) return;
      const double seconds = best_of(*panel);
      world_.barrier();
      const KeptRates kept = kept_beside(trial, seconds, alone, [&] { return panel->seconds(); });
      rates->product_beside = median_of_ranks(kept.product);
      rates->beside_product = median_of_ranks(kept.other);
    };
    beside_panel(rates_.host_panel, make_host_panel_trial(setup_.host, rows, width));
    if (rates_.device_panel)
      beside_panel(rates_.device_panel, make_device_panel_trial(setup_.device, rows, width, 0));
    if (rates_.narrow_panel)
      beside_panel(rates_.narrow_panel,
                   make_device_panel_trial(setup_.device, rows, width, setup_.panel_compute_units));
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
        trial, copy_seconds, alone, [&] { return 4 * timed(copy)(); }, 4);
    shared.product_beside_swap = median_of_ranks(of_copy.product);
    shared.swap_beside_product = median_of_ranks(of_copy.other);
    const SolveTrial solve(setup_.device, width, whole(size), setup_.solve_rows);
    world_.barrier();
    const KeptRates of_solve = kept_beside(
        trial, solve.seconds(), alone, [&] { return 4 * timed(solve)(); }, 4);
    shared.product_beside_solve = median_of_ranks(of_solve.product);
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
