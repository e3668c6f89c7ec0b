#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "hpl/base/text/quantity.h"
#include "hpl/check/findings/finding.h"
#include "hpl/report/result/hardware_events.h"

namespace hpl {
namespace {

/// Above this a device is called hot. Degrees Celsius.
constexpr double kHotCelsius = 85;

/// A device that slows down for these needs cooling, power or repair.
constexpr std::array<std::string_view, 4> kBadReasons{
    hpcx::throttle::kHardwareSlowdown, hpcx::throttle::kSoftwareThermal,
    hpcx::throttle::kHardwareThermal, hpcx::throttle::kPowerBrake};

class Findings {
 public:
  void fault(int rank, std::string text) { add(Severity::Fault, rank, std::move(text)); }
  void remark(int rank, std::string text, int peer = kNoPeer) {
    add(Severity::Remark, rank, std::move(text), peer);
  }
  void disturbed(int rank, std::string text) {
    add(Severity::Warning, rank, std::move(text));
    all_.back().basis = Basis::Disturbed;
  }
  /// Of ranks that share a device only the first one is named.
  void of_device(Severity severity, const RankRecord& rank, std::string text,
                 std::optional<Action> action = {}) {
    if (action) text += fmt::format(" ({})", name_of(kActions, *action));
    of_device(
        rank,
        {.severity = severity, .basis = Basis::Device, .text = std::move(text), .action = action});
  }
  void of_device(const RankRecord& rank, Finding finding) {
    if (known_.emplace(rank.node, rank.device, finding.text).second)
      all_.push_back({std::move(finding), rank.rank});
  }
  std::vector<RankFinding> take() { return std::move(all_); }

 private:
  void add(Severity severity, int rank, std::string text, int peer = kNoPeer) {
    all_.push_back(
        {{.severity = severity, .basis = Basis::Device, .text = std::move(text)}, rank, peer});
  }

