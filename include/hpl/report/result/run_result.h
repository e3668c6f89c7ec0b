#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpcx/telemetry.h"
#include "hpl/base/power/run_power.h"
#include "hpl/base/result/host_work.h"
#include "hpl/base/result/peak_rate.h"
#include "hpl/base/result/remark.h"
#include "hpl/base/result/timeline.h"
#include "hpl/base/result/verdict.h"
#include "hpl/base/result/verification.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/report/result/time_account.h"

namespace hpl {

class Record;

/// A sensor's readings over the timed part.
struct SensorRange {
  double minimum = 0, mean = 0, maximum = 0;
};
void describe(Record& record, SensorRange& range);

/// Why a device held its clock down.
struct ThrottleReason {
  std::string reason;  ///< in words
  double share = 0;    ///< of the samples that show it
};

/// A device's sensors over the timed part; empty where there is no sensor or no right to read it.
struct TelemetrySummary {
  std::int64_t samples = 0;
  std::optional<SensorRange> clock_mhz, power_watts, temperature_celsius;
  std::optional<double> energy_joules;  ///< power over the time from the first to the last sample
  std::vector<ThrottleReason> throttle_reasons;
  std::optional<PowerAverages> core_power{};  ///< over the core phase
  /// Energy while work of a phase went on, by Phase; phases overlap. Empty where it is not known.
  std::vector<double> phase_joules{};
  /// Errors of memory that arose in the run; empty if the device does not count them.
  std::optional<std::int64_t> corrected_errors{}, uncorrected_errors{};
  hpcx::EventCounts events{};  ///< that arose in the run
};

/// The device of one rank. Ranks of a host that name the same device share it.
struct DeviceTelemetry {
  int rank = 0;
  std::string host;
  std::string backend;   ///< "cpu", "cuda", "hip"
  int device_index = 0;  ///< among the host's devices of that back end
  std::string device;    ///< marketing name
  TelemetrySummary sensors;
};
void describe(Record& record, DeviceTelemetry& device);

/// The events of a host's memory and network adapters during a run.
struct HostEvents {
  std::string host;
  hpcx::EventCounts events;
};
void describe(Record& record, hpcx::EventCounts& events);
void describe(Record& record, HostEvents& host);

/// The transport by which rank 0 exchanged panels with its process row, or rows of U with its
/// process column.
struct TransportUse {
  int ranks = 1;         ///< that take part; alone there is nothing to exchange
  std::string name;      ///< a TransportKind's; "mpi": between hosts' memories
  double bandwidth = 0;  ///< of a ring exchange, GB/s each way; 0: not measured
  /// Device memory that it took, the most of a rank along the row or column; empty: not measured.
  std::optional<std::int64_t> device_bytes{};
};

/// When the matrix products of a run's ranks were timed.
struct RateSource {
  enum class Moment { Before, After, InRun, WholeRun };
  Moment moment = Moment::InRun;
  int run_index = 0;  ///< of the run before or after which the products were alone, from 0

  bool alone() const { return moment == Moment::Before || moment == Moment::After; }
  friend bool operator==(const RateSource&, const RateSource&) = default;
};
/// "alone before run 1", "in the run"
std::string to_string(const RateSource& source);

/// A rate that the matrix products of a run's ranks were seen at.
struct SeenRate {
  RateSource source;
  double gflops = 0;  ///< of all ranks together
};

/// The host on whose cores other processes were busiest during the timed part.
struct OtherProcesses {
  std::string host;
  double share = 0;  ///< of its cores, 0 to 1
};

/// A run that --stop-after ended early: how far it came, and where it would have ended.
struct EarlyStop {
  std::int64_t columns_done = 0;
  double fraction = 0;           ///< of the operations of the factorization, 0 to 1
  double gflops = 0;             ///< of the part that was done
  double projected_seconds = 0;  ///< of the whole run
  double projected_gflops = 0;
};

/// The time of a run by the performance model, and the source of the rates: a file or a data sheet.
struct ExpectedRun {
  std::string model;    ///< "simulated", "sampled"
  std::string rates{};  ///< the file that --rates names; empty: by a data sheet
  double seconds = 0, gflops = 0;
  double error_seconds = 0;  ///< that the model, and the data sheet, may be off
  /// By rank: from when all that take part are there. Of one element where the model knows no
  /// ranks: the mean. Empty by a data sheet, which knows no phases.
  std::vector<PhaseTimes> rank_phases{};
  /// Products hide these, and how long they last then no model knows.
  std::vector<Phase> hidden{};
  std::string sheet{};  ///< the device that the data sheet is of; empty: by measured rates

