#include "measure_rates.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "beside_rates.h"
#include "hpl/base/number/statistics.h"
#include "hpl/base/number/stopwatch.h"
#include "hpl/check/probes/line_exchange.h"
#include "hpl/check/probes/probe.h"
#include "hpl/job/live/disturbed.h"
#include "hpl/lu/grid/node_tiles.h"
#include "hpl/lu/grid/process_grid.h"
#include "hpl/lu/panel/device_panel.h"
#include "hpl/lu/panel/pivot_exchange.h"
#include "hpl/lu/update/product_trial.h"
#include "hpl/machine/host/topology.h"
#include "message_shares.h"
#include "mixed_rates.h"
#include "product_rates.h"
#include "rate_probes.h"
#include "rate_tables.h"

namespace hpl {

namespace {

class RateMeasurement {
 public:
  RateMeasurement(const mpi::Communicator& world, const RateSetup& setup)
      : world_(world),
        setup_(setup),
        tables_(world, setup.on_probe),
        grid_(world, setup.grid.rows, setup.grid.columns, setup.rank_order),
        node_(world.split_shared()),
        gpu_(!setup.device.shares_host_memory()) {}

  Rates measure() {
    describe();
    make("products", [&] { measure_product_rates(tables_, setup_, rates_); });
    if (setup_.mixed) {
      make("HPL-MxP", [&] { measure_mixed_rates(tables_, setup_, rates_); });
    } else {
      make("panels", [&] { panels(); });
      make("solves", [&] { solve(); });
      make("copies", [&] { copies(); });
    }
    rates_.task_seconds = tables_.median_of_ranks(small_task_seconds(setup_.device));
    make("messages", [&] { links(); });
    make("work beside products", [&] { measure_beside_products(tables_, setup_, grid_, rates_); });
    return rates_;
  }

 private:
  /// A part of the rates, undisturbed if possible.
  void make(const char* part, const std::function<void()>& measure) {
    const Rates before = rates_;
    const auto anew = [&] {
      rates_ = before;
      measure();
    };
    for (const std::string& reason : measure_beside_others(world_, world_, !gpu_, anew))
      rates_.disturbances.push_back(fmt::format("{}: {}", part, reason));
  }

  void describe() {
    const NodeMap nodes = NodeMap::of(world_);
    rates_.origin = "measured";
    rates_.kind = gpu_ ? ProcessorKind::Gpu : ProcessorKind::Cpu;
    rates_.machine = gpu_ ? setup_.device.properties().name : cpu_model();
    rates_.ranks = world_.size();
    rates_.ranks_per_node = nodes.ranks_per_node().value_or(nodes.ranks_on(0));
    if (gpu_) rates_.multiprocessors = setup_.device.properties().compute_units;
    rates_.threads = setup_.host.properties().compute_units;
    rates_.memory_bytes =
        static_cast<double>(world_.all_reduce(setup_.memory_bytes, mpi::Reduce::Min));
  }

  Sizes device_panel_widths() const { return {128, 256, 512, 1024, 2048, 4096}; }

