#include "hpl/job/fleet/fleet_job.h"

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

#include "fleet_members.h"
#include "fleet_messages.h"
#include "fleet_output.h"
#include "fleet_records.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/number/statistics.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/job/check/preflight_check.h"
#include "hpl/job/run/job_output.h"
#include "hpl/job/setup/on_rank_0.h"
#include "hpl/job/setup/plan_input.h"
#include "hpl/job/setup/same_input.h"
#include "hpl/job/setup/time_estimate.h"
#include "hpl/machine/host/versions.h"
#include "hpl/report/json/fleet_json.h"
#include "hpl/report/result/fleet_verdict.h"
#include "hpl/report/text/check_text.h"

namespace hpl {

namespace {

using Clock = std::chrono::steady_clock;

class FleetJob {
 public:
  FleetJob(const mpi::Communicator& world, const Machine& machine, Options options,
           Watchdog& watchdog, std::pair<std::string, HplDat> input)
      : world_(world),
        machine_(machine),
        options_(std::move(options)),
        watchdog_(watchdog),
        input_(std::move(input)),
        members_(world, machine, *options_.fleet.each),
        output_(world.rank() == 0),
        messages_(world) {}
  ~FleetJob() { watchdog_.on_bad_end(nullptr); }
  FleetJob(const FleetJob&) = delete;
  FleetJob& operator=(const FleetJob&) = delete;

