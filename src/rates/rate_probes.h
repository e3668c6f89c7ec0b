#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "hpcx/device.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/lu/update/tail_product.h"

namespace hpl {

/// Rates of one rank's device and host, each probe alone on its rank. Seconds where nothing else is
/// said.

/// The best of a few rounds of `work`, enough of it in each for the clock.
double best_seconds_of(hpcx::StreamRef stream, const std::function<void()>& work);

/// A panel of so many rows, of random values, ready to be factorized again and again.
class PanelTrial {
 public:
  virtual ~PanelTrial() = default;
  /// Of one factorization, without what restores the panel.
  virtual double seconds() = 0;
};
/// The median of several, as many on every rank: what a run meets where a host's cores are now
/// faster and now slower.
double typical_seconds(PanelTrial& trial);
/// A panel of a matrix on `device` that `host` factorizes: `panel.order` rows, NB columns, in the
/// shape that PFACT, RFACT, NBMIN and NDIV say. Nothing else of `panel` counts.
std::unique_ptr<PanelTrial> make_host_panel_trial(hpcx::Device& device, hpcx::Device& host,
                                                  const RunSpec& panel);
/// Null where the device has no solver. `units`: see hpcx::PanelSolverSpec.
std::unique_ptr<PanelTrial> make_device_panel_trial(hpcx::Device& device, std::int64_t rows,
                                                    std::int64_t width, int units);

/// A panel that the devices of a whole team factorize together.
struct TeamPanel {
  std::int64_t rows = 0, width = 0;  ///< rows on each device
  int multiprocessors = 0;           ///< of a narrow panel; 0: a wide one
  std::vector<int> groups;           ///< see find_panel_groups()
};
/// Collective over `team`, as seconds() is.
std::unique_ptr<PanelTrial> make_team_panel_trial(hpcx::Device& device,
                                                  const mpi::Communicator& team,
                                                  const TeamPanel& panel);

/// Work of a stream, to be enqueued again and again.
class WorkTrial {
 public:
  virtual ~WorkTrial() = default;
  virtual void enqueue() = 0;
  virtual hpcx::StreamRef stream() const = 0;
  double seconds() {
    return best_seconds_of(stream(), [this] { enqueue(); });
  }
};

/// U12 = L11^-1 U as a run makes it. `solve_rows`: TailSolve::rows.
class SolveTrial final : public WorkTrial {
 public:
  SolveTrial(hpcx::Device& device, std::int64_t width, std::int64_t columns,
             std::int64_t solve_rows);
  void enqueue() override { solve_u12(stream_, solve_); }
  hpcx::StreamRef stream() const override { return stream_; }

 private:
  hpcx::Stream stream_;
  hpcx::Buffer l_, u_, u12_;
  TailSolve solve_;
};

/// L11^-1 of so many columns.
double inverse_seconds(hpcx::Device& device, std::int64_t width);

/// Rows of U gathered out of a matrix of so many columns. A processor puts others back, since it
/// reads a line of its cache before it writes to it. Each time it takes another part of the matrix,
/// so that rows come from memory, as they do in a run: up to an eighth of `memory_bytes`.
class RowCopyTrial final : public WorkTrial {
 public:
  RowCopyTrial(hpcx::Device& device, std::int64_t rows, std::int64_t columns,
               std::int64_t memory_bytes);
  void enqueue() override;
  double gbytes();
  hpcx::StreamRef stream() const override { return stream_; }

 private:
  std::int64_t part_rows() const { return 8 * rows_; }

  std::int64_t rows_, columns_;
  bool puts_back_;
  hpcx::Stream stream_;
  std::int64_t parts_ = 1, next_part_ = 0;  // of the matrix
  hpcx::Buffer matrix_, packed_, lists_;
};

/// GB/s, read and written, of a panel's columns on their way to the workspace.
double memory_copy_gbytes(hpcx::Device& device);
/// The host's time for a pivot when it plans the exchange of rows of a panel.
double plan_seconds_per_pivot(std::int64_t rows, std::int64_t width, int processes);
/// The time of a task beside its work: small kernels, one after another.
double small_task_seconds(hpcx::Device& device);

}  // namespace hpl
