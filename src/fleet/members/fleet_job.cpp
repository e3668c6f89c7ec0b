#include "hpl/fleet/members/fleet_job.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fleet_division.h"
#include "fleet_expectation.h"
#include "fleet_member.h"
#include "fleet_messages.h"
#include "fleet_output.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/number/statistics.h"
#include "hpl/base/record/record.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/check/report/check_text.h"
#include "hpl/check/report/preflight_check.h"
#include "hpl/fleet/judge/fleet_json.h"
#include "hpl/fleet/judge/fleet_merge.h"
#include "hpl/fleet/judge/fleet_verdict.h"
#include "hpl/job/live/status_line.h"
#include "hpl/job/ranks/agreement.h"
#include "hpl/machine/host/versions.h"
#include "hpl/plan/plan_input.h"
#include "hpl/plan/time_estimate.h"
#include "hpl/run/runs/job_output.h"
#include "hpl/run/runs/rank_card.h"

namespace hpl {

namespace {

using Clock = std::chrono::steady_clock;

/// For a time that is asked for: fewer show no loss of rate.
constexpr int kFewestRounds = 3;

class FleetJob {
 public:
  FleetJob(const JobStart& start, const Machine& machine, std::pair<std::string, HplDat> input,
           FleetChanges changes)
      : world_(start.world),
        machine_(machine),
        options_(start.options),
        watchdog_(start.watchdog),
        input_(std::move(input)),
        ranks_(world_, machine, options_.fleet.member),
        output_(root(), start.page_of, changes),
        messages_(world_) {}
  ~FleetJob() { watchdog_.on_bad_end(nullptr); }
  FleetJob(const FleetJob&) = delete;
  FleetJob& operator=(const FleetJob&) = delete;

  ExitCode run() {
    on_active([&] { rates_ = rates_of_job(*ranks_.active(), options_, machine_); });
    make_jobs();
    plan();
    show();
    if (options_.fleet.plan) return ExitCode::Passed;
    begin();
    watchdog_.on_bad_end([this](const BadEnd& end) { output_.failure(end); });
    try {
      output_.start();
      make_rounds();
      return world_.broadcast_value(output_.close(), 0);
    } catch (const std::exception& e) {
      watchdog_.fail(e.what());
    }
  }

 private:
  bool root() const { return world_.rank() == 0; }
  std::size_t round_count() const { return ranks_.division().rounds.size(); }
  std::size_t member_count(std::size_t round) const {
    return ranks_.division().rounds[round].size();
  }

  /// `action` on the ranks that have a device. A ConfigError there, the same in a member, becomes
  /// one on every rank. Collective over the world.
  template <class Action>
  void on_active(Action&& action) {
    std::optional<std::string> complaint;
    try {
      if (ranks_.active()) action();
    } catch (const ConfigError& e) {
      complaint = e.what();
    } catch (const std::exception& e) {
      watchdog_.fail(e.what());  // the ranks without a part would wait for ever
    }
    refuse_together(world_, complaint);
  }

  /// The job of this rank's member in each round of the division; null where the rank rests.
  /// Collective over the world.
  void make_jobs() {
    const std::vector<ProcessId> of_host = world_.split_shared().all_gather(this_process());
    jobs_.resize(round_count());
    if (!ranks_.active()) return;
    const mpi::Communicator& active = *ranks_.active();
    const JobContext fleet{world_, machine_, options_, watchdog_, rates_ ? &*rates_ : nullptr};
    for (std::size_t round = 0; round < jobs_.size(); ++round) {
      const auto position = ranks_.position_in(round);
      const std::vector<int>& members = ranks_.division().rounds[round];
      mpi::Communicator ranks =
          active.split(position.value_or(static_cast<int>(members.size())), active.rank());
      if (position)
        jobs_[round] =
            std::make_unique<MemberJob>(members[*position], std::move(ranks), fleet, of_host);
    }
  }

  /// A job of this rank, which may rest in some rounds; null where it has none.
  MemberJob* any_job() const {
    for (const std::unique_ptr<MemberJob>& job : jobs_)
      if (job) return job.get();
    return nullptr;
  }

