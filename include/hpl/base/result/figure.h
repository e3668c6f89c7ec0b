#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hpl/base/choice/choice.h"

namespace hpl {

class Record;

/// The figures that a machine is judged by, in the order in which they are shown.
enum class Figure {
  // Figures of the pre-flight check.
  HostDgemm,             ///< matrix products of the rank's cores
  DeviceDgemmBurst,      ///< matrix products of the device, best short stretch
  DeviceDgemmSustained,  ///< the same when the device is hot
  DeviceMemory,          ///< copy within device memory, bytes read and written
  HostToDevice,          ///< copy out of pinned host memory
  DeviceToHost,          ///< copy into pinned host memory
  RowLatency,            ///< neighbours of a process row
  RowBandwidth,
  ColumnLatency,  ///< neighbours of a process column
  ColumnBandwidth,
  PairLatency,  ///< two ranks of a node, all pairs
  PairBandwidth,
  DevicePairBandwidth,     ///< the devices of two ranks of a node, through each other's memory
  DeviceMessageBandwidth,  ///< the same by MPI, given addresses of device memory
  NodeLatency,             ///< two nodes, all pairs
  NodeBandwidth,
  NodeDeviceBandwidth,  ///< their devices, by the transport of a run
  ClockOffset,          ///< of a node's calendar clock against that of rank 0's node
  FreeMemory,           ///< for this rank, in the memory of its matrix
  DeviceClock,          ///< of the device while it multiplies
  PowerLimit,           ///< that the device is held to
  DevicePower,          ///< that the device draws while it multiplies
  DeviceTemperature,    ///< of the device while it multiplies
  // Figures of a member's runs.
  Gflops,           ///< trimmed mean of the runs
  WorstRun,         ///< how far the slowest run is below the median of the member's runs
  Drift,            ///< loss of rate from the first third of the runs to the last third
  Efficiency,       ///< share of the rate of matrix products alone
  Clock,            ///< mean; of the slowest device
  Power,            ///< mean; of all devices together
  Temperature,      ///< highest of any device
  Throttled,        ///< largest share of samples that show one reason
  CorrectedErrors,  ///< of memory, in all runs
  // Events that a device or host counts during a run or check.
  UncorrectedMemory,
  RemapFailed,   ///< no spare row of memory was left
  RemapPending,  ///< a row or page of memory waits for a reset
  LinksLost,     ///< links between devices that went down
  DriverErrors,  ///< see action_of_driver_error()
  RowsRemapped,  ///< rows of memory
  CorrectedMemory,
  LinkRecoveries,
  LinkReplays,
  LinkCrcErrors,
  PcieReplays,
  NicLinkDowns,  ///< ports of network adapters that went down or recovered
  NicErrors,     ///< received with errors
  NicDiscards,   ///< not sent
  NicWaits,      ///< ticks in which a port had data and could not send
};
inline constexpr int kFigureCount = 47;

/// The good values of a figure.
enum class Better {
  Higher,
  Lower,
  NearZero,  ///< judged by its magnitude, see FigureInfo::limit, not against the others
  Neither,   ///< shown, not judged
};

/// The owner of a value. Values are compared among processors, devices or members of one model, and
/// among links of one kind: inside a NUMA node, inside a node, between nodes.
enum class Owner { Processor, Device, Link, Member };

/// The remedy for events of hardware, the most urgent first.
enum class Action {
  Isolate,  ///< take the device or host out of service
  Reset,    ///< reset the device before the next job
  Monitor,  ///< watch whether it happens again
};
inline constexpr std::array<Choice<Action>, 3> kActions{
    {{Action::Isolate, "ISOLATE"}, {Action::Reset, "RESET"}, {Action::Monitor, "MONITOR"}}};

/// A row of the table of figures.
struct FigureInfo {
  Figure value{};
  std::string_view name;   ///< in JSON
  std::string_view label;  ///< in tables
  std::string_view unit;
  Better better = Better::Neither;
  Owner owner = Owner::Member;
  /// Multiplies the tolerance: figures of links scatter more than those of processors.
  double slack = 1;
  /// A difference that never counts, in the figure's unit.
  double noise = 0;
  /// The tolerance is in points of the figure; else a share of the median.
  bool points = false;
  /// Explains a rate: alone it makes nobody fail, however far out it is.
  bool explains = false;
  /// Better::NearZero: the largest magnitude that is in order; of events: the largest number an
  /// hour, beyond `noise`.
  double limit = 0;
  Action action = Action::Monitor;  ///< of events
};
const FigureInfo& info(Figure figure);
/// Tables of choices, in the order of the enumeration.
extern const std::span<const FigureInfo> kAllFigures, kCheckFigures, kMemberFigures, kEventFigures;
/// All of these with those of events.
extern const std::span<const FigureInfo> kFindingFigures;

/// Form of a figure's values: divided by `scale`, with the unit; rates of members in that of
/// `usual`.
struct FigureScale {
  double scale = 1;
  std::string_view unit;
};
FigureScale scale_of(Figure figure, double usual);
/// The head of its column: "rate, TFLOP/s".
std::string label_in(Figure figure, std::string_view unit);

/// A value for each figure, or none.
class Figures {
 public:
  std::optional<double>& operator[](Figure figure) {
    return values_[static_cast<std::size_t>(figure)];
  }
  const std::optional<double>& operator[](Figure figure) const {
    return values_[static_cast<std::size_t>(figure)];
  }

 private:
  std::array<std::optional<double>, kFigureCount> values_{};
};
/// The figures of members alone.
void describe(Record& record, Figures& figures);

}  // namespace hpl
