#pragma once

#include <cstdint>

#include "hpcx/panel.h"
#include "panel/plan.h"
#include "panel/proxy.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// Tuning of a panel solver of `compute_units` multiprocessors (0: all) on a chip that has
/// `multiprocessors`. With the whole chip to itself it leaves the large products to the library; on
/// a few multiprocessors the panel is one launch of resident blocks.
PanelTuning make_panel_tuning(int compute_units, int multiprocessors);
/// Tuning of a team's member. Its own choice leaves a part of the chip free, since its blocks wait
/// for other devices. Throws Error when asked for more than the chip has.
PanelTuning make_team_tuning(int compute_units, int multiprocessors);

/// Factorizes panels with the panel kernel and products of the device's BLAS.
class PanelFactorizer {
 public:
  /// `exchange`: kExchangeBytes of device memory, zero, for this object alone. The device is
  /// current, and has one panel kernel in flight at a time for each object.
  PanelFactorizer(const PanelTuning& tuning, std::uint64_t* exchange);

  /// As PanelSolver::factorize.
  void factorize(StreamRef stream, const Panel& panel);

  /// As PanelSolver::connect, of mailboxes with team_mailbox_bytes() that are zero; `proxy` where
  /// there are several groups.
  void connect(const PanelConnection& connection, GpuPanelProxy* proxy);
  bool holds_top(const PanelPart& share) const { return team_.me == share.owner; }
  /// As PanelSolver::factorize_shared; where the top rows are not here, they are zero.
  void factorize_shared(StreamRef stream, const Panel& panel, const PanelPart& share);

 private:
  struct Job;
  static PanelWindow whole_panel(const Panel& panel, int width);
  void factorize_windows(Job& job, int first, int count);
  void launch(Job& job, int window);
  void launch_in_team(Job& job);

  PanelTuning tuning_;
  std::uint64_t* exchange_;
  unsigned sequence_ = 0;
  PanelTeam team_;
  int members_ = 0;  // once connected
  GpuPanelProxy* proxy_ = nullptr;
  unsigned team_sequence_ = 0;  ///< advances alike on all members
};

}  // namespace hpcx::HPCX_GPU_NAMESPACE
