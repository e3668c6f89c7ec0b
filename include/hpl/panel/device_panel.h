#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hpl/grid/process_grid.h"
#include "hpl/panel/panel_workspace.h"

namespace hpl {

/// Factorizes panels in device memory: with one process row by the device alone, with several by
/// the devices of the process column together, which reach each other's memory. Used by one thread.
class DevicePanel {
 public:
  /// How much of the device a panel may take: beside a large tail as little as hides it, alone all
  /// that others' progress does not need.
  enum class Breadth { Narrow, Wide };

  /// `narrow_units`: multiprocessors of a narrow panel; 0: as a wide one. Collective over the
  /// grid's columns.
  DevicePanel(hpcx::Device& device, const ProcessGrid& grid, const RunSpec& spec, int narrow_units);

  /// Enqueues the factorization in `stream`; pivots and zero column come to lie in the header of
  /// the device's message. Collective over the process column that owns the panel.
  void factorize(hpcx::StreamRef stream, const PanelWorkspace& panel, Breadth breadth);
  /// Turns the pivots in the host's header, which are the solver's row numbers, into global rows,
  /// and the zero column into a global column.
  void translate(const PanelWorkspace& panel) const;

 private:
  /// A solver and, where it has a team, the mailboxes of its other members.
  struct Member {
    std::unique_ptr<hpcx::PanelSolver> solver;
    std::vector<hpcx::Buffer> mailboxes;
  };
  Member make_member(hpcx::Device& device, const mpi::Communicator& column, int units) const;
  hpcx::PanelShare share(const StepGeometry& geometry) const;

  std::vector<LocalShape> shapes_;  // by process row
  std::int64_t most_rows_ = 0;
  std::int64_t width_ = 0;
  Member wide_, narrow_;
};

/// Why the devices of `column` cannot factorize panels together, in words; empty when they can:
/// all are in one node, each rank has its own, and each maps its neighbours' memory. Collective
/// over `column`, same answer on all ranks.
std::string why_no_panel_team(hpcx::Device& device, const mpi::Communicator& column);

}  // namespace hpl
