#include "hpl/run/runs/grid_links.h"

#include "hpl/lu/broadcast/panel_broadcast.h"
#include "hpl/lu/grid/process_grid.h"
#include "hpl/lu/swap/row_exchange_plan.h"

namespace hpl {

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

}  // namespace hpl
