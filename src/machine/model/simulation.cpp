#include <algorithm>
#include <vector>

#include "cost_model.h"
#include "hpl/lu/matrix/step_geometry.h"
#include "panel_arrivals.h"
#include "process_column.h"

namespace hpl {

namespace {

/// All ranks of a grid. Every process column plays its schedule until it needs the next panel. When
/// all have, the panel travels along each process row, and they go on. No column can need a later
/// panel before: each begins every broadcast, and does so in the order of steps.
class Simulation {
 public:
  Simulation(const CostModel& costs, bool traced)
      : costs_(costs),
        spec_(costs.configuration().spec),
        first_(local_shape(spec_, {0, 0})),
        steps_(steps_to_make(first_, costs.configuration().schedule)),
        substitution_(steps_ == step_count(first_) ? costs.back_substitution() : 0) {
    columns_.reserve(index(spec_.grid_columns));
    for (int column = 0; column < spec_.grid_columns; ++column)
      columns_.emplace_back(costs, column, traced);
    play();
  }

  Prediction prediction();
  Timelines timelines();

 private:
  void play();

  const CostModel& costs_;
  const RunSpec& spec_;
  LocalShape first_;
  std::int64_t steps_;
  double substitution_, end_ = 0;
  std::vector<ProcessColumn> columns_;
};

void Simulation::play() {
  std::vector<std::vector<double>> begin(columns_.size());
  std::vector<std::vector<double>> arrival(columns_.size(),
                                           std::vector<double>(index(spec_.grid_rows)));
  const PanelArrivals arrivals(costs_);
  std::vector<double> along(columns_.size()), times(columns_.size());
  for (std::int64_t step = 0; step < steps_; ++step) {
    PanelTimes panel;
    for (std::size_t column = 0; column < columns_.size(); ++column)
      columns_[column].run_to_broadcast(step, begin[column], panel);
    const int root = step_geometry(first_, step).owner_column;
    for (int row = 0; row < spec_.grid_rows; ++row) {
      const StepGeometry g = step_geometry(local_shape(spec_, {row, root}), step);
      for (std::size_t column = 0; column < columns_.size(); ++column)
        along[column] = begin[column][index(row)];
      arrivals.of(
          root, costs_.panel_bytes(static_cast<double>(g.below_rows), static_cast<double>(g.width)),
          along, times);
      for (std::size_t column = 0; column < columns_.size(); ++column)
        arrival[column][index(row)] = times[column];
    }
    for (std::size_t column = 0; column < columns_.size(); ++column)
      columns_[column].arrived(step, arrival[column], panel, static_cast<int>(column) == root);
  }
  for (ProcessColumn& column : columns_) {
    column.run_to_end();
    end_ = std::max(end_, column.end());
  }
}

Prediction Simulation::prediction() {
  Prediction prediction;
  const double ranks = static_cast<double>(spec_.grid_rows) * spec_.grid_columns;
  prediction.rank_busy.resize(index(spec_.grid_rows) * columns_.size());
  for (ProcessColumn& column : columns_)
    for (int row = 0; row < spec_.grid_rows; ++row) {
      RankClock& clock = column.rows()[index(row)];
      clock.finish(end_);
      prediction.rank_busy[index(column.rank(row))] = clock.busy();
      for (std::size_t phase = 0; phase < kPhaseCount; ++phase) {
        prediction.busy.seconds[phase] += clock.busy().seconds[phase] / ranks;
        prediction.exposed.seconds[phase] += clock.exposed().seconds[phase] / ranks;
      }
      prediction.waiting_seconds += clock.waiting() / ranks;
    }
  prediction.busy[Phase::BackSubstitution] = substitution_;
  for (PhaseTimes& busy : prediction.rank_busy)
    busy[Phase::BackSubstitution] = substitution_;
  prediction.exposed[Phase::BackSubstitution] = substitution_;
  prediction.exposed[Phase::Multiply] = prediction.busy[Phase::Multiply];
  prediction.seconds = end_ + substitution_;
  return prediction;
}

Timelines Simulation::timelines() {
  Timelines timelines(index(spec_.grid_rows) * columns_.size());
  for (ProcessColumn& column : columns_)
    for (int row = 0; row < spec_.grid_rows; ++row) {
      std::vector<Span>& spans = timelines[index(column.rank(row))];
      spans = std::move(column.spans()[index(row)]);
      if (substitution_ > 0)
        spans.push_back({.track = Track::UpdateWorker,
                         .phase = Phase::BackSubstitution,
                         .step = steps_,
                         .begin = end_,
                         .end = end_ + substitution_});
    }
  return timelines;
}

}  // namespace

Prediction predict_by_simulation(const CostModel& costs) {
  return Simulation(costs, false).prediction();
}

Timelines simulate_timelines(const CostModel& costs) {
  return Simulation(costs, true).timelines();
}

}  // namespace hpl
