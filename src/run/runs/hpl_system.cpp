#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/text/quantity.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/job/live/gather.h"
#include "hpl/lu/pipeline/system_solver.h"
#include "hpl/lu/system/host_share.h"
#include "hpl/machine/host/memory_nodes.h"
#include "run_system.h"

namespace hpl {

namespace {

/// The places of this rank's matrix, and the device memory in use.
std::string describe_visits(const VisitPolicy& visits, const DistributedMatrix& matrix,
                            std::int64_t bytes, const hpcx::Device& device) {
  std::string text = fmt::format(
      "matrix in host memory: of {} columns a rank {} stay on the device, the others visit it for "
      "{} at a time",
      matrix.shape().stored_columns, matrix.resident_columns().count,
      count_text(visits.steps, "step"));
  if (!device.shares_host_memory())
    text += fmt::format("; {} of the device's memory in use", bytes_text(bytes));
  const hpcx::HostMemory& host = matrix.host_memory();
  const std::string nodes =
      memory_nodes().empty() ? "" : describe_nodes(node_shares(host.as<void>(), host.bytes()));
  if (!nodes.empty()) text += fmt::format("; it lies on {}", nodes);
  return text;
}

/// The host memory for the part of this rank's matrix that does not fit its device.
hpcx::HostMemorySpec host_memory_of(const RunContext& run) {
  const Machine& machine = run.job.machine;
  hpcx::HostMemorySpec host{
      .threads = &machine.host(), .place = [&machine](void* data, std::size_t bytes) {
        place_memory(data, bytes, machine.nodes_for_host_memory(static_cast<std::int64_t>(bytes)));
      }};
  if (run.settings.pinned_memory) {
    host.most_pinned = static_cast<std::size_t>(*run.settings.pinned_memory);
    host.why_not_more = "--pinned-memory";
  }
  return host;
}

/// The part of the matrix in host memory that could not be pinned, with reason and effect, on rank
/// 0; empty if all is pinned. Of several such ranks the first tells. Collective over `ranks`.
std::optional<std::string> describe_pinning(const mpi::Communicator& ranks,
                                            const hpcx::HostMemory& host) {
  std::string text;
  if (!host.pinned()) {
    const auto amount = [](std::size_t bytes) {
      return bytes_text(static_cast<std::int64_t>(bytes));
    };
    text = fmt::format("{} of {} of the matrix in host memory are pinned: {}; copies of the rest ",
                       amount(host.pinned_bytes()), amount(host.bytes()), host.why_not_pinned());
    text += host.staging_bytes() > 0
                ? fmt::format("go through a staging area of {}", amount(host.staging_bytes()))
                : "are the driver's and may keep the schedule waiting";
  }
  std::vector<std::string> all = ranks.gather_text(text, 0);
  std::erase(all, std::string());
  if (all.size() > 1) all.front() += fmt::format("; so on {} ranks", all.size());
  return all.empty() ? std::nullopt : std::optional(all.front());
}

class HplSystem final : public RunSystem {
 public:
  explicit HplSystem(const RunContext& run)
      : run_(run),
        device_(run.job.machine.device()),
        ranks_(run.ranks),
        memory_before_(device_.memory().free),
        system_(device_, ranks_, run.spec,
                {run.settings.stages.schedule.visits, host_memory_of(run)}) {
    if (run.spec.checksums)
      system_.carry_checksums(run.settings.checksum_interval, run.settings.stages.schedule);
  }

  const ProcessGrid& grid() const override { return system_.grid; }
  const LocalShape& shape() const override { return system_.shape(); }
  const StageStreams& streams() const override { return system_.streams; }

  void set_up(FactorizationContext context, const GridLinks& links, RunResult& result) override {
    std::vector<Remark>& remarks = result.remarks;
    PipelineSettings& settings = context.settings;
    if (settings.schedule.host_takes_part) settle_share_of_host(settings, remarks);
    if (settings.device_panel) settle_device_panel(settings, remarks);
    solver_.emplace(
        system_, context,
        substitution_policy(device_.shares_host_memory(), run_.job.options.wishes.reproducible,
                            context.host.properties().compute_units));
    describe_memory(settings.schedule.visits, links.device_bytes().value_or(0), remarks);
  }

