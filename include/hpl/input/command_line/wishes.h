#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hpl/base/choice/choice.h"
#include "hpl/base/choice/choices.h"
#include "hpl/input/run_spec/mixed_spec.h"

namespace hpl {

// Auto leaves each choice to the program.

enum class PanelRequest { Auto, Host, Device };
/// Distribution of the blocks: by measured rates, evenly, or round-robin; Auto: by rates on GPUs,
/// else evenly.
enum class BalanceRequest { Auto, Rates, Even, Off };
/// The way of pivots between the devices of a process column: each other's memory where they reach
/// it, or their hosts alone.
enum class PivotPath { Auto, Host };
/// Columns in host memory: visits of several steps, or the three-stage pipeline of Fatica (GPGPU-2,
/// 2009), which loads, updates and stores the whole tail in every step.
enum class HostSchedule { Visits, ThreeStage };

inline constexpr std::array<Choice<PanelRequest>, 3> kPanelRequests{{
    {PanelRequest::Auto, "auto"},
    {PanelRequest::Host, "host"},
    {PanelRequest::Device, "device"},
}};
inline constexpr auto kPipelineRequests = with_auto(kPipelineKinds);

/// Requests on runs of HPL-MxP. Empty: chosen for the device, see mixed_spec().
struct MixedWishes {
  bool wanted = false;  ///< the job's runs are of HPL-MxP: --mxp, or the command mxp
  MixedEntries entries = MixedEntries::Conforming;
  double diagonal = MixedSpec().diagonal;
  std::optional<hpcx::Precision> operands;
  std::optional<int> storage_bits;
  MixedSolver solver = MixedSolver::Gmres;

  friend bool operator==(const MixedWishes&, const MixedWishes&) = default;
};

/// Requests on the execution of a run. Empty: chosen.
struct Wishes {
  MixedWishes mixed;
  int emulated_moduli = 0;  ///< --arithmetic; 0: FP64
  PanelRequest panel = PanelRequest::Auto;
  std::optional<PipelineKind> pipeline;
  std::optional<TransportKind> transport;
  PivotPath pivots = PivotPath::Auto;
  BalanceRequest balance = BalanceRequest::Auto;
  /// Nothing that the bits of a solution depend on follows a measurement.
  bool reproducible = false;
  bool attainable_rate = true;             ///< the DGEMM rate of the ranks is measured
  std::optional<std::int64_t> chunk;       ///< columns of the tail matrix per chunk
  std::optional<std::int64_t> solve_rows;  ///< see PipelineSettings
  std::optional<int> panel_units;          ///< multiprocessors of the device panel

  MatrixRequest matrix = MatrixRequest::Device;
  HostSchedule host_schedule = HostSchedule::Visits;
  std::optional<std::int64_t> visit_steps, visit_columns;
  /// Fraction of the tail update for the host's cores, 0 to 1; empty: by rates.
  std::optional<double> host_share = 0.0;
  std::optional<std::int64_t> pinned_memory;  ///< bytes of a matrix in host memory; empty: all

  std::optional<double> stop_after;  ///< share of the operations, in (0, 1); empty: run to the end
  /// Checksums carried through the factorization; empty: when a residual has failed.
  std::optional<bool> verify_steps;
  std::optional<std::int64_t> verify_interval;  ///< steps

  friend bool operator==(const Wishes&, const Wishes&) = default;
};

}  // namespace hpl
