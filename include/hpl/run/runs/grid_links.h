#pragma once

#include <cstdint>
#include <optional>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/transport/transport_choice.h"
#include "hpl/input/run_spec/run_spec.h"

namespace hpl {

/// The transports between the devices of a grid, for all runs on it: NCCL takes seconds and device
/// memory for each communicator.
class GridLinks {
 public:
  /// Chooses the transports for a run like `spec`. Collective over `ranks`, which are exactly P x Q
  /// and must outlive this. `needs`: but for its ways. Throws as choose_transport().
  GridLinks(const mpi::Communicator& ranks, hpcx::Device& device, const RunSpec& spec,
            const TransportNeeds& needs);

  /// Whether a run like `spec` with these needs on the same grid would choose alike. Pure.
  bool suit(const RunSpec& spec, const TransportNeeds& needs) const;

  /// Device memory that they have taken, the most of a rank; empty where the device has none of its
  /// own.
  std::optional<std::int64_t> device_bytes() const { return device_bytes_; }

  /// Ranked by process column.
  const ChosenTransport& row() const { return row_; }
  /// Ranked by process row.
  const ChosenTransport& column() const { return column_; }
  /// A second one along the column for the panels of HPL-MxP, which travel beside its rows of U.
  /// Only of links for HPL-MxP.
  const ChosenTransport& panel_column() const { return panel_column_; }
  const mpi::Communicator& panel_ranks() const { return *panel_ranks_; }

 private:
  std::optional<TransportKind> kind_;  // that was asked for
  bool first_that_works_;
  std::int64_t staging_bytes_;
  // Transports borrow the ranks.
  mpi::Communicator row_ranks_, column_ranks_;
  std::optional<mpi::Communicator> panel_ranks_;
  ChosenTransport row_, column_, panel_column_;
  std::optional<std::int64_t> device_bytes_;
};

}  // namespace hpl