  /// The same run for every member: what is left open is chosen in each, and the smallest N counts.
  void plan() {
    HplDat& dat = input_.second;
    if (dat.orders.empty() || (options_.runs.mem_fraction && options_.fields.orders.empty()))
      choose_order();
    on_active([&] {
      for (const std::unique_ptr<MemberJob>& job : jobs_)
        if (job) job->make_plan(input_.first, dat);
    });
    spec_ = run_of_any(any_job());
  }

  /// The run of a job that some ranks have, on every rank. Collective over the world.
  RunSpec run_of_any(const MemberJob* job) const {
    const int holder = static_cast<int>(
        world_.all_reduce(job != nullptr ? world_.rank() : world_.size(), mpi::Reduce::Min));
    return unpack<RunSpec>(
        world_.broadcast(job != nullptr ? pack(job->plan().runs.front()) : "", holder));
  }

  void choose_order() {
    MemberJob* const job = jobs_.front().get();
    HplDat& dat = input_.second;
    std::int64_t order = std::numeric_limits<std::int64_t>::max();
    on_active([&] {
      if (job == nullptr) return;
      job->make_plan(input_.first, dat);
      dat = job->plan().dat;
      order = dat.orders.front();
    });
    order = world_.all_reduce(order, mpi::Reduce::Min);
    // Ranks that rest in the first round have chosen nothing.
    const RunSpec chosen = run_of_any(job);
    dat.orders = {order};
    dat.block_sizes = {chosen.block_size};
    dat.grid_rows = {chosen.grid_rows};
    dat.grid_columns = {chosen.grid_columns};
    options_.fields.orders = {order};
    options_.runs.mem_fraction.reset();
    std::erase_if(dat.chosen, [](const Decision& choice) { return choice.about == "N"; });
    dat.chosen.push_back({"N", fmt::format("{}", order), "the smallest of what suits each member"});
  }

  /// The plan of one member, since all are alike.
  void show() {
    MemberJob* const job = jobs_.front().get();
    if (job == nullptr || job->member() != 0) return;
    if (options_.fleet.plan) show_plan(job->context(), job->plan());
  }

  void begin() {
    FleetReport report;
    MemberJob* const job = any_job();
    if (root() && job != nullptr)
      report.header = job_header(job->context(), job->plan());
    else
      report.header = {.program = program_info("xhpl", options_.words, options_.outputs.labels),
                       .environment = machine_.environment(),
                       .remarks = machine_.remarks(),
                       .resources = machine_.resources()};
    // The choice of one member's grid says nothing of the fleet.
    std::erase_if(report.header.remarks, [](const Remark& remark) {
      return remark.severity == Severity::Remark && remark.about == "P x Q";
    });
    report.each = options_.fleet.member;
    report.spec = spec_;
    report.wanted_seconds = options_.fleet.for_seconds;
    report.thresholds = {.tolerance = options_.check.tolerance,
                         .spreads = options_.fleet.spreads,
                         .gates = options_.gates,
                         .strict = options_.check.strict};
    report.shared_cores = machine_.oversubscribed();
    std::vector<RankCard> cards = gather_rank_cards(world_, machine_, ranks_.why_out(machine_));
    on_rank_0(world_, [&] {
      fill(report, cards);
      if (options_.fleet.reference) add_reference(report);
      if (options_.fleet.expectation)
        add_expectations(report, options_.fleet.expectation->string(),
                         job != nullptr ? &job->plan().settings.front() : nullptr);
    });
    output_.open(world_, options_, input_.second);
    preflight(report.header);
    for (const FleetMember& member : report.members)
      names_.push_back(member.name);
    report.started = zoned_now();
    output_.begin(std::move(report));
  }

