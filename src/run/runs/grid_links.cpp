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
  own.peers = PanelBroadcast::peers(at.column, spec.grid_columns);
  row_ = choose_transport(row_ranks_, device, own);
  // HPL-MxP broadcasts along both.
  own.peers = spec.mixed ? PanelBroadcast::peers(at.row, spec.grid_rows)
                         : row_exchange_peers(at.row, spec.grid_rows);
  column_ = choose_transport(column_ranks_, device, own);
  if (!spec.mixed) return;
  panel_ranks_ = column_ranks_.dup();
  own.kind = column_.transport->kind();
  panel_column_ = choose_transport(*panel_ranks_, device, own);
}

bool GridLinks::suit(const RunSpec& spec, const TransportNeeds& needs) const {
  return kind_ == needs.kind && first_that_works_ == needs.first_that_works &&
         staging_bytes_ == staging_bytes(needs.least_piece_bytes) &&
         panel_ranks_.has_value() == spec.mixed.has_value();
}

}  // namespace hpl
