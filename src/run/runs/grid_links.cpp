#include "hpl/run/runs/grid_links.h"

#include <utility>

#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/lu/broadcast/panel_broadcast.h"
#include "hpl/lu/grid/process_grid.h"
#include "hpl/lu/swap/row_exchange_plan.h"
#include "hpl/machine/decide/run_memory.h"

namespace hpl {

namespace {

constexpr double kLinkAllowance = 60;  // seconds on top of the watchdog's limit

}  // namespace

GridLinks::GridLinks(const mpi::Communicator& ranks, hpcx::Device& device, const RunSpec& spec,
                     const TransportNeeds& needs)
    : kind_(needs.kind),
      first_that_works_(needs.first_that_works),
      staging_bytes_(staging_bytes(needs.least_piece_bytes)),
      row_ranks_(ranks.split(position_of(ranks, spec).row, position_of(ranks, spec).column)),
      column_ranks_(ranks.split(position_of(ranks, spec).column, position_of(ranks, spec).row)) {
  const GridPosition at = position_of(ranks, spec);
  TransportNeeds own = needs;
  own.ways = PanelBroadcast::ways(at.column, spec.grid_columns);
  row_ = choose_transport(row_ranks_, device, own);
  // HPL-MxP broadcasts along both.
  own.ways = spec.mixed ? PanelBroadcast::ways(at.row, spec.grid_rows)
                        : MessageWays{row_exchange_peers(at.row, spec.grid_rows)};
  column_ = choose_transport(column_ranks_, device, own);
  if (spec.mixed) {
    panel_ranks_ = column_ranks_.dup();
    own.kind = column_.transport->kind();
    panel_column_ = choose_transport(*panel_ranks_, device, own);
  }
  if (device.shares_host_memory()) return;
  std::int64_t taken = 0;
  for (const ChosenTransport* const chosen : {&row_, &column_, &panel_column_})
    taken += chosen->device_bytes.value_or(0);
  device_bytes_ = ranks.all_reduce(taken, mpi::Reduce::Max);
}

bool GridLinks::suit(const RunSpec& spec, const TransportNeeds& needs) const {
  return kind_ == needs.kind && first_that_works_ == needs.first_that_works &&
         staging_bytes_ == staging_bytes(needs.least_piece_bytes) &&
         panel_ranks_.has_value() == spec.mixed.has_value();
}

std::function<std::string()> network_trouble(hpcx::Device& device) {
  return [interconnect = device.interconnect()] {
    return interconnect == nullptr ? std::string() : interconnect->failure();
  };
}

std::unique_ptr<GridLinks> links_of(const JobContext& job, const mpi::Communicator& ranks,
                                    const RunSpec& spec, const RunSettings& settings,
                                    std::unique_ptr<GridLinks> kept) {
  job.watchdog.enter("sets up communication", kLinkAllowance);
  const Wishes& wishes = job.options.wishes;
  const TransportNeeds needs{.kind = wishes.transport,
                             .first_that_works = wishes.reproducible,
                             .least_piece_bytes = least_piece_bytes(spec),
                             .wait = settings.stages.message_wait};
  if (kept && kept->suit(spec, needs)) return kept;
  kept.reset();  // before new ones take memory
  return std::make_unique<GridLinks>(ranks, job.machine.device(), spec, needs);
}

void JobGrid::become(const RunSpec& spec, const RankLayout& layout) {
  const Key key{{spec.grid_rows, spec.grid_columns}, spec.rank_order, layout.tile};
  if (key_ == key) return;
  links_.reset();  // on all of their ranks at once: the end of links is collective
  const std::optional<int> number = layout.number_in_grid(job_.world.rank(), spec);
  ranks_ = job_.world.subset(number.has_value(), number.value_or(0));
  key_ = key;
}

std::unique_ptr<GridLinks> JobGrid::watched_links(const RunSpec& spec,
                                                  const RunSettings& settings) {
  const JobControl no_steps;
  const Watchdog::Run watched(
      job_.watchdog, {no_steps, *ranks_, position_of(*ranks_, spec), "the links before N is chosen",
                      network_trouble(job_.machine.device())});
  return links_of(job_, *ranks_, spec, settings, std::move(links_));
}

std::optional<std::int64_t> JobGrid::make_links(const RankLayout& layout, const RunSpec& spec,
                                                const RunSettings& settings) {
  if (spec.grid_rows * spec.grid_columns == 1) return std::nullopt;
  become(spec, layout);
  std::string refusal;
  try {
    if (ranks_) links_ = watched_links(spec, settings);
  } catch (const ConfigError& error) {  // on all ranks of the grid
    refusal = error.what();
  }
  job_.watchdog.enter("examines the machine", Watchdog::kSetUpAllowance);
  refusal = mpi::common_reason(job_.world, refusal);
  if (!refusal.empty()) throw ConfigError("{}", refusal);
  constexpr std::int64_t kNone = -1;
  const std::int64_t taken = job_.world.all_reduce(
      links_ ? links_->device_bytes().value_or(kNone) : kNone, mpi::Reduce::Max);
  return taken == kNone ? std::nullopt : std::optional(taken);
}

}  // namespace hpl
