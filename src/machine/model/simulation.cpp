#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cost_model.h"
#include "hpl/lu/broadcast/broadcast.h"
#include "process_column.h"

namespace hpl {

namespace {

/// A panel on its way along a process row.
struct SentPanel {
  int root = 0;  ///< process column that has it
  double bytes = 0;
  /// Seconds at which each process column is ready for the panel. The root begins to send then.
  std::span<const double> begin;
};

/// Panels along a process row, by the variant of the run: link by link.
class PanelArrivals {
 public:
  explicit PanelArrivals(const CostModel& costs);

  /// When a panel has arrived, by process column. Returns when the root has sent all of it.
  double of(const SentPanel& panel, std::span<double> arrival) const;

 private:
  bool in_node(int from, int to) const { return from / tile_columns_ == to / tile_columns_; }
  /// Spread by a tree, then around the ring; for the processes from this distance on. Returns
  /// when they have the panel.
  double long_arrivals(const SentPanel& panel, int first_distance, double root_free,
                       std::span<double> arrival) const;

  const CostModel& costs_;
  int size_, tile_columns_;
  /// Distances of process columns from the root, in the order in which they pass a panel on.
  std::vector<std::vector<int>> ways_;
  int first_without_way_;
};

std::vector<int> range(int first, int last) {
  std::vector<int> distances;
  for (int distance = first; distance <= last; ++distance)
    distances.push_back(distance);
  return distances;
}

std::vector<std::vector<int>> ways(BroadcastVariant variant, int size) {
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

/// NCCL's own broadcast is a ring in pieces; copies out of mapped memory are taken for one.
BroadcastVariant variant_of(const CostModel& costs) {
  const auto native = [&](LinkPlace place) {
    const LinkRates* link = costs.rates().link(Neighbours::Row, place);
    return link != nullptr && (link->transport == "nccl" || link->transport == "peer");
  };
  return native(LinkPlace::InNode) || native(LinkPlace::BetweenNodes)
             ? BroadcastVariant::Ring1
             : costs.decided().spec.broadcast;
}

/// A hop: when the first piece is there, and when all is.
struct HopSeconds {
  double piece = 0, whole = 0;
};

PanelArrivals::PanelArrivals(const CostModel& costs)
    : costs_(costs),
      size_(costs.decided().spec.grid_columns),
      tile_columns_(costs.decided().settings.tile.columns),
      ways_(ways(variant_of(costs), size_)),
      first_without_way_(1) {
  for (std::vector<int>& way : ways_) {
    std::erase_if(way, [this](int distance) { return distance >= size_; });
    for (const int distance : way)
      first_without_way_ = std::max(first_without_way_, distance + 1);
  }
  std::erase_if(ways_, [](const std::vector<int>& way) { return way.empty(); });
}

double PanelArrivals::of(const SentPanel& panel, std::span<double> arrival) const {
  const auto& [root, bytes, begin] = panel;
  std::copy(begin.begin(), begin.end(), arrival.begin());
  if (size_ == 1) return arrival.front();
  const auto at = [](int place) { return static_cast<std::size_t>(place); };
  const double first_bytes = std::min(bytes, static_cast<double>(kDefaultSegmentBytes));
  HopSeconds inside, between;
  if (std::min(tile_columns_, size_) > 1)
    inside = {costs_.row_message(LinkPlace::InNode, first_bytes),
              costs_.row_message(LinkPlace::InNode, bytes)};
  if (tile_columns_ < size_)
    between = {costs_.row_message(LinkPlace::BetweenNodes, first_bytes),
               costs_.row_message(LinkPlace::BetweenNodes, bytes)};
  double root_free = begin[at(root)];
  for (const std::vector<int>& way : ways_) {
    double first_piece = root_free, whole = root_free;  // at the process before
    int from = root;
    for (const int distance : way) {
      const int to = root + distance < size_ ? root + distance : root + distance - size_;
      const HopSeconds& hop = in_node(from, to) ? inside : between;
      const double begins = std::max(first_piece, begin[at(to)]);
      if (from == root) root_free = begins + hop.whole;
      first_piece = begins + hop.piece;
      whole = std::max(begins + hop.whole, whole + hop.piece);
      arrival[at(to)] = whole;
      from = to;
    }
  }
  if (first_without_way_ == size_) return root_free;
  return long_arrivals(panel, first_without_way_, root_free, arrival);
}

double PanelArrivals::long_arrivals(const SentPanel& panel, int first_distance, double root_free,
                                    std::span<double> arrival) const {
  const auto at = [&](int distance) {
    return static_cast<std::size_t>((panel.root + distance) % size_);
  };
  // Everybody has to be there.
  double together = root_free;
  for (int distance = first_distance; distance < size_; ++distance)
    together = std::max(together, panel.begin[at(distance)]);
  const int others = size_ - first_distance + 1;
  const double piece = panel.bytes / others;
  const int last = (panel.root + size_ - 1) % size_;
  const LinkPlace place = in_node(panel.root, last) ? LinkPlace::InNode : LinkPlace::BetweenNodes;
  const double spread = costs_.row_message(place, panel.bytes - piece) +
                        (std::ceil(std::log2(others)) - 1) * costs_.row_message(place, 8);
  const double roll = (others - 1) * costs_.row_message(place, piece);
  const double end = together + spread + roll;
  for (int distance = first_distance; distance < size_; ++distance)
    arrival[at(distance)] = end;
  return end;
}

/// The ranks that a simulation plays: these rows of these process columns.
struct PlayedRanks {
  std::vector<int> rows, columns;
  /// By process column: the position in `columns` of the one that stands for it.
  std::vector<std::size_t> stand_in;
  std::optional<double> speed = {};  ///< see PlayedColumn
};

PlayedRanks all_ranks(const RunSpec& spec) {
  PlayedRanks ranks;
  for (int row = 0; row < spec.grid_rows; ++row)
    ranks.rows.push_back(row);
  for (int column = 0; column < spec.grid_columns; ++column) {
    ranks.stand_in.push_back(ranks.columns.size());
    ranks.columns.push_back(column);
  }
  return ranks;
}

/// Those that decide how long a run takes: the row that has most blocks at every step, the columns
/// that make panels, and of the others the first and last with as many blocks. All ranks are as
/// fast as the slowest, for which they wait.
PlayedRanks deciding_ranks(const CostModel& costs) {
  const RunSpec& spec = costs.decided().spec;
  const LocalShape shape = local_shape(spec, {0, 0});
  // The last block may be a small part of one, and b alone.
  const GlobalIndex<Axis::Row> row{std::max<std::int64_t>(spec.order / spec.block_size - 1, 0) *
                                   spec.block_size};
  const GlobalIndex<Axis::Column> column{row.value};
  std::vector<bool> played(index(spec.grid_columns), !spec.column_weights.empty());
  for (std::int64_t k = 0; k < steps_to_make(shape, costs.decided().settings.stages.schedule); ++k)
    played[index(shape.columns.owner({k * spec.block_size}))] = true;
  const auto most = index(shape.columns.owner(column));
  played.front() = played.back() = played[most] = true;
  played[std::min(most + 1, played.size() - 1)] = true;
  PlayedRanks ranks{.rows = {shape.rows.owner(row)}, .speed = costs.slowest()};
  for (std::size_t q = 0; q < played.size(); ++q) {
    if (played[q]) ranks.columns.push_back(static_cast<int>(q));
    ranks.stand_in.push_back(ranks.columns.size() - 1);
  }
  return ranks;
}

/// Every process column plays its schedule until it needs the next panel. When all have, the panel
/// travels along each process row, and they go on. No column can need a later panel before: each
/// begins every broadcast, and does so in the order of steps.
class Simulation {
 public:
  Simulation(const CostModel& costs, PlayedRanks ranks, bool traced)
      : costs_(costs), spec_(costs.decided().spec), ranks_(std::move(ranks)) {
    const LocalShape shape = local_shape(spec_, {0, 0});
    steps_ = steps_to_make(shape, costs.decided().settings.stages.schedule);
    if (steps_ == step_count(shape)) solution_ = costs.solution();
    columns_.reserve(ranks_.columns.size());
    for (const int column : ranks_.columns)
      columns_.emplace_back(costs, PlayedColumn{column, ranks_.rows, ranks_.speed}, traced);
    play();
  }

  Prediction prediction();
  Timelines timelines();

 private:
  void play();

  const CostModel& costs_;
  const RunSpec& spec_;
  PlayedRanks ranks_;
  std::int64_t steps_ = 0;
  double solution_ = 0, end_ = 0;
  std::vector<ProcessColumn> columns_;  // by position in ranks_.columns
};

void Simulation::play() {
  const std::size_t rows = ranks_.rows.size();
  std::vector<std::vector<double>> begin(columns_.size());
  std::vector<std::vector<double>> arrival(columns_.size(), std::vector<double>(rows));
  const PanelArrivals arrivals(costs_);
  std::vector<double> along(ranks_.stand_in.size()), times(along.size());
  for (std::int64_t step = 0; step < steps_; ++step) {
    PanelTimes panel;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      columns_[i].run_to_broadcast(step, begin[i], panel);
    const int root = columns_.front().geometry(0, step).owner_column;
    for (std::size_t row = 0; row < rows; ++row) {
      const StepGeometry g = columns_.front().geometry(row, step);
      for (std::size_t column = 0; column < along.size(); ++column)
        along[column] = begin[ranks_.stand_in[column]][row];
      const double bytes =
          costs_.panel_bytes(static_cast<double>(g.below_rows), static_cast<double>(g.width));
      panel.sent.push_back(arrivals.of({root, bytes, along}, times));
      for (std::size_t i = 0; i < columns_.size(); ++i)
        arrival[i][row] = times[index(ranks_.columns[i])];
    }
    for (std::size_t i = 0; i < columns_.size(); ++i)
      columns_[i].arrived(step, arrival[i], panel, ranks_.columns[i] == root);
  }
  for (ProcessColumn& column : columns_) {
    column.run_to_end();
    end_ = std::max(end_, column.end());
  }
}

Prediction Simulation::prediction() {
  Prediction prediction;
  for (ProcessColumn& column : columns_)
    for (RankClock& clock : column.rows())
      clock.finish(end_);
  const double ranks = static_cast<double>(ranks_.rows.size() * ranks_.stand_in.size());
  for (const std::size_t i : ranks_.stand_in)
    for (const RankClock& clock : columns_[i].rows()) {
      for (std::size_t phase = 0; phase < kPhaseCount; ++phase) {
        prediction.busy.seconds[phase] += clock.busy().seconds[phase] / ranks;
        prediction.exposed.seconds[phase] += clock.exposed().seconds[phase] / ranks;
      }
      prediction.waiting_seconds += clock.waiting() / ranks;
    }
  prediction.busy[costs_.solution_phase()] = solution_;
  prediction.exposed[costs_.solution_phase()] = solution_;
  prediction.exposed[Phase::Multiply] = prediction.busy[Phase::Multiply];
  prediction.seconds = end_ + solution_;
  const bool all_play = std::ssize(ranks_.rows) == spec_.grid_rows &&
                        std::ssize(ranks_.columns) == spec_.grid_columns;
  if (!all_play) return prediction;
  prediction.rank_busy.resize(static_cast<std::size_t>(ranks));
  for (ProcessColumn& column : columns_)
    for (std::size_t row = 0; row < ranks_.rows.size(); ++row) {
      PhaseTimes& busy = prediction.rank_busy[index(column.rank(row))];
      busy = column.rows()[row].busy();
      busy[costs_.solution_phase()] = solution_;
    }
  return prediction;
}

Timelines Simulation::timelines() {
  Timelines timelines(ranks_.rows.size() * columns_.size());
  for (ProcessColumn& column : columns_)
    for (std::size_t row = 0; row < ranks_.rows.size(); ++row) {
      std::vector<Span>& spans = timelines[index(column.rank(row))];
      spans = std::move(column.spans()[row]);
      if (solution_ > 0)
        spans.push_back({.track = Track::UpdateWorker,
                         .phase = costs_.solution_phase(),
                         .step = steps_,
                         .begin = end_,
                         .end = end_ + solution_});
    }
  return timelines;
}

/// Plays the first `steps` steps (0: all) of what `done` steps leave of a run: the LU of a smaller
/// matrix on the same grid.
Prediction play_from(const CostModel& costs, std::int64_t done, std::int64_t steps) {
  DecidedRun left = costs.decided();
  left.spec.order -= done * left.spec.block_size;
  left.settings.stages.schedule.step_limit = steps;
  const CostModel costs_left(left, costs.rates());
  return Simulation(costs_left, deciding_ranks(costs_left), false).prediction();
}

void add(Prediction& sum, double factor, const Prediction& part) {
  const auto add_phases = [factor](PhaseTimes& to, const PhaseTimes& from) {
    for (std::size_t phase = 0; phase < kPhaseCount; ++phase)
      to.seconds[phase] += factor * from.seconds[phase];
  };
  add_phases(sum.busy, part.busy);
  add_phases(sum.exposed, part.exposed);
  sum.waiting_seconds += factor * part.waiting_seconds;
  sum.seconds += factor * part.seconds;
}

}  // namespace

Prediction predict_by_simulation(const CostModel& costs) {
  return Simulation(costs, all_ranks(costs.decided().spec), false).prediction();
}

Prediction predict_by_samples(const CostModel& costs) {
  // With half of the samples, or steps, errors of 0.4 % become 1.5 %.
  constexpr std::int64_t kSamples = 16, kLead = 4, kSteps = 8;
  const DecidedRun& decided = costs.decided();
  const LocalShape shape = local_shape(decided.spec, {0, 0});
  const std::int64_t steps = steps_to_make(shape, decided.settings.stages.schedule);
  const bool to_the_end = steps == step_count(shape);
  // Whole visits.
  const std::int64_t visit = decided.settings.stages.schedule.visits.steps;
  const std::int64_t lead = kLead + visit, length = round_up(kSteps, visit), all = lead + length;
  // Runs that are no longer than the samples, by all ranks or by those that decide.
  const std::int64_t ranks = std::int64_t{decided.spec.grid_rows} * decided.spec.grid_columns;
  if (steps * ranks <= kSamples * all * all) return predict_by_simulation(costs);
  if (steps <= kSamples * all)
    return play_from(costs, 0, decided.settings.stages.schedule.step_limit);
  // Of steps that are played by themselves, `lead` and `length` more take longer than `lead` by as
  // much as `length` steps of a run under way: how such a run begins and ends is in both.
  const auto add_under_way = [&](Prediction& sum, double factor, std::int64_t done,
                                 std::int64_t limit) {
    add(sum, factor, play_from(costs, done, limit));
    add(sum, -factor, play_from(costs, done, lead));
  };
  Prediction sum = play_from(costs, 0, lead);
  sum.rank_busy.clear();  // of the first steps
  const std::int64_t last = to_the_end ? steps - all : steps - lead;
  const double each = static_cast<double>(last) / kSamples;
  for (std::int64_t i = 0; i < kSamples; ++i) {
    const auto middle = static_cast<std::int64_t>((static_cast<double>(i) + 0.5) * each);
    add_under_way(sum, each / static_cast<double>(length), middle - length / 2, all);
  }
  // Products of the last steps are short: these are played as they are.
  if (to_the_end) add_under_way(sum, 1, last, 0);
  // Samples hardly tell a panel from a rank that is late with it.
  if (sum.waiting_seconds < 0) {
    sum.exposed[Phase::PanelBroadcast] += sum.waiting_seconds;
    sum.waiting_seconds = 0;
  }
  const double solution = to_the_end ? costs.solution() : 0;
  const Phase phase = costs.solution_phase();
  sum.seconds += solution - sum.busy[phase];
  sum.busy[phase] = sum.exposed[phase] = solution;
  return sum;
}

Timelines simulate_timelines(const CostModel& costs) {
  return Simulation(costs, all_ranks(costs.decided().spec), true).timelines();
}

}  // namespace hpl