  void panels() {
    tables_.begin("panels of the host");
    // Two of the widest take an eighth of the memory.
    const auto tallest = [&](const Sizes& widths) {
      return *rates_.memory_bytes / 8 / 8 / 2 / widths.back();
    };
    const Sizes widths = gpu_ ? Sizes{256, 512, 1024} : block_sizes(rates_.kind);
    const Sizes heights =
        gpu_ ? Sizes{1024, 2048, 4096, 8192, 16384, 32768, 65536} : Sizes{256, 1024, 4096, 16384};
    // If GPUs make the products, the hosts of one process column make a panel and the others have
    // nothing to do.
    const bool works = !gpu_ || grid_.position().column == 0;
    const auto seconds = [&](const Sizes& s) {
      return works ? typical_seconds(
                         *make_host_panel_trial(setup_.device, setup_.host,
                                                {.order = whole(s[0]), .block_size = whole(s[1])}))
                   : kNotMeasured;
    };
    rates_.host_panel =
        PanelRates{tables_.table({up_to(heights, tallest(widths)), widths}, seconds), pivots()};
    if (!gpu_ || !make_device_panel_trial(setup_.device, 4096, 128, 0)) return;
    tables_.begin("panels of the device");
    // A thread that has twice as many rows from one number of rows to the next takes longer at
    // once.
    const Sizes rows{2048, 8192, 8448, 16384, 16640, 32768, 33024, 65536, 66048, 131072};
    const Sizes device_widths = device_panel_widths();
    const std::vector<Sizes> axes{up_to(rows, tallest(device_widths)), device_widths};
    ProductTrial before(setup_.device, {8192, 8192, 1024}, {.values = ProductValues::Factors});
    const auto panel = [&](int units) {
      return [&, units](const Sizes& s) { return seconds_after_products(before, s, units); };
    };
    rates_.device_panel = PanelRates{tables_.table(axes, panel(0)), device_pivots(0)};
    const int units = setup_.panel_compute_units;
    if (units == 0) return;
    rates_.narrow_panel = PanelRates{tables_.table(axes, panel(units)), device_pivots(units)};
    rates_.narrow_panel_columns = static_cast<double>(setup_.narrow_panel_columns);
  }
  /// At the clock that products leave the device.
  double seconds_after_products(ProductTrial& products, const Sizes& s, int units) const {
    const auto trial = make_device_panel_trial(setup_.device, whole(s[0]), whole(s[1]), units);
    trial->seconds();  // libraries load what they need
    std::vector<double> times;
    const int count = s[1] > 256 ? 3 : 1;  // few runs have narrower ones
    for (int i = 0; i < count; ++i) {
      products.rates(0, 0.03);
      times.push_back(trial->seconds());
    }
    return median(times);
  }

  /// The time of a column if the hosts of a process column agree on its pivot.
  RateTable pivots() const {
    const mpi::Communicator& column = grid_.column();
    if (column.size() < 2) return {};
    PivotExchange exchange(column, mpi::WaitPolicy::spinning());
    exchange.resize(whole(block_sizes(rates_.kind)[3]));
    constexpr int kColumns = 300;
    double seconds = 0;
    for (int round = 0; round < 2; ++round) {
      column.barrier();
      const Stopwatch watch;
      for (int i = 0; i < kColumns; ++i)
        exchange.exchange({1.0 + column.rank(), column.rank()}, column.rank() == 0);
      seconds = watch.seconds() / kColumns;
    }
    return {{{static_cast<double>(column.size())}}, {tables_.median_of_ranks(seconds)}};
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
  /// The additional time of a column if several devices agree on its pivot: panels of a team
  /// against those of a device alone, as tall and wide on each.
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
        const double alone =
            typical_seconds(*make_device_panel_trial(setup_.device, whole(rows), kWidth, units));
        const double together = typical_seconds(*make_team_panel_trial(
            setup_.device, team, {whole(rows), kWidth, units, groups.sizes}));
        sum += (together - alone) / kWidth;
      }
      constexpr double kLeast = 1e-8;  // rates are positive
      sizes.push_back(size);
      seconds.push_back(
          std::max(kLeast, tables_.median_of_ranks(sum / static_cast<double>(heights.size()))));
    }
    return sizes.empty() ? RateTable() : RateTable({sizes}, seconds);
  }

  void solve() {
    tables_.begin("solves for U");
    rates_.solve_gflops = tables_.table(
        {gpu_ ? Sizes{256, 2048, 16384} : Sizes{16, 128, 1024, 4096}, block_sizes(rates_.kind)},
        [&](const Sizes& s) {
          SolveTrial trial(setup_.device, whole(s[1]), whole(s[0]), setup_.solve_rows);
          return 1e-9 * s[0] * s[1] * s[1] / trial.seconds();
        });
    if (setup_.solve_rows == 0) return;  // no inverse is made
    rates_.inverse_seconds =
        tables_.table({gpu_ ? device_panel_widths() : block_sizes(rates_.kind)},
                      [&](const Sizes& s) { return inverse_seconds(setup_.device, whole(s[0])); });
  }

