#include "hpl/check/probes/preflight.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/number/statistics.h"
#include "hpl/base/number/stopwatch.h"
#include "hpl/check/findings/check_reference.h"
#include "hpl/check/probes/probe.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/job/live/disturbed.h"
#include "hpl/job/ranks/agreement.h"
#include "hpl/machine/host/blas.h"
#include "hpl/machine/host/host_events.h"
#include "hpl/machine/host/memory.h"
#include "hpl/machine/host/processor.h"
#include "hpl/machine/host/topology.h"
#include "hpl/report/result/hardware_events.h"
#include "placement.h"
#include "repetition.h"

namespace hpl {
namespace {

constexpr CheckForm kShort = CheckForm::Short, kFull = CheckForm::Full, kDeep = CheckForm::Deep;
constexpr std::array<Probe, 14> kProbes{{
    {"host DGEMM", kShort, false, probe_host_dgemm},
    {"device DGEMM", kShort, false, probe_device_dgemm},
    {"device memory copy", kFull, false, probe_device_memory},
    {"copies between host and device", kShort, false, probe_host_device_copies},
    {"MPI along rows", kShort, true, probe_rows},
    {"MPI along columns", kShort, true, probe_columns},
    {"MPI in a node", kFull, true, probe_pairs_in_node},
    {"links between devices", kFull, true, probe_device_pairs},
    {"MPI with device memory", kFull, true, probe_device_messages},
    {"MPI between nodes", kFull, true, probe_pairs_of_nodes},
    {"device memory between nodes", kFull, true, probe_devices_of_nodes},
    {"clocks of nodes", kShort, true, probe_clocks},
    {"begin of device and memory", kDeep, true, nullptr, measure_starts},
    {"copies one by one and at once", kDeep, true, nullptr, measure_copies},
}};

/// Communicators of the hosts, and who is on them.
struct Nodes {
  explicit Nodes(const mpi::Communicator& world)
      : node(world.split_shared()),
        leaders(world.subset(node.rank() == 0, world.rank())),
        node_ranks(node.all_gather(world.rank())) {
    const std::vector<int> first_ranks = world.all_gather(node_ranks.front());
    for (int rank = 0; rank < world.size(); ++rank)
      if (first_ranks[rank] == rank) leader_ranks.push_back(rank);
  }
  int number() const {
    return static_cast<int>(std::ranges::find(leader_ranks, node_ranks.front()) -
                            leader_ranks.begin());
  }

  mpi::Communicator node;
  std::optional<mpi::Communicator> leaders;
  std::vector<int> node_ranks, leader_ranks;
};

/// The facts that need no measurement.
RankRecord describe(const mpi::Communicator& world, const Nodes& nodes,
                    const PreflightSetup& setup) {
  const hpcx::DeviceProperties& device = setup.device.properties();
  const bool on_host = setup.device.shares_host_memory();
  const BlasInfo blas = blas_info();
  const MemoryBound memory =
      on_host ? memory_per_rank(available_memory(), nodes.node.size())
              : device_memory_per_rank(setup.device.memory().free, setup.ranks_on_device);
  const CoreSet& cores = setup.cores.cores;
  RankRecord record{
      .rank = world.rank(),
      .node = nodes.number(),
      .host = mpi::host_name(),
      .processor = cpu_model(),
      .device = on_host ? std::string(to_string(device.backend))
                        : fmt::format("{} {}", to_string(device.backend), device.index),
      .device_model = device.name,
      .blas_kernel = blas.kernel,
      .kernel_warning = kernel_warning(blas, kernel_choice(), cpu_features()).value_or(""),
      .thread_level = setup.thread_level,
      .threads_granted = setup.thread_level == mpi::ThreadLevel::Multiple || world.size() == 1,
      .numa_node = cores.empty() ? 0 : cores.front().numa_node,
      .bound = setup.bound,
      .oversubscribed = setup.cores.oversubscribed,
      .free_bytes = memory.bytes,
      .memory_source = memory.source,
      .needed_bytes = setup.needed_bytes,
      .health = setup.device.telemetry().health()};
  for (const Core& core : cores)
    record.cores.push_back(core.id);
  record.device_numa_node = device_numa_node(record.health.pci_address);
  record.far_from_device = is_far(cores, record.device_numa_node);
  record.measurements.push_back(
      {Figure::FreeMemory, kNoPeer, 1e-9 * static_cast<double>(memory.bytes)});
  if (const auto& watts = record.health.power_limit_watts)
    record.measurements.push_back({Figure::PowerLimit, kNoPeer, *watts});
  return record;
}

void measure_deep(const Probe& probe, const CheckContext& context, RankRecord& record) {
  DeepResult result = probe.deep({.device = context.device,
                                  .host = context.host,
                                  .world = context.world,
                                  .node = context.node,
                                  .seconds = context.deep_seconds,
                                  .memory_bytes = record.free_bytes});
  std::ranges::move(result.figures, std::back_inserter(record.deep));
  if (!result.skipped.empty()) record.skipped.push_back({probe.name, result.skipped});
  if (!result.failed.empty()) record.failed.push_back({probe.name, result.failed});
}

void measure(const Probe& probe, const CheckContext& context, RankRecord& record) {
  if (probe.deep != nullptr) return measure_deep(probe, context, record);
  if (probe.collective) return probe.measure(context, record);
  try {
    probe.measure(context, record);
  } catch (const std::exception& e) {
    record.failed.push_back({probe.name, e.what()});
  }
}

/// Probes that other processes on the host of this rank disturbed whenever they were made.
class Disturbances {
 public:
  Disturbances(const mpi::Communicator& world, const mpi::Communicator& node)
      : world_(world), node_(node) {}