  void solve(RunResult&) override {
    solver_->factorize();
    const Stages& stages = solver_->stages();
    if (!stages.factorized()) return;
    run_.job.watchdog.enter("substitutes back");
    const ScopedSpan span(stages.context().recorder, Track::UpdateWorker, Phase::BackSubstitution,
                          stages.steps());
    solver_->substitute();
  }

  std::int64_t end(RunResult& result) override {
    const Stages& stages = solver_->stages();
    result.zero_pivot_column = stages.zero_pivot_column();
    if (const std::optional<HostWork> work = stages.host_work()) {
      result.host_work.emplace();
      for (const HostWork& of_rank : ranks_.gather(*work, 0))
        *result.host_work += of_rank;
    }
    const std::int64_t steps = stages.steps();
    solver_.reset();
    return steps;
  }

  void describe(RunResult& result, std::int64_t steps) const override {
    if (!result.zero_pivot_column && !result.stopped)
      result.solution_hash = system_.solution_hash();
    if (!system_.checksums) return;
    // Checksums end at the step of a zero pivot: its column is left undivided.
    const std::int64_t end =
        result.zero_pivot_column ? *result.zero_pivot_column / run_.spec.block_size : steps;
    result.checksums =
        gather_checksums(ranks_, *system_.checksums, run_.settings.checksum_interval, end);
  }

  Residual verify() const override { return system_.verify(); }

 private:
  void settle_share_of_host(PipelineSettings& settings, std::vector<Remark>& remarks) {
    const auto [share, remark] =
        settle_host_share(ranks_, {.wanted = run_.settings.host_share,
                                   .grid_rows = run_.spec.grid_rows,
                                   .load = hybrid_load(system_.shape(), settings.schedule),
                                   .measure = [&] {
                                     return measure_hybrid(device_, run_.job.machine.host(),
                                                           system_.matrix, system_.streams);
                                   }});
    settings.host_share = share;
    settings.schedule.host_takes_part = remark.empty();
    if (!remark.empty()) remarks.push_back(warning("host share", remark));
  }

  /// Ranks that cannot make panels together leave them to their hosts.
  void settle_device_panel(PipelineSettings& stages, std::vector<Remark>& remarks) {
    const PanelGroups groups =
        find_panel_groups(device_, system_.grid.column(), stages.pivots_by_host);
    // Blocks distributed by rates may be more rows than decide() counted.
    std::string reason =
        panel_units(system_.spec, device_.properties().compute_units, stages.panel_compute_units)
            .lack;
    if (groups.sizes.empty()) reason = groups.reason;
    const std::string refusal = mpi::common_reason(ranks_, reason);
    stages.device_panel = refusal.empty();
    stages.panel_groups = groups.sizes;
    if (!refusal.empty())
      remarks.push_back(warning("panel", "host panel, not the device's: " + refusal));
    else if (groups.sizes.size() > 1)
      remarks.push_back(warning(
          "panel", "device panel: the hosts carry pivots between devices: " + groups.reason));
  }

  /// `links`: bytes that were in use before the matrix.
  void describe_memory(const VisitPolicy& visits, std::int64_t links,
                       std::vector<Remark>& remarks) {
    if (system_.visited.columns > 0)
      remarks.push_back(
          note("matrix", describe_visits(visits, system_.matrix,
                                         links + memory_before_ - device_.memory().free, device_)));
    if (run_.spec.matrix == MatrixRequest::Device) return;
    if (const auto pinning = describe_pinning(ranks_, system_.matrix.host_memory()))
      remarks.push_back(warning("host memory", *pinning));
  }

  const RunContext& run_;
  hpcx::Device& device_;
  const mpi::Communicator& ranks_;
  std::int64_t memory_before_;
  LinearSystem system_;
  std::optional<SystemSolver> solver_;
};

}  // namespace

std::unique_ptr<RunSystem> make_run_system(const RunContext& run) {
  if (run.spec.mixed) return make_mixed_run_system(run);
  return std::make_unique<HplSystem>(run);
}

}  // namespace hpl
