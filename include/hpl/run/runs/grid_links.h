#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/transport/transport_choice.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/plan/job_plan.h"

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

/// See Watchdog::Watched.
std::function<std::string()> network_trouble(hpcx::Device& device);

/// `kept`, if a run of these settings would choose alike, else new links. Collective over `ranks`,
/// which are exactly P x Q. Throws as choose_transport().
std::unique_ptr<GridLinks> links_of(const JobContext& job, const mpi::Communicator& ranks,
                                    const RunSpec& spec, const RunSettings& settings,
                                    std::unique_ptr<GridLinks> kept);

/// The grid of a job's runs: its ranks and the links between their devices, for all runs on it.
class JobGrid {
 public:
  /// Borrows the job.
  explicit JobGrid(const JobContext& job) : job_(job) {}

  /// Becomes the grid of a run, unless it is already. Collective over the world.
  void become(const RunSpec& spec, const RankLayout& layout);
  /// Empty on a rank without a part.
  const std::optional<mpi::Communicator>& ranks() const { return ranks_; }
  /// Null before the first run, and after one that failed.
  std::unique_ptr<GridLinks>& links() { return links_; }

  /// See LinkMaker.
  std::optional<std::int64_t> make_links(const RankLayout& layout, const RunSpec& spec,
                                         const RunSettings& settings);

 private:
  struct Key {
    GridShape shape;
    RankOrder order;
    std::optional<GridShape> tile;

    bool operator==(const Key&) const = default;
  };

  std::unique_ptr<GridLinks> watched_links(const RunSpec& spec, const RunSettings& settings);

  const JobContext& job_;
  std::optional<Key> key_;
  std::optional<mpi::Communicator> ranks_;
  std::unique_ptr<GridLinks> links_;
};

}  // namespace hpl