  std::vector<RankFinding> all_;
  std::set<std::tuple<int, std::string, std::string>> known_;
};

double gigabytes(std::int64_t bytes) {
  return 1e-9 * static_cast<double>(bytes);
}

void look_at_memory_errors(const RankRecord& rank, Findings& found) {
  const hpcx::DeviceHealth& health = rank.health;
  const std::int64_t now = health.uncorrected_errors.value_or(0);
  const std::int64_t ever = health.uncorrected_errors_ever.value_or(0);
  if (now > 0)
    found.of_device(
        Severity::Fault, rank,
        count_text(now, "memory error") + " that ECC could not correct since the driver was loaded",
        Action::Isolate);
  else if (ever > 0)
    found.of_device(
        Severity::Remark, rank,
        count_text(ever, "memory error") + " that ECC could not correct in the device's life");
  if (health.ecc == false)
    found.of_device(Severity::Remark, rank, "ECC of the device's memory is off");
  if (!health.remapped_rows) return;
  const hpcx::RemappedRows& rows = *health.remapped_rows;
  if (rows.failed)
    found.of_device(Severity::Fault, rank,
                    "a row of memory could not be remapped: replace the device", Action::Isolate);
  if (rows.pending)
    found.of_device(Severity::Fault, rank, "a row of memory waits to be remapped: reset the device",
                    Action::Reset);
  if (rows.after_uncorrected > 0)
    found.of_device(
        Severity::Remark, rank,
        count_text(rows.after_uncorrected, "row") + " of memory remapped after uncorrected errors");
}

void look_at_events(const RankRecord& rank, Findings& found) {
  for (Finding& finding : judge_events(rank.events))
    found.of_device(rank, std::move(finding));
  for (Finding& finding : judge_events(rank.host_events.value_or(hpcx::EventCounts()))) {
    finding.text.insert(0, "host: ");
    found.of_device(rank, std::move(finding));
  }
}

void look_at_power_and_heat(const RankRecord& rank, Findings& found) {
  for (const std::string& reason : rank.throttle_reasons) {
    const bool bad = std::ranges::find(kBadReasons, reason) != kBadReasons.end();
    if (reason != hpcx::throttle::kPowerCap)  // where a good device is to be
      found.of_device(bad ? Severity::Fault : Severity::Remark, rank,
                      "throttled under load: " + reason);
  }
  const auto& limit = rank.health.power_limit_watts;
  const auto& usual = rank.health.default_power_limit_watts;
  if (limit && usual && *limit < *usual)
    found.of_device(
        Severity::Remark, rank,
        fmt::format("power limited to {:.0f} W, the device's default is {:.0f} W", *limit, *usual));
  for (const Measurement& measured : rank.measurements)
    if (measured.metric == Figure::DeviceTemperature && measured.value > kHotCelsius)
      found.of_device(Severity::Remark, rank,
                      fmt::format("hotter than {:.0f} C under load", kHotCelsius));
}

/// They are a choice of the launch (--share-cores): no host is to blame.
void look_at_shared_cores(std::span<const RankRecord> ranks, Findings& found) {
  std::map<std::pair<int, int>, int> owners;  // node and core -> rank
  for (const RankRecord& rank : ranks) {
    std::map<int, std::vector<int>> shared;  // other rank -> cores
    for (const int core : rank.cores)
      if (const auto [owner, is_first] = owners.try_emplace({rank.node, core}, rank.rank);
          !is_first)
        shared[owner->second].push_back(core);
    for (const auto& [other, cores] : shared)
      found.remark(rank.rank,
                   cores.size() == 1
                       ? fmt::format("two ranks on core {}", cores.front())
                       : fmt::format("two ranks on the same {} cores, from core {} on",
                                     cores.size(), cores.front()),
                   other);
  }
}

/// The kernel that more than half of the ranks of a processor model use, by model. Ranks whose
/// kernel is below the machine have no say.
std::map<std::string, std::string> usual_kernels(std::span<const RankRecord> ranks) {
  std::map<std::string, std::map<std::string, int>> counts;
  std::map<std::string, int> totals;
  for (const RankRecord& rank : ranks)
    if (!rank.blas_kernel.empty() && rank.kernel_warning.empty()) {
      ++counts[rank.processor][rank.blas_kernel];
      ++totals[rank.processor];
    }
  std::map<std::string, std::string> usual;
  for (const auto& [processor, kernels] : counts)
    for (const auto& [kernel, users] : kernels)
      if (2 * users > totals[processor]) usual[processor] = kernel;
  return usual;
}

void look_at_host(const RankRecord& rank, const std::string& usual_kernel, Findings& found) {
  if (!rank.kernel_warning.empty())
    found.fault(rank.rank, rank.kernel_warning);
  else if (!rank.blas_kernel.empty() && !usual_kernel.empty() && rank.blas_kernel != usual_kernel)
    found.fault(rank.rank, fmt::format("BLAS kernel {} where most ranks use {}", rank.blas_kernel,
                                       usual_kernel));
  if (rank.needed_bytes > rank.free_bytes)
    found.fault(
        rank.rank,
        fmt::format("too little memory: the run needs {:.2f} GB, {:.2f} GB are free ({})",
                    gigabytes(rank.needed_bytes), gigabytes(rank.free_bytes), rank.memory_source));
  if (rank.far_from_device)
    found.fault(rank.rank,
                fmt::format("its cores (NUMA node {}) are far from its device (NUMA node {})",
                            rank.numa_node, rank.device_numa_node));
  if (!rank.threads_granted)
    found.remark(rank.rank, fmt::format("MPI grants threads {}: the fine pipeline cannot be used",
                                        to_string(rank.thread_level)));
  for (const ProbeNote& note : rank.failed)
    found.fault(rank.rank, fmt::format("{} could not be measured: {}", note.probe, note.reason));
  // Figures of ranks that share a core are not compared.
  if (!rank.oversubscribed)
    for (const ProbeNote& note : rank.disturbed)
      found.disturbed(rank.rank, fmt::format("{} was disturbed whenever it was measured: {}",
                                             note.probe, note.reason));
}

}  // namespace

std::vector<RankFinding> find_faults(std::span<const RankRecord> ranks) {
  Findings found;
  const auto usual = usual_kernels(ranks);
  for (const RankRecord& rank : ranks) {
    const auto kernel = usual.find(rank.processor);
    look_at_host(rank, kernel == usual.end() ? "" : kernel->second, found);
    look_at_power_and_heat(rank, found);
    look_at_memory_errors(rank, found);
    look_at_events(rank, found);
  }
  look_at_shared_cores(ranks, found);
  return found.take();
}

}  // namespace hpl