  /// The interval of the rate; `error_seconds` must be below `seconds`.
  double least_gflops() const { return gflops * seconds / (seconds + error_seconds); }
  double most_gflops() const { return gflops * seconds / (seconds - error_seconds); }
};

/// Result of one run, as data. Complete on world rank 0 only.
struct RunResult {
  RunSpec spec;
  int run_index = 0;     ///< from 0, in the order of the plan
  int repeat_index = 0;  ///< from 0
  std::time_t started = 0, ended = 0;
  double seconds = 0;  ///< timed part, maximum over processes
  double gflops = 0;   ///< benchmark_flops(N) / seconds / 1e9; 0 of a run that was stopped
  std::optional<EarlyStop> stopped;  ///< by --stop-after: `seconds` are those of the part done
  std::optional<std::int64_t>
      zero_pivot_column;                   ///< global column of the first exact zero (or NaN) pivot
  std::optional<Residual> residual;        ///< empty when threshold <= 0
  std::optional<Refinement> refinement{};  ///< of HPL-MxP; empty: HPL
  std::optional<std::uint64_t> solution_hash;  ///< see solution_hash.h; empty without a solution
  /// Under --reproducible: of the first repetition, where `solution_hash` differs from it.
  std::optional<std::uint64_t> differs_from{};
  std::array<PhaseRange, kPhaseCount> phases{};
  std::vector<PhaseTimes> rank_phases;  ///< by rank; what `phases` sums up
  std::vector<StepRecord> steps;
  std::optional<double> attainable_gflops;  ///< the highest rate that matrix products were seen at
  std::vector<SeenRate> attainable_rates;   ///< all of them, the highest first
  /// From before the run to after it, as a share of the rate of products alone before; empty: not
  /// measured on both sides.
  std::optional<double> products_change{};
  std::optional<OtherProcesses> others{};  ///< empty: unknown, or a run too short to tell
  std::vector<double>
      rank_attainable_gflops;      ///< of products alone by rank, Gflop/s; empty: not measured
  std::optional<PeakRate> peak{};  ///< Rpeak of the ranks together; empty: unknown
  std::array<TransportUse, 2> transports;     ///< along the process row, the process column
  Traffic traffic{};                          ///< of the timed part, all ranks together
  std::optional<HostWork> host_work{};        ///< of all ranks; empty: hosts took no part
  std::vector<Remark> remarks;                ///< what was used in place of what was asked for
  std::vector<DeviceTelemetry> devices;       ///< by rank; empty when nothing was gathered
  std::vector<HostEvents> hosts{};            ///< empty when nothing was gathered
  std::optional<ChecksumResult> checksums{};  ///< empty: none were carried
  std::optional<ExpectedRun> expected{};  ///< empty where the rates of the machine are not known
  /// By rank: its phases without what it waited for others; what `expected` is compared with.
  std::vector<PhaseTimes> rank_working{};
  /// By rank: its products of the tail update over the time it spent in them; 0 without any.
  std::vector<double> rank_gflops;
  std::optional<TimeAccount> account{};  ///< of the mean rank; in no document
  std::optional<RunPower> power{};       ///< core phase, power and energy; empty: not looked at
};
void describe(Record& record, RunResult& run);

/// The ends of a job's runs; they decide the closing lines and the exit code.
struct Tally {
  int passed = 0, failed = 0, unchecked = 0, skipped = 0;
  int stopped = 0;  ///< early, by --stop-after: these have no result
};
void describe(Record& record, Tally& tally);

/// E = Rmax / Rpeak; empty where Rpeak is unknown, for a run that was stopped, and for HPL-MxP.
std::optional<double> efficiency_of_peak(const RunResult& run);

/// "00e1a3c94f2b7d56"
std::string hash_text(std::uint64_t hash);

/// The verdicts of a run by their words in documents and tables.
inline constexpr std::array<Choice<Verdict>, 4> kRunVerdicts{{{Verdict::Passed, "passed"},
                                                              {Verdict::Failed, "failed"},
                                                              {Verdict::Unchecked, "unchecked"},
                                                              {Verdict::Stopped, "stopped"}}};

/// The verdict of a run: Failed where run_failures() names a reason; else Stopped when it was ended
/// early, Unchecked when there is no residual. Text, JSON, tables, tally and exit code follow it.
Verdict run_verdict(const RunResult& result);

/// Whether the check of a run was asked for and not made: its job ended before, or still goes on.
/// Such a run is no result.
bool lacks_check(const RunResult& result);

/// `tally` with one more run of that verdict.
Tally counted(Tally tally, Verdict verdict);

}  // namespace hpl
