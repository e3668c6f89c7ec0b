#include "cost_model.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/lu/broadcast/broadcast.h"
#include "hpl/lu/swap/row_exchange_plan.h"
#include "hpl/machine/model/machine_sheet.h"

namespace hpl {

CostModel::CostModel(const Configuration& configuration, const Rates& rates)
    : configuration_(configuration), rates_(rates) {
  const RunSpec& spec = configuration.spec;
  const auto& panel = configuration.device_panel ? rates.device_panel : rates.host_panel;
  if (!panel)
    throw ConfigError(fmt::format("the rates of {} hold none of the panel on the {}", rates.machine,
                                  configuration.device_panel ? "device" : "host"));
  panel_ = &*panel;
  if (configuration.device_panel && rates.narrow_panel) narrow_panel_ = &*rates.narrow_panel;
  if (in_host_memory(configuration) && !rates.copies)
    throw ConfigError(fmt::format(
        "a matrix in host memory needs the rates of copies between host and device, and those of "
        "{} hold none",
        rates.machine));
  copies_panel_ = !configuration.device_panel && rates.copies.has_value();
  const GridShape tile = configuration.tile;
  const auto require_link = [&](bool needed, Neighbours neighbours, LinkPlace place) {
    if (needed && rates.link(neighbours, place) == nullptr)
      throw ConfigError(fmt::format(
          "a {} x {} grid with {} x {} ranks on a node needs the rate of a link {}, and the rates "
          "of {} hold none",
          spec.grid_rows, spec.grid_columns, tile.rows, tile.columns,
          place == LinkPlace::InNode ? "inside a node" : "between nodes", rates.machine));
  };
  require_link(std::min(spec.grid_columns, tile.columns) > 1, Neighbours::Row, LinkPlace::InNode);
  require_link(spec.grid_columns > tile.columns, Neighbours::Row, LinkPlace::BetweenNodes);
  require_link(std::min(spec.grid_rows, tile.rows) > 1, Neighbours::Column, LinkPlace::InNode);
  require_link(spec.grid_rows > tile.rows, Neighbours::Column, LinkPlace::BetweenNodes);
  const int ranks = spec.grid_rows * spec.grid_columns;
  slowest_ = 1 - slowest_of(ranks, rates.chip_deviation);
  for (int rank = 0; rank < std::min(ranks, static_cast<int>(rates.rank_speeds.size())); ++rank)
    slowest_ = std::min(slowest_, rates.rank_speeds[static_cast<std::size_t>(rank)]);
}

double CostModel::speed(int rank) const {
  const auto index = static_cast<std::size_t>(rank);
  if (index < rates_.rank_speeds.size()) return rates_.rank_speeds[index];
  return rates_.rank_speeds.empty() ? slowest_ : 1;
}

double CostModel::fetch(double rows, double width) const {
  // Read and written once.
  return 16 * rows * width / (1e9 * rates_.memory_gbytes);
}

const PanelRates& CostModel::panel(double columns_beside) const {
  const bool narrow = narrow_panel_ != nullptr && columns_beside > 0 &&
                      columns_beside >= rates_.narrow_panel_columns;
  return narrow ? *narrow_panel_ : *panel_;
}

double CostModel::factorize(double rows, double width, double columns_beside) const {
  const RateTable& table = panel(columns_beside).seconds;
  const double beyond = std::max(1.0, rows / table.largest(0));
  const double narrower = std::min(1.0, width / table.smallest(1));
  double seconds = beyond * narrower * table.at({rows, width});
  const int processes = configuration_.spec.grid_rows;
  if (processes > 1) {
    double column = 0;
    if (!panel_->pivot_seconds.empty()) {
      column = panel_->pivot_seconds.at({static_cast<double>(processes)});
    } else {
      column = std::ceil(std::log2(processes)) * column_message(8 * width);
    }
    seconds += width * column;
  }
  if (copies_panel_)
    seconds +=
        8e-9 * rows * width *
        (1 / rates_.copies->device_to_host_gbytes + 1 / rates_.copies->host_to_device_gbytes);
  return seconds;
}

double CostModel::panel_bytes(double rows, double width) const {
  return 8 * width * (width + rows + 1);
}

const LinkRates* CostModel::link_between(Neighbours neighbours, int from, int to,
                                         int in_node) const {
  return rates_.link(neighbours,
                     from / in_node == to / in_node ? LinkPlace::InNode : LinkPlace::BetweenNodes);
}

double CostModel::row_message(int from, int to, double bytes) const {
  return link_between(Neighbours::Row, from, to, configuration_.tile.columns)->seconds_for(bytes);
}

double CostModel::column_message(double bytes) const {
  const int rows = configuration_.spec.grid_rows;
  // In a ring the slowest hop counts.
  return link_between(Neighbours::Column, 0, rows - 1, configuration_.tile.rows)
      ->seconds_for(bytes);
}

double CostModel::prepare(double rows, double width) const {
  static_cast<void>(rows);
  const double inverse = width * width * width / 3 / (1e9 * rates_.solve_gflops.at({width, width}));
  const double copies = 4 * 8 * width * width / (1e9 * rates_.memory_gbytes);
  return rates_.plan_seconds * width + inverse + copies;
}

bool CostModel::divided(double columns) const {
  const RunSpec& spec = configuration_.spec;
  return spec.grid_rows > 1 && solve_site(resolve_swap(spec.swap, spec.swap_threshold,
                                                       static_cast<std::int64_t>(columns)),
                                          spec.equilibrate) == SolveSite::Divided;
}

double CostModel::swap(double width, double columns) const {
  const double volume = 8 * width * columns;  // of U, and of the rows that give way
  const double copy_rate = 1e9 * rates_.row_copy_gbytes.at({columns});
  const int processes = configuration_.spec.grid_rows;
  if (processes == 1) return 2 * volume / copy_rate;
  const double p = processes;
  const double others = (p - 1) / p;
  // On the owner row: its part of U, and all rows that give way.
  double seconds = (1 + 3 / p) * volume / copy_rate;
  if (divided(columns)) {
    seconds += (p - 1) * column_message(others * (1 + 1 / p) * volume / (p - 1));
  } else if (resolve_swap(configuration_.spec.swap, configuration_.spec.swap_threshold,
                          static_cast<std::int64_t>(columns)) == SwapVariant::BinaryExchange) {
    seconds += std::ceil(std::log2(p)) * column_message(volume);
  } else {
    seconds += 2 * (p - 1) * column_message(volume / p);
  }
  return seconds;
}

double CostModel::solve(double width, double columns) const {
  const double own = divided(columns) ? columns / configuration_.spec.grid_rows : columns;
  return width * width * own / (1e9 * rates_.solve_gflops.at({own, width}));
}

double CostModel::all_gather(double width, double columns) const {
  if (!divided(columns)) return 0;
  const double p = configuration_.spec.grid_rows;
  const double volume = 8 * width * columns;
  return (p - 1) * column_message(volume / p) +
         volume / (1e9 * rates_.row_copy_gbytes.at({columns}));
}

double CostModel::update(double rows, double columns, double width) const {
  return rates_.product_seconds(rows, columns, width);
}

double CostModel::load(double rows, double columns) const {
  return 8 * rows * columns / (1e9 * rates_.copies->host_to_device_both_gbytes);
}

double CostModel::store(double rows, double columns) const {
  return 8 * rows * columns / (1e9 * rates_.copies->device_to_host_both_gbytes);
}

double CostModel::back_substitution() const {
  const RunSpec& spec = configuration_.spec;
  const double p = spec.grid_rows, q = spec.grid_columns;
  const auto n = static_cast<double>(spec.order);
  const double steps = n / static_cast<double>(spec.block_size);
  // U is read once; each block of x goes round its row and its column.
  double latency = 0;
  if (spec.grid_columns > 1) latency += row_message(0, spec.grid_columns - 1, 8 * n / steps);
  if (spec.grid_rows > 1) latency += column_message(8 * n / steps);
  return 4 * n * n / (p * q) / (1e9 * rates_.memory_gbytes) + steps * (latency + 3 * task());
}

namespace {

/// The ways on which a panel leaves its root: process columns by their distance from it, in the
/// order in which they pass it on.
std::vector<std::vector<int>> ways(BroadcastVariant variant, int size) {
  const auto range = [](int first, int last) {
    std::vector<int> distances;
    for (int d = first; d <= last; ++d)
      distances.push_back(d);
    return distances;
  };
  switch (variant) {
    case BroadcastVariant::Ring1:
      return {range(1, size - 1)};
    case BroadcastVariant::Ring1M:
      return {range(1, 1), range(2, size - 1)};
    case BroadcastVariant::Ring2:
      return {range(1, (size + 1) / 2 - 1), range((size + 1) / 2, size - 1)};
    case BroadcastVariant::Ring2M:
      return {range(1, 1), range(2, size / 2), range(size / 2 + 1, size - 1)};
    case BroadcastVariant::Long:
      return {};
    case BroadcastVariant::LongM:
      return {range(1, 1)};
  }
  return {};
}

/// NCCL's own broadcast is a ring in pieces.
BroadcastVariant variant_of(const CostModel& costs) {
  const LinkRates* link = costs.rates().link(Neighbours::Row, LinkPlace::InNode);
  const bool native = link != nullptr && link->transport == "nccl";
  return native ? BroadcastVariant::Ring1 : costs.configuration().spec.broadcast;
}

}  // namespace

double BroadcastTimes::all_have_it() const {
  return arrival.empty() ? 0 : *std::ranges::max_element(arrival);
}

BroadcastTimes broadcast_times(const CostModel& costs, double bytes) {
  const int columns = costs.configuration().spec.grid_columns;
  if (columns == 1) return {};
  const std::vector<double> begin(static_cast<std::size_t>(columns), 0.0);
  BroadcastTimes times{.arrival = broadcast_arrivals(costs, 0, bytes, begin),
                       .interval = costs.row_message(0, 1, bytes)};
  const int in_node = costs.configuration().tile.columns;
  if (in_node < columns) {
    // From the last process of a node all others are on other nodes; from one that is d before it,
    // those that are further than d.
    const int last = in_node - 1;
    const std::vector<double> out = broadcast_arrivals(costs, last, bytes, begin);
    for (int distance = 1; distance < columns; ++distance) {
      const double leaves = std::min(1.0, static_cast<double>(distance) / in_node);
      double& arrival = times.arrival[static_cast<std::size_t>(distance)];
      arrival += leaves * (out[static_cast<std::size_t>((last + distance) % columns)] - arrival);
    }
    times.interval = std::max(times.interval, costs.row_message(last, in_node, bytes));
  }
  const BroadcastVariant variant = variant_of(costs);
  if (variant == BroadcastVariant::Long || variant == BroadcastVariant::LongM)
    times.interval = times.all_have_it();
  return times;
}

std::vector<double> broadcast_arrivals(const CostModel& costs, int root, double bytes,
                                       std::span<const double> begin) {
  const int size = static_cast<int>(begin.size());
  std::vector<double> arrival(begin.begin(), begin.end());
  if (size == 1) return arrival;
  const auto column = [&](int distance) { return (root + distance) % size; };
  const auto at = [](int place) { return static_cast<std::size_t>(place); };
  const double start = begin[at(root)];
  std::vector<bool> reached(at(size), false);
  reached[0] = true;
  const BroadcastVariant variant = variant_of(costs);
  double root_free = start;
  for (const std::vector<int>& way : ways(variant, size)) {
    if (way.empty() || way.front() >= size) continue;
    double first_piece = root_free, whole = root_free;  // at the process before
    int from = root;
    for (const int distance : way) {
      const int to = column(distance);
      const double piece =
          costs.row_message(from, to, std::min(bytes, static_cast<double>(kDefaultSegmentBytes)));
      const double all = costs.row_message(from, to, bytes);
      const double begins = std::max(first_piece, begin[at(to)]);
      if (from == root) root_free = begins + all;
      first_piece = begins + piece;
      whole = std::max(begins + all, whole + piece);
      arrival[at(to)] = whole;
      reached[at(distance)] = true;
      from = to;
    }
  }
  // Long: everybody has to be there; spread by a tree, then around the ring.
  double together = root_free;
  int others = 1;
  for (int distance = 1; distance < size; ++distance) {
    if (reached[at(distance)]) continue;
    together = std::max(together, begin[at(column(distance))]);
    ++others;
  }
  if (others > 1) {
    const double piece = bytes / others;
    const double hops = std::ceil(std::log2(others));
    const int last = column(size - 1);
    const double spread = costs.row_message(root, last, bytes - piece) +
                          (hops - 1) * costs.row_message(root, last, 8);
    const double roll = (others - 1) * costs.row_message(root, last, piece);
    for (int distance = 1; distance < size; ++distance)
      if (!reached[at(distance)]) arrival[at(column(distance))] = together + spread + roll;
  }
  return arrival;
}

}  // namespace hpl