  /// Notes how the latest measurement of a probe went: `reasons` on the first rank of each host.
  /// Collective.
  void note(std::size_t number, const std::vector<std::string>& reasons, const FigureFlags& figures,
            RankRecord& record) {
    if (!node_.broadcast_value(!reasons.empty(), 0)) quiet_[number] = true;
    const char* const probe = kProbes[number].name;
    std::erase_if(record.disturbed, [&](const ProbeNote& note) { return note.probe == probe; });
    if (!quiet_[number])
      for (const std::string& reason : reasons)
        record.disturbed.push_back({probe, reason});
    const std::vector<int> busy = world_.all_gather(quiet_[number] ? 0 : 1);
    for (Measurement& one : record.measurements)
      if (figures[static_cast<std::size_t>(one.metric)])
        one.crowded = busy[record.rank] != 0 || (one.peer != kNoPeer && busy[one.peer] != 0);
  }

 private:
  const mpi::Communicator& world_;
  const mpi::Communicator& node_;
  std::array<bool, kProbes.size()> quiet_{};
};

std::vector<RankRecord> gathered(const mpi::Communicator& world, const RankRecord& record) {
  std::vector<RankRecord> ranks;
  for (const std::string& bytes : world.gather_text(pack(record), 0))
    ranks.push_back(unpack<RankRecord>(bytes));
  return ranks;
}

/// Rank 0 alone knows the reference and all ranks.
void refuse_other_machine(const mpi::Communicator& world, const CheckReference& reference,
                          const std::vector<RankRecord>& ranks) {
  on_rank_0(world, [&] {
    if (const auto mismatch = reference_mismatch(reference, ranks))
      throw ConfigError("--reference " + *mismatch);
  });
}

}  // namespace

std::span<const Probe> probes() {
  return kProbes;
}

CheckReport run_preflight(const mpi::Communicator& world, const PreflightSetup& setup) {
  const Stopwatch watch;
  const Nodes nodes(world);
  const CheckContext context{.device = setup.device,
                             .host = setup.host,
                             .world = world,
                             .node = nodes.node,
                             .leaders = nodes.leaders,
                             .node_ranks = nodes.node_ranks,
                             .leader_ranks = nodes.leader_ranks,
                             .cores = setup.bound ? setup.cores.cores : CoreSet(),
                             .grid = setup.grid,
                             .rank_order = setup.rank_order,
                             .grid_ranks = setup.grid_ranks,
                             .form = setup.form,
                             .deep_seconds = setup.deep_seconds,
                             .transport = setup.transport};
  if (setup.on_size)
    setup.on_size(size_of_check(world.size(), static_cast<int>(nodes.leader_ranks.size())));
  RankRecord record = describe(world, nodes, setup);
  const bool leads_host = nodes.node.rank() == 0;
  hpcx::Telemetry& counters = setup.device.telemetry();
  const hpcx::EventCounts device_before = counters.events();
  const hpcx::EventCounts host_before = leads_host ? host_events() : hpcx::EventCounts();
  const auto judged = [&] {
    record.events = events_between(device_before, counters.events(), watch.seconds());
    if (leads_host)
      record.host_events = events_between(host_before, host_events(), watch.seconds());
    return judge(setup.form, gathered(world, record), setup.rules);
  };
  if (setup.rules.reference != nullptr)
    refuse_other_machine(world, *setup.rules.reference, gathered(world, record));
  std::array<FigureFlags, kProbes.size()> measured{};
  const auto run = [&](const Probe& probe, RankRecord& into) {
    world.barrier();
    if (setup.on_probe) setup.on_probe(probe.name);
    measure(probe, context, into);
  };
  Disturbances disturbances(world, nodes.node);
  const auto run_beside_others = [&](int times_again, const std::function<void()>& make) {
    return measure_beside_others(world, nodes.node, context.device_is_host(), make, times_again,
                                 setup.load);
  };
  for (std::size_t number = 0; number < kProbes.size(); ++number) {
    if (setup.form < kProbes[number].first_form) continue;
    const Probe& probe = kProbes[number];
    const std::size_t before = record.measurements.size();
    bool first = true;
    const auto make = [&] {
      RankRecord again{.free_bytes = record.free_bytes};
      run(probe, first ? record : again);
      if (!std::exchange(first, false)) keep_better(record, again);
    };
    // The deep form's figures are no rates that others are compared with.
    if (probe.first_form == kDeep) {
      make();
      continue;
    }
    const std::vector<std::string> reasons = run_beside_others(kTimesAgain, make);
    measured[number] = metrics_of(std::span(record.measurements).subspan(before));
    disturbances.note(number, reasons, measured[number], record);
  }
  CheckReport report = judged();
  const Stopwatch since_first;
  // The short form only warns.
  const bool brief = setup.form == kShort;
  Patience patience(setup.rules.tolerance / 10, brief ? 1 : 8, brief ? 4 : 60);
  bool first = true;
  for (bool more = true; more;) {
    FigureFlags doubtful = doubtful_metrics(report);
    // Seconds later other machines on the same processor crowd other cores.
    if (std::exchange(first, false) && !brief && world.size() >= kFewestPeers &&
        !shares_cores(report))
      doubtful[static_cast<std::size_t>(Figure::HostDgemm)] = true;
    doubtful = world.broadcast_value(doubtful, 0);
    double gain = -1;  // nothing was measured
    for (std::size_t number = 0; number < kProbes.size(); ++number) {
      const int mine = have_common(measured[number], doubtful) ? 1 : 0;
      if (world.all_reduce(mine, mpi::Reduce::Max) == 0) continue;
      RankRecord again{.free_bytes = record.free_bytes};
      const std::vector<std::string> reasons =
          run_beside_others(0, [&] { run(kProbes[number], again); });
      gain = std::max(gain, keep_better(record, again));
      disturbances.note(number, reasons, measured[number], record);
    }
    gain = world.all_reduce(gain, mpi::Reduce::Max);
    if (gain < 0) break;
    report = judged();
    more = world.broadcast_value(
        patience.goes_on(since_first.seconds(), gain, has_crowded_rank(report)), 0);
  }
  condense_node_links(report);
  if (setup.rules.reference != nullptr)
    if (const auto missing = remark_on_missing(report, *setup.rules.reference))
      report.remarks.push_back(*missing);
  std::vector<hpcx::EventCounts> counted;
  for (const RankRecord& rank : report.ranks) {
    counted.push_back(rank.events);
    if (rank.host_events) counted.push_back(*rank.host_events);
  }
  if (auto unreadable = unreadable_events(counted))
    report.remarks.push_back(std::move(*unreadable));
  report.seconds = watch.seconds();
  return report;
}

}  // namespace hpl
