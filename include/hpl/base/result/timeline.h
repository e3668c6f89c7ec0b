#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hpl/base/choice/choice.h"

namespace hpl {

class Record;

/// The kinds of work in a run. Per rank; phases of different workers overlap in time.
enum class Phase {
  PanelFactorization,  ///< factorize the panel (process column that owns it)
  PanelExchange,       ///< part of PanelFactorization spent agreeing on pivots
  PanelBroadcast,      ///< panel along the process row
  PanelTransfer,       ///< panel between matrix, workspace and device
  RowSwap,             ///< rows along the process column, copies included
  Solve,               ///< U12 = L11^-1 U
  Multiply,            ///< A22 -= L21 U12
  BackSubstitution,    ///< x from U and the transformed b
  MatrixLoad,          ///< columns that live in host memory, to the device
  MatrixStore,         ///< and back
  HostUpdate,          ///< swaps, solves and products of the host's cores, where columns lie
  Refinement,          ///< of HPL-MxP: x in FP64 by factors of few bits
};
inline constexpr int kPhaseCount = 12;
inline constexpr std::array<Choice<Phase>, kPhaseCount> kPhases{{
    {Phase::PanelFactorization, "panel factorization"},
    {Phase::PanelExchange, "panel pivot exchange"},
    {Phase::PanelBroadcast, "panel broadcast"},
    {Phase::PanelTransfer, "panel transfer"},
    {Phase::RowSwap, "row swap"},
    {Phase::Solve, "triangular solve"},
    {Phase::Multiply, "matrix multiply"},
    {Phase::BackSubstitution, "back substitution"},
    {Phase::MatrixLoad, "matrix load"},
    {Phase::MatrixStore, "matrix store"},
    {Phase::HostUpdate, "host update"},
    {Phase::Refinement, "refinement"},
}};
inline std::string_view to_string(Phase phase) {
  return name_of(kPhases, phase);
}
/// Streams do the work of these phases, a worker of the host that of the others.
bool is_work_of_a_stream(Phase phase);

/// Seconds per phase of one rank.
struct PhaseTimes {
  std::array<double, kPhaseCount> seconds{};
  double& operator[](Phase phase) { return seconds[static_cast<std::size_t>(phase)]; }
  double operator[](Phase phase) const { return seconds[static_cast<std::size_t>(phase)]; }
};

/// Extremes of a phase over the ranks of a grid.
struct PhaseRange {
  double minimum = 0, maximum = 0;  ///< seconds
  int minimum_rank = 0, maximum_rank = 0;
};

/// One step of the factorization as rank 0 saw it.
struct StepRecord {
  std::int64_t step = 0;
  std::int64_t columns_done = 0;  ///< after this step
  double seconds = 0;  ///< since the start of the timed part, when the step's update was done
};
void describe(Record& record, StepRecord& step);

/// The worker of a piece of work: a worker's thread or one of the device's streams.
enum class Track {
  PanelWorker,
  TransferWorker,
  SwapWorker,
  UpdateWorker,
  LoadWorker,
  StoreWorker,
  HostWorker,
  PanelStream,
  TransferStream,
  SwapStream,
  UpdateStream,
  LoadStream,
  StoreStream
};
inline constexpr int kTrackCount = 13;
inline constexpr std::array<Choice<Track>, kTrackCount> kTracks{{
    {Track::PanelWorker, "panel worker"},
    {Track::TransferWorker, "transfer worker"},
    {Track::SwapWorker, "swap worker"},
    {Track::UpdateWorker, "update worker"},
    {Track::LoadWorker, "load worker"},
    {Track::StoreWorker, "store worker"},
    {Track::HostWorker, "host worker"},
    {Track::PanelStream, "panel stream"},
    {Track::TransferStream, "transfer stream"},
    {Track::SwapStream, "swap stream"},
    {Track::UpdateStream, "update stream"},
    {Track::LoadStream, "load stream"},
    {Track::StoreStream, "store stream"},
}};
inline std::string_view to_string(Track track) {
  return name_of(kTracks, track);
}
bool is_stream(Track track);

/// One piece of work on the time line of a rank.
struct Span {
  Track track;
  Phase phase;
  std::int64_t step = 0;
  std::int64_t chunk = 0;
  double begin = 0, end = 0;  ///< seconds since the recorder's start
  double flops = 0;           ///< operations of a product of the tail update
};

/// Products of the tail update that a rank's device is through with.
struct ProductWork {
  double flops = 0, seconds = 0;
  double gflops() const { return seconds > 0 ? flops / seconds / 1e9 : 0; }
};

}  // namespace hpl