  ExitCode run() {
    on_active([&] { rates_ = rates_of_job(*members_.active(), options_, machine_); });
    parts_ = members_.parts(machine_, options_, watchdog_, rates_ ? &*rates_ : nullptr);
    plan();
    show();
    if (options_.dry_run || options_.explain) return ExitCode::Passed;
    begin();
    watchdog_.on_bad_end([this](const std::string& message) { output_.failure(message); });
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
  std::size_t round_count() const { return members_.division().rounds.size(); }
  std::size_t unit_count(std::size_t round) const {
    return members_.division().rounds[round].size();
  }

  /// `action` on the ranks that have a device. A ConfigError there, the same in a unit, becomes one
  /// on every rank. Collective over the world.
  template <class Action>
  void on_active(Action&& action) {
    std::optional<std::string> complaint;
    try {
      if (members_.active()) action();
    } catch (const ConfigError& e) {
      complaint = e.what();
    } catch (const std::exception& e) {
      watchdog_.fail(e.what());  // the ranks without a part would wait for ever
    }
    refuse_together(world_, complaint);
  }

  /// A part of this rank, which may rest in some rounds; null where it has none.
  FleetPart* any_part() const {
    for (const std::unique_ptr<FleetPart>& part : parts_)
      if (part) return part.get();
    return nullptr;
  }

  /// The same run for every unit: what is left open is chosen in each, and the smallest N counts.
  void plan() {
    HplDat& dat = input_.second;
    if (dat.orders.empty() || (options_.runs.mem_fraction && options_.fields.orders.empty()))
      choose_order();
    on_active([&] {
      for (const std::unique_ptr<FleetPart>& part : parts_)
        if (part) part->make_plan(input_.first, dat);
    });
    // The rank that reports may have no part: one that has tells the others.
    FleetPart* const part = any_part();
    const int holder = static_cast<int>(
        world_.all_reduce(part != nullptr ? world_.rank() : world_.size(), mpi::Reduce::Min));
    spec_ = read_spec_text(
        world_.broadcast(part != nullptr ? spec_text(part->plan().runs.front()) : "", holder));
  }

  void choose_order() {
    FleetPart* const part = parts_.front().get();
    HplDat& dat = input_.second;
    std::int64_t order = std::numeric_limits<std::int64_t>::max();
    on_active([&] {
      if (part == nullptr) return;
      part->make_plan(input_.first, dat);
      dat = part->plan().dat;
      order = dat.orders.front();
    });
    order = world_.all_reduce(order, mpi::Reduce::Min);
    dat.orders = {order};
    options_.fields.orders = {order};
    options_.runs.mem_fraction.reset();
    on_active([&] { share_choice(part != nullptr); });
    std::erase_if(dat.chosen, [](const Decision& choice) { return choice.about == "N"; });
    dat.chosen.push_back({"N", fmt::format("{}", order), "the smallest of what suits each unit"});
  }

  /// What was chosen beside N, for those who rest in the first round. Collective over the active
  /// ranks.
  void share_choice(bool chosen) {
    struct Choice {
      std::int64_t block_size = 1;
      int rows = 1, columns = 1;
    };
    const mpi::Communicator& active = *members_.active();
    const int holder = static_cast<int>(
        active.all_reduce(chosen ? active.rank() : active.size(), mpi::Reduce::Min));
    HplDat& dat = input_.second;
    const Choice choice = active.broadcast_value(
        chosen ? Choice{dat.block_sizes.front(), dat.grid_rows.front(), dat.grid_columns.front()}
               : Choice{},
        holder);
    dat.block_sizes = {choice.block_size};
    dat.grid_rows = {choice.rows};
    dat.grid_columns = {choice.columns};
  }

  /// --dry-run, --explain, --write-dat: of one unit, since all are alike.
  void show() {
    FleetPart* const part = parts_.front().get();
    if (part == nullptr || part->unit() != 0) return;
    if (options_.outputs.dat) write_dat_copy(part->context(), part->plan());
    if (options_.dry_run || options_.explain) show_plan(part->context(), part->plan());
  }

  void begin() {
    FleetReport report;
    FleetPart* const part = any_part();
    if (root() && part != nullptr)
      report.header = job_header(part->context(), part->plan());
    else
      report.header = {.program = {"xhpl", program_version()},
                       .environment = machine_.environment(),
                       .remarks = machine_.remarks(),
                       .parameters = {}};
    report.each = *options_.fleet.each;
    report.spec = spec_;
    report.wanted_seconds = options_.fleet.for_seconds;
    report.thresholds = {.tolerance = options_.check.tolerance,
                         .spreads = options_.fleet.spreads,
                         .gates = options_.gates};
    const std::vector<std::string> cards =
        world_.gather_text(rank_card(world_.rank(), machine_, members_.why_out(machine_)), 0);
    const auto nothing = on_rank_0(world_, [&] {
      fill_fleet(report, cards, members_.division(), members_.active_ranks(),
                 options_.fleet.expected_hosts);
      if (options_.fleet.reference) report.reference = reference_for(report);
      return 0;
    });
    static_cast<void>(nothing);
    output_.open(world_, options_, input_.second);
    preflight(report.header);
    for (const FleetUnit& unit : report.units)
      unit_names_.push_back(unit.name);
    report.started = zoned_now();
    output_.begin(std::move(report));
  }

  FleetReference reference_for(const FleetReport& report) const {
    const std::string file = options_.fleet.reference->string();
    const JsonCursor::Json document =
        parse_json(file, read_json_text(file), "xhpl --each with --json or --write-reference");
    FleetReference reference = read_reference(JsonCursor(document, file), file);
    if (const auto mismatch = reference_mismatch(reference, report))
      throw ConfigError("--reference " + *mismatch);
    return reference;
  }

  /// As before the runs of a job, where rank 0 can tell of it.
  void preflight(JobHeader& header) {
    const bool told = world_.broadcast_value(members_.active().has_value(), 0);
    if (!told || !members_.active() || !options_.check.before_runs ||
        spec_.order < kLeastWorthMeasuring)
      return;
    JobPlan plan;  // of all ranks alike, whether they have a part in the first round or not
    plan.dat.grid_rows = {spec_.grid_rows};
    plan.dat.grid_columns = {spec_.grid_columns};
    const JobContext context{*members_.active(), machine_, options_, watchdog_};
    const CheckReport found = check_machine(CheckForm::Short, context, plan);
    if (!root()) return;
    header.environment.emplace_back("pre-flight", check_line(found));
    const std::vector<std::string> remarks = check_remarks(found);
    header.remarks.insert(header.remarks.end(), remarks.begin(), remarks.end());
  }

  /// Units run beside each other for a round, then wait for each other. For a time that is asked
  /// for they go on by themselves meanwhile: a slow one does not let the others cool down.
  void make_rounds() {
    if (world_.broadcast_value(options_.outputs.progress.value_or(standard_error_is_terminal()), 0))
      progress_.emplace(world_, std::cerr);
    const auto least = static_cast<std::int64_t>(round_count()) *
                       (options_.fleet.for_seconds ? 1 : options_.runs.repeat);
    const Clock::time_point begin = Clock::now();
    for (std::int64_t round = 0;; ++round) {
      const std::chrono::duration<double> passed = Clock::now() - begin;
      const double left =
          options_.fleet.for_seconds.value_or(0) - world_.broadcast_value(passed.count(), 0);
      if (round >= least && !(left > 0)) return;
      make_round(static_cast<int>(round), static_cast<std::size_t>(round) % round_count(),
                 seconds_of_round(left));
    }
  }

  /// For which units repeat by themselves; 0: they run once.
  double seconds_of_round(double left) const {
    if (!options_.fleet.for_seconds) return 0;
    const double share = std::clamp(*options_.fleet.for_seconds / 20, 60.0, 600.0);
    const double all = *options_.fleet.for_seconds / static_cast<double>(round_count());
    return std::min({share, all, std::max(left, 0.0)});
  }

  void make_round(int number, std::size_t which, double seconds) {
    FleetPart* const part = parts_[which].get();
    const bool leads = part != nullptr && part->leads();
    FleetProgress* const progress = progress_ ? &*progress_ : nullptr;
    if (progress != nullptr) {
      std::vector<std::string> names;
      if (root())
        for (const int unit : members_.division().rounds[which])
          names.push_back(unit_names_[static_cast<std::size_t>(unit)]);
      progress->begin(number, std::move(names), leads ? members_.position_in(which) : std::nullopt);
    }
    watchdog_.rest("waits for the next round");
    world_.barrier();
    in_round_ = {.units_at_work = unit_count(which)};
    if (part != nullptr)
      part->run_for(seconds, progress, label(*part, number), [&](FleetRound made) {
        std::vector<FleetRound> one;
        one.push_back(std::move(made));
        hand_over(part->unit(), std::move(one));
      });
    watchdog_.rest("waits for the other units");
    if (leads) end_of(part->unit());
    if (progress != nullptr) progress->finish([this] { take_arrived(); });
    if (!root()) return;
    mpi::wait_until(mpi::WaitPolicy::sleeping(), [this] {
      take_arrived();
      return in_round_.units_at_work == 0;
    });
    if (progress_) show_round(number, which);
  }

  /// Of progress lines, which rank 0 alone shows.
  std::string label(const FleetPart& part, int number) const {
    if (!root()) return {};
    return fmt::format("{}, round {}", unit_names_[static_cast<std::size_t>(part.unit())],
                       number + 1);
  }

  /// Rounds of the unit that this rank leads, on their way to rank 0.
  void hand_over(int unit, std::vector<FleetRound> rounds) {
    if (root()) {
      take(unit, std::move(rounds));
      take_arrived();
    } else {
      messages_.send(unit, rounds_text(std::move(rounds)));
    }
  }

  void end_of(int unit) {
    if (root())
      --in_round_.units_at_work;
    else
      messages_.end(unit);
  }

  /// On rank 0: what other units have made.
  void take_arrived() {
    if (!root()) return;
    for (const FleetMessages::Message& message : messages_.receive())
      if (message.ends)
        --in_round_.units_at_work;
      else
        take(message.unit, read_rounds(message.text));
  }

  void take(int unit, std::vector<FleetRound> rounds) {
    for (const FleetRound& round : rounds) {
      in_round_.rates.push_back(round.gflops);
      if (round.gflops >= in_round_.least) continue;
      in_round_.least = round.gflops;
      in_round_.slowest = unit_names_[static_cast<std::size_t>(unit)];
    }
    output_.add(static_cast<std::size_t>(unit), std::move(rounds));
    output_.update();
  }

  void show_round(int number, std::size_t which) const {
    const double middle = median(in_round_.rates);
    const double percent = middle > 0 ? 100 * (in_round_.least / middle - 1) : 0;
    std::cerr << fmt::format(
                     "# round {}: {} unit(s), {} run(s), median {:.2f} GFLOP/s, slowest {} {:.2f} "
                     "({:+.1f} %)\n",
                     number + 1, unit_count(which), in_round_.rates.size(), middle,
                     in_round_.slowest, in_round_.least, percent)
              << std::flush;
  }

  /// On rank 0: what the units have made in this round so far.
  struct InRound {
    std::size_t units_at_work = 0;
    std::vector<double> rates{};
    double least = std::numeric_limits<double>::infinity();
    std::string slowest{};
  };

  const mpi::Communicator& world_;
  const Machine& machine_;
  Options options_;
  Watchdog& watchdog_;
  std::pair<std::string, HplDat> input_;
  FleetMembers members_;
  FleetOutput output_;
  std::optional<Rates> rates_;
  std::vector<std::unique_ptr<FleetPart>> parts_;  // by round of the division
  RunSpec spec_;
  std::vector<std::string> unit_names_;  // on rank 0
  FleetMessages messages_;
  InRound in_round_;
  std::optional<FleetProgress> progress_;
};

}  // namespace

ExitCode run_fleet(const mpi::Communicator& world, const mpi::Environment& environment,
                   const Options& options, Watchdog& watchdog) {
  auto input = read_plan_input(world, options);
  watchdog.enter("examines the machine", Watchdog::kSetUpAllowance);
  const Machine machine(world, environment, options, DevicePolicy::WithoutOne);
  return FleetJob(world, machine, options, watchdog, std::move(input)).run();
}

}  // namespace hpl
