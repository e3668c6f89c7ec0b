#include "hpl/run/runs/grid_links.h"

#include "hpl/lu/grid/process_grid.h"

namespace hpl {

GridLinks::GridLinks(const mpi::Communicator& ranks, hpcx::Device& device, const RunSpec& spec,
                     const TransportNeeds& needs)
    : kind_(needs.kind),
      first_that_works_(needs.first_that_works),
      staging_bytes_(staging_bytes(needs.least_piece_bytes)),
      row_ranks_(ranks.split(position_of(ranks, spec).row, position_of(ranks, spec).column)),
      column_ranks_(ranks.split(position_of(ranks, spec).column, position_of(ranks, spec).row)) {
  row_ = choose_transport(row_ranks_, device, needs);
  column_ = choose_transport(column_ranks_, device, needs);
  if (!spec.mixed) return;
  panel_ranks_ = column_ranks_.dup();
  TransportNeeds alike = needs;
  alike.kind = column_.transport->kind();
  panel_column_ = choose_transport(*panel_ranks_, device, alike);
}

bool GridLinks::suit(const RunSpec& spec, const TransportNeeds& needs) const {
  return kind_ == needs.kind && first_that_works_ == needs.first_that_works &&
         staging_bytes_ == staging_bytes(needs.least_piece_bytes) &&
         panel_ranks_.has_value() == spec.mixed.has_value();
}

}  // namespace hpl