  void copies() {
    tables_.begin("copies of rows");
    const double width = gpu_ ? 512 : 128;
    rates_.row_copy_gbytes = tables_.table(
        {gpu_ ? Sizes{256, 2048, 16384} : Sizes{16, 128, 1024, 4096}}, [&](const Sizes& s) {
          return RowCopyTrial(setup_.device, whole(width), whole(s[0]), setup_.memory_bytes)
              .gbytes();
        });
    rates_.memory_gbytes = tables_.median_of_ranks(memory_copy_gbytes(setup_.device));
    rates_.plan_seconds = tables_.median_of_ranks(
        plan_seconds_per_pivot(gpu_ ? 65536 : 8192, gpu_ ? 1024 : 192, setup_.grid.rows));
    if (gpu_) host_device_copies();
  }

  void host_device_copies() {
    const CheckContext context{.device = setup_.device,
                               .host = setup_.host,
                               .world = world_,
                               .node = node_,
                               .leaders = no_leaders_,
                               .form = CheckForm::Full};
    RankRecord record;
    record.free_bytes = setup_.memory_bytes;
    probe_host_device_copies(context, record);
    CopyRates copies;
    for (const Measurement& measurement : record.measurements)
      (measurement.metric == Figure::HostToDevice ? copies.host_to_device_gbytes
                                                  : copies.device_to_host_gbytes) =
          tables_.median_of_ranks(measurement.value);
    const auto [in, out] = both_ways();
    copies.host_to_device_both_gbytes = tables_.median_of_ranks(in);
    copies.device_to_host_both_gbytes = tables_.median_of_ranks(out);
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

  /// Null if the line has one rank.
  std::unique_ptr<LineExchange> add_link(const mpi::Communicator& line, Neighbours neighbours) {
    if (line.size() < 2) return nullptr;
    const bool is_row = neighbours == Neighbours::Row;
    auto owned = std::make_unique<LineExchange>(line, setup_.device, std::nullopt,
                                                MessageWays{.own_broadcast = is_row});
    const LineExchange& exchange = *owned;
    const Sizes bytes =
        up_to({8, 1024, 16384, 262144, 4194304, 33554432}, static_cast<double>(exchange.longest()));
    LinkRates link{.neighbours = neighbours,
                   .place = in_one_node(line) ? LinkPlace::InNode : LinkPlace::BetweenNodes,
                   .transport = std::string(to_string(exchange.transport().kind())),
                   .seconds = {}};
    const auto one_way = tables_.table(
        {bytes}, [&](const Sizes& s) { return exchange.seconds_one_way(whole(s[0])); });
    // Panels go one way along a row; rows of U are exchanged along a column.
    link.seconds = is_row ? one_way : tables_.table({bytes}, [&](const Sizes& s) {
      return exchange.seconds(whole(s[0]));
    });
    if (!is_row) link.seconds_alone = one_way;
    rates_.links.push_back(std::move(link));
    return owned;
  }
  /// Of all such lines of the grid, so that all ranks say the same.
  bool in_one_node(const mpi::Communicator& line) const {
    const NodeMap nodes = NodeMap::of(line);
    return world_.all_reduce(nodes.nodes(), mpi::Reduce::Max) == 1;
  }
  void links() {
    tables_.begin("messages along rows and columns");
    const auto row = add_link(grid_.row(), Neighbours::Row);
    const auto column = add_link(grid_.column(), Neighbours::Column);
    if (row && column) measure_message_shares(tables_, *row, *column, rates_.shared);
  }

  const mpi::Communicator& world_;
  const RateSetup& setup_;
  RateTables tables_;
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