  /// Hosts and members, from the cards of all ranks.
  void fill(FleetReport& report, std::vector<RankCard>& cards) const {
    for (JobHost& host : hosts_of(cards))
      report.hosts.push_back({std::move(host)});
    for (std::size_t number = 0; number < ranks_.division().members.size(); ++number) {
      FleetMember member{.ranks = ranks_.world_ranks(static_cast<int>(number))};
      for (const int rank : member.ranks)
        member.devices.push_back(*cards.at(rank).device);
      name_member(member, report.each);
      report.members.push_back(std::move(member));
    }
    expect_hosts(report, options_.fleet.expected_hosts);
  }

  void add_reference(FleetReport& report) {
    const std::string file = options_.fleet.reference->string();
    const JsonCursor::Json document =
        renewed_fleet(parse_json(file, read_json_text(file), "xhpl fleet --json"));
    report.reference = read_reference(JsonCursor(document, file), file);
    if (const auto mismatch = reference_mismatch(*report.reference, report))
      throw ConfigError("--reference " + *mismatch);
    output_.compare_with(read_fleet(JsonCursor(document, file)));
  }

  /// The check before the runs, if rank 0 takes part and can report it.
  void preflight(JobHeader& header) {
    const bool told = world_.broadcast_value(ranks_.active().has_value(), 0);
    if (!told || !ranks_.active() || !options_.check.before_runs ||
        spec_.order < kLeastWorthMeasuring)
      return;
    JobPlan plan;  // of all ranks alike, whether they have a part in the first round or not
    plan.dat.grid_rows = {spec_.grid_rows};
    plan.dat.grid_columns = {spec_.grid_columns};
    plan.layout = RankLayout{.nodes = NodeMap::of(*ranks_.active())};
    const JobContext context{*ranks_.active(), machine_, options_, watchdog_};
    const CheckReport found = check_machine(CheckForm::Short, context, plan);
    if (!root()) return;
    header.environment.emplace_back("pre-flight", check_line(found));
    append(header.remarks, check_remarks(found));
  }

  /// Members run beside each other for a round, then wait for each other. For a time that is asked
  /// for they go on by themselves meanwhile: a slow one does not let the others cool down.
  void make_rounds() {
    const LiveView view = live_view(options_.outputs.progress);
    if (world_.broadcast_value(view.form != LiveForm::None, 0))
      progress_.emplace(world_, std::cerr, view);
    const auto least = static_cast<std::int64_t>(round_count()) *
                       (options_.fleet.for_seconds ? 1 : options_.runs.repeat);
    const Clock::time_point begin = Clock::now();
    double left = options_.fleet.for_seconds.value_or(0);
    for (std::int64_t round = 0;;) {
      const std::size_t which = static_cast<std::size_t>(round) % round_count();
      make_round(static_cast<int>(round), which, seconds_of_round(left));
      const std::chrono::duration<double> passed = Clock::now() - begin;
      const double seconds = world_.broadcast_value(passed.count(), 0);
      left = options_.fleet.for_seconds.value_or(0) - seconds;
      ++round;
      if (round >= least && !(left > 0)) return remark_on_rounds(round, seconds);
      // The report follows the last round, and may come through another pipe before its line.
      if (root() && progress_) show_round(round, which);
    }
  }

  /// Seconds for which members repeat by themselves; 0: they run once.
  double seconds_of_round(double left) const {
    if (!options_.fleet.for_seconds) return 0;
    const double share = std::clamp(*options_.fleet.for_seconds / 20, 60.0, 600.0);
    const double all = *options_.fleet.for_seconds / static_cast<double>(round_count());
    return std::min({share, all / kFewestRounds, std::max(left, 0.0)});
  }

  /// `rounds` of the division took `seconds`; a pair runs in one of several.
  void remark_on_rounds(std::int64_t rounds, double seconds) {
    const double times = static_cast<double>(rounds) / static_cast<double>(round_count());
    if (!root() || !options_.fleet.for_seconds || times >= kFewestRounds) return;
    output_.remark(warning("rounds", "--for {} left {} of {:.0f} s",
                           duration_text(*options_.fleet.for_seconds), count_text(rounds, "round"),
                           seconds / static_cast<double>(rounds)));
  }

