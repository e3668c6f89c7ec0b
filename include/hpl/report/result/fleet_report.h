#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hpl/base/choice/fleet_unit_kind.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/input/run_spec/gates.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/machine/check/record.h"
#include "hpl/report/result/fleet_figure.h"
#include "hpl/report/result/fleet_power.h"
#include "hpl/report/result/job_report.h"
#include "hpl/report/result/run_result.h"

namespace hpl {

/// Ranks of a fleet have numbers below this, those of a merged one as well.
inline constexpr int kMostFleetRanks = 100'000'000;

/// A device of the fleet: what it is, and what is known of its condition before the rounds.
struct FleetDevice {
  int rank = 0;  ///< of the job, the lowest that uses it
  std::string host;
  std::string backend;  ///< "cpu", "cuda", "hip"
  int index = 0;        ///< among the host's devices of that back end
  std::string model;
  hpcx::DeviceIdentity identity;
  hpcx::DeviceHealth health;
};

/// What is wrong with a unit or a host, or worth knowing about it.
enum class FleetSeverity {
  Fault,   ///< it fails
  Remark,  ///< worth a look; it does not fail for it
};
std::string_view to_string(FleetSeverity severity);  ///< "fault", "remark"

/// What a figure was compared with.
enum class FleetBasis {
  Residual,   ///< a solution is wrong, or checksums disagree
  Fleet,      ///< the figures of its peers
  Gate,       ///< a limit of the command line
  Reference,  ///< an earlier acceptance
  Device,     ///< what the device says of itself
  Count,      ///< devices that a host shows
  Unit,       ///< what is wrong with a unit that the host is part of
  Job,        ///< the verdict of the host's own job, in a merged report
};
std::string_view to_string(FleetBasis basis);  ///< "residual", "fleet", ...

struct FleetFinding {
  FleetSeverity severity = FleetSeverity::Fault;
  FleetBasis basis = FleetBasis::Fleet;
  std::optional<FleetFigure> figure{};
  std::optional<double> value{};      ///< found
  std::optional<double> expected{};   ///< the median of its peers or of the reference
  std::optional<double> threshold{};  ///< the value from which on it is a finding
  std::string text;                   ///< one sentence that does not name the unit
};

enum class FleetVerdict {
  Passed,
  Failed,
  NotRun,     ///< took no part: it shows no device, or not as many as others
  Missing,    ///< a host that was expected and did not report
  Unchecked,  ///< no fault was found, but not everything was checked
};
/// "passed", "failed", "not run", "missing", "not checked"
std::string_view to_string(FleetVerdict verdict);

/// What the sensors of one device showed in a round.
struct DeviceRound {
  int rank = 0;
  TelemetrySummary sensors;
  std::optional<std::int64_t> corrected_errors;    ///< of memory, that arose in this round
  std::optional<std::int64_t> uncorrected_errors;  ///< of memory, that arose in this round
};

/// One run of one unit.
struct FleetRound {
  int round = 0;             ///< from 0; of the unit
  ZonedTime started, ended;  ///< of the timed part
  double seconds = 0, gflops = 0;
  RunStatus status = RunStatus::Unchecked;
  std::optional<double> scaled_residual;
  std::optional<std::int64_t> zero_pivot_column;
  std::vector<std::string> failures{};        ///< why it is wrong, see run_failures()
  std::optional<ChecksumResult> checksums{};  ///< ranks are those of the job
  std::optional<double> attainable_gflops;    ///< of matrix products alone
  std::optional<double> peak_gflops{};        ///< Rpeak of the unit
  /// Rates of the products, by rank of the unit. Empty with a single rank.
  std::vector<double> rank_gflops{};
  PhaseTimes phases;                 ///< the longest of its ranks
  std::vector<DeviceRound> devices;  ///< by rank
};

/// What solves a system of its own: a device, a node, a pair of nodes.
struct FleetUnit {
  std::string name;                ///< "node01 cuda 3", "node01", "node01 node02"
  std::string kind;                ///< of hardware: only units of one kind are compared
  std::vector<std::string> hosts;  ///< one, or the two of a pair
  std::vector<int> ranks;          ///< of the job, ascending
  std::vector<FleetDevice> devices;
  std::vector<FleetRound> rounds;

  // Filled by judge_fleet().
  FleetFigures figures{};  ///< over all rounds; empty where there is no such figure
  FleetVerdict verdict = FleetVerdict::NotRun;
  std::vector<FleetFinding> findings{};
};

struct FleetHost {
  std::string name;
  int ranks = 0;
  int devices = 0;        ///< that it shows, of the back end that the fleet uses
  std::string why_out{};  ///< why ranks of it took no part, or not to the end; empty: all did
  /// Software and firmware, by the same names on every host: processor, kernel, system, board,
  /// bios, blas, mpi, driver, ...
  NamedValues facts{};

  // Filled by judge_fleet().
  FleetVerdict verdict = FleetVerdict::NotRun;
  std::vector<FleetFinding> findings{};
};

/// A fact that is not the same all over the fleet.
struct FleetDifference {
  std::string fact;      ///< "kernel"; "firmware of NVIDIA H100"
  std::string majority;  ///< value of most hosts
  int count = 0;         ///< of these hosts
  std::vector<std::pair<std::string, std::vector<std::string>>> others{};  ///< value, hosts
};

/// A figure over the units of one kind.
struct FigureStatistics {
  FleetFigure figure = FleetFigure::Gflops;
  int count = 0;
  double minimum = 0, median = 0, maximum = 0;
  double spread = 0;                ///< robust: 1.4826 times the median absolute deviation
  std::optional<double> threshold;  ///< from where on a unit is a finding; empty: not judged
  std::string worst_unit{};
};

/// The units of one kind of hardware.
struct FleetKind {
  std::string kind;
  int units = 0;
  std::string remark{};  ///< why they are not compared with each other; empty: they are
  std::vector<FigureStatistics> figures{};
};

/// What is a finding, as far as the command line decides.
struct FleetThresholds {
  double tolerance = 5;  ///< percent of the median (--check-tolerance)
  double spreads = 3;    ///< robust spreads of the fleet (--check-spreads)
  Gates gates{};

  bool operator==(const FleetThresholds&) const = default;
};

/// An earlier acceptance to compare with.
struct FleetReference {
  std::string source;  ///< file name
  FleetUnitKind each = FleetUnitKind::Device;
  std::string written{};  ///< when
  RunSpec spec{};
  std::vector<FleetKind> kinds;
};

/// The acceptance of a fleet as data. Complete on world rank 0 only.
struct FleetReport {
  JobHeader header;
  FleetUnitKind each = FleetUnitKind::Device;
  RunSpec spec;  ///< of every unit
  ZonedTime started, ended;
  std::optional<double> wanted_seconds{};  ///< --for
  FleetThresholds thresholds;
  std::optional<FleetReference> reference{};
  std::vector<FleetHost> hosts;
  std::vector<FleetUnit> units;

  // Filled by judge_fleet().
  std::vector<FleetKind> kinds{};
  std::vector<FleetDifference> differences{};
  std::vector<std::string> remarks{};  ///< on the fleet as a whole
  std::string pass_list{}, fail_list{};

  std::optional<FleetPower> power{};  ///< by the log of a meter (add_power_log())

  std::optional<ExitCode> exit_code{};  ///< empty while the job goes on
  std::optional<std::string> error{};   ///< why the job ended early
};

/// The run of every unit, with all that readers must know of it but its arithmetic: "N = 2000, NB =
/// 192, 1 x 1 each, threshold 16".
std::string run_of_units(const RunSpec& spec);

}  // namespace hpl
