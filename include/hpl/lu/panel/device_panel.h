#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hpl/base/number/memory_account.h"
#include "hpl/lu/grid/process_grid.h"
#include "hpl/lu/panel/panel_workspace.h"
#include "hpl/lu/panel/pivot_proxy.h"

namespace hpl {

/// The groups in which the devices of a process column factorize panels together.
struct PanelGroups {
  /// Numbers of adjacent process rows whose devices reach each other's memory; empty: the devices
  /// cannot work together.
  std::vector<int> sizes;
  std::string reason;  ///< in words, why sizes is empty or has several groups
};

/// `by_host`: all that devices tell each other shall go through their hosts. Collective over
/// `column`, the same sizes on all ranks.
PanelGroups find_panel_groups(hpcx::Device& device, const mpi::Communicator& column, bool by_host);

/// The multiprocessors of each device that the panels of a run occupy; 0: the solver's own choice.
struct PanelUnits {
  int narrow = 0;    ///< beside a large tail; 0: there are no narrow panels
  int wide = 0;      ///< with little else to do
  std::string lack;  ///< in words, why devices cannot factorize the panels; empty: they can
};

/// The one rule for what device panels hold, by the tallest panel of `spec`. A narrow panel of
/// `narrow_units` (0: none) takes more multiprocessors if its rows need them, up to those of a wide
/// one. `multiprocessors`: of the device; 0: unknown, then the largest device counts. Pure.
PanelUnits panel_units(const RunSpec& spec, int multiprocessors, int narrow_units);

/// Factorizes panels in device memory: with one process row by the device alone, with several by
/// the devices of the process column together. Used by one thread.
class DevicePanel {
 public:
  /// The share of the device that a panel may take: beside a large tail as little as hides it,
  /// alone all that others' progress does not need.
  enum class PanelWidth { Narrow, Wide };

  /// `narrow_units`: as for panel_units(), which lacks nothing. `groups` as found for the
  /// column; `proxy` carries what passes between them. Collective over the grid's columns.
  DevicePanel(hpcx::Device& device, const ProcessGrid& grid, const RunSpec& spec, int narrow_units,
              const std::vector<int>& groups, PivotProxy proxy);

  /// Bytes that it takes, at most: how devices form groups is found out later. Those of the host
  /// are pinned, for messages between groups.
  static MemoryBytes bytes(const RunSpec& spec, int narrow_units, bool shares_host_memory);

  /// Enqueues the factorization in `stream`; pivots and zero column come to lie in the header of
  /// the device's message. Collective over the process column that owns the panel.
  void factorize(hpcx::StreamRef stream, const PanelWorkspace& panel, PanelWidth width);
  /// Carries the messages between groups of devices. Enqueued panels end only when this has carried
  /// theirs.
  void proxy();
  /// Turns the pivots in the host's header, which are the solver's row numbers, into global rows,
  /// and the zero column into a global column.
  void translate(const PanelWorkspace& panel) const;

 private:
  /// A solver and, where it has a team, the mailboxes of its other members.
  struct Member {
    std::unique_ptr<hpcx::PanelSolver> solver;
    std::vector<hpcx::Buffer> mailboxes;
  };
  Member make_member(hpcx::Device& device, const mpi::Communicator& column, int units,
                     const std::vector<int>& groups) const;
  hpcx::PanelPart share(const StepGeometry& geometry) const;

  std::vector<LocalShape> shapes_;  // by process row
  std::int64_t most_rows_ = 0;
  std::int64_t width_ = 0;
  Member wide_, narrow_;
  PivotProxy proxy_;
};

}  // namespace hpl