  void make_round(int number, std::size_t which, double seconds) {
    MemberJob* const job = jobs_[which].get();
    const bool leads = job != nullptr && job->leads();
    FleetProgress* const progress = progress_ ? &*progress_ : nullptr;
    if (progress != nullptr) {
      std::vector<std::string> names;
      if (root())
        for (const int member : ranks_.division().rounds[which])
          names.push_back(name_of_member(member));
      progress->begin(number, std::move(names), leads ? ranks_.position_in(which) : std::nullopt);
    }
    watchdog_.rest("waits for the next round");
    world_.barrier();
    in_round_ = {.at_work = member_count(which)};
    if (job != nullptr)
      job->run_for(seconds, progress, label(*job, number),
                   [&](RunResult run) { hand_over(job->member(), std::move(run)); });
    watchdog_.rest("waits for the other members");
    if (leads) end_of(job->member());
    if (progress != nullptr) progress->finish([this] { take_arrived(); });
    if (!root()) return;
    mpi::wait_until(mpi::WaitPolicy::sleeping(), [this] {
      take_arrived();
      return in_round_.at_work == 0;
    });
  }

  /// On rank 0.
  const std::string& name_of_member(int member) const { return names_[member]; }

  /// The label of progress lines. Rank 0 alone shows them.
  std::string label(const MemberJob& job, int number) const {
    return root() ? fmt::format("{}, round {}", name_of_member(job.member()), number + 1) : "";
  }

  /// A run of the member that this rank leads, on its way to rank 0.
  void hand_over(int member, RunResult run) {
    if (root()) {
      take(member, std::move(run));
      take_arrived();
    } else {
      messages_.send(member, pack(run));
    }
  }

  void end_of(int member) {
    if (root())
      --in_round_.at_work;
    else
      messages_.end(member);
  }

  /// On rank 0: what other members have made.
  void take_arrived() {
    if (!root()) return;
    for (const FleetMessages::Message& message : messages_.receive())
      if (message.ends)
        --in_round_.at_work;
      else
        take(message.member, unpack<RunResult>(message.text));
    output_.update();
  }

  void take(int member, RunResult run) {
    in_round_.rates.push_back(run.gflops);
    if (run.gflops < in_round_.least) {
      in_round_.least = run.gflops;
      in_round_.slowest = name_of_member(member);
    }
    output_.add(static_cast<std::size_t>(member), std::move(run));
  }

  void show_round(std::int64_t round, std::size_t which) const {
    const double middle = median(in_round_.rates);
    const double percent = middle > 0 ? 100 * (in_round_.least / middle - 1) : 0;
    StatusLine(std::cerr, {LiveForm::Lines})
        .show(fmt::format("round {}: {}, {}, median {}, slowest {} {} ({:+.1f} %)", round,
                          count_text(member_count(which), "member"),
                          count_text(in_round_.rates.size(), "run"), rate_text(middle, 4),
                          in_round_.slowest, rate_text(in_round_.least, 4), percent));
  }

  /// On rank 0: what the members have made in this round so far.
  struct InRound {
    std::size_t at_work = 0;  ///< members
    std::vector<double> rates{};
    double least = std::numeric_limits<double>::infinity();
    std::string slowest{};
  };

  const mpi::Communicator& world_;
  const Machine& machine_;
  Options options_;
  Watchdog& watchdog_;
  std::pair<std::string, HplDat> input_;
  FleetRanks ranks_;
  FleetOutput output_;
  std::optional<Rates> rates_;
  std::vector<std::unique_ptr<MemberJob>> jobs_;  // by round of the division
  RunSpec spec_;
  std::vector<std::string> names_;  // on rank 0
  FleetMessages messages_;
  InRound in_round_;
  std::optional<FleetProgress> progress_;
};

}  // namespace

ExitCode run_fleet(const JobStart& start, FleetChanges changes) {
  auto input = read_plan_input(start.world, start.options);
  start.watchdog.enter("examines the machine", Watchdog::kSetUpAllowance);
  const Machine machine(start.world, start.environment, start.options, DevicePolicy::WithoutOne);
  return FleetJob(start, machine, std::move(input), changes).run();
}

}  // namespace hpl
