#include "hpl/job/run/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

#include "benchmark_run.h"
#include "gather.h"
#include "hpl/base/file/atomic_file.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/input/plan/plan.h"
#include "hpl/job/live/progress.h"
#include "hpl/job/setup/attainable_rate.h"
#include "hpl/job/setup/automatic_plan.h"
#include "hpl/job/setup/balance.h"
#include "hpl/job/setup/dry_run.h"
#include "hpl/job/setup/explanation.h"
#include "hpl/job/setup/information.h"
#include "hpl/job/setup/on_rank_0.h"
#include "hpl/job/setup/plan_input.h"
#include "hpl/job/setup/run_memory.h"
#include "hpl/machine/host/versions.h"
#include "job_output.h"
#include "preflight_check.h"
#include "rate_measurement.h"

namespace hpl {

namespace {

std::optional<TransportKind> requested_transport(TransportRequest request) {
  switch (request) {
    case TransportRequest::Auto:
      return std::nullopt;
    case TransportRequest::Nccl:
      return TransportKind::Nccl;
    case TransportRequest::MpiDevice:
      return TransportKind::MpiDevice;
    case TransportRequest::MpiHost:
      return TransportKind::MpiHost;
  }
  return std::nullopt;
}

/// One job: the runs of one HPL.dat or command line, on all ranks.
class Job {
 public:
  Job(const mpi::Communicator& world, const mpi::Environment& environment, const Options& options,
      Watchdog& watchdog)
      : world_(world), options_(options), watchdog_(watchdog), output_(world.rank() == 0) {
    std::tie(input_name_, dat_) = read_plan_input(world, options);
    watchdog_.enter("looks at the machine", Watchdog::kSetUpAllowance);
    machine_ = std::make_unique<Machine>(world, environment, options);
    machine_rates_ = rates_of_job(world, options, *machine_);
    make_plan();
  }
  ~Job() { watchdog_.on_bad_end(nullptr); }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  ExitCode run() {
    if (options_.dat_copy) write_dat_copy(*options_.dat_copy);
    if (options_.check) return run_check(checked_job());
    if (options_.rates_file) return run_rate_measurement(checked_job());
    if (options_.dry_run || options_.explain) return show_plan();
    // What rank 0 shows, all ranks tell.
    live_ = world_.broadcast_value(options_.progress.value_or(standard_error_is_terminal()), 0);
    preflight();
    output_.open(world_, options_, dat_);
    output_.begin(header(), plan_);
    watchdog_.on_bad_end([this](const std::string& message) { output_.failure(message); });
    try {
      for (std::size_t i = 0; i < plan_.size(); ++i)
        run_entry(i);
      return world_.broadcast_value(output_.close(options_.gates, dat_.threshold), 0);
    } catch (const ConfigError& e) {
      output_.failure(e.what(), ExitCode::BadInput);
      throw;  // every rank throws it: the job ends in order
    } catch (const mpi::AgreedFailure& e) {
      output_.failure(e.what());
      throw;
    } catch (const std::exception& e) {
      watchdog_.fail(e.what());
    }
  }

 private:
  bool root() const { return world_.rank() == 0; }
  const Rates* rates() const { return machine_rates_ ? &*machine_rates_ : nullptr; }
  bool gpu() const { return machine_->kind() == ProcessorKind::Gpu; }

  void make_plan() {
    // The memory fraction stands for N, also for that of a file.
    if (options_.mem_fraction && options_.orders.empty()) dat_.orders.clear();
    if (options_.only_looks() && dat_.orders.empty() && !options_.automatic &&
        !options_.mem_fraction)
      return;  // the machine by itself
    layout_ = find_layout(world_, options_);
    dat_ = complete_grid(std::move(dat_), *layout_, *machine_);
    if (options_.reproducible && dat_.orders.empty())
      throw ConfigError(
          "--reproducible needs N, by -N or in HPL.dat: a choice would follow the free memory and "
          "a "
          "measured rate");
    if (dat_.orders.empty())
      dat_ = complete_plan(std::move(dat_), world_, *machine_, options_, rates());
    validate_grid(dat_, world_.size());
    plan_ = planned_runs(dat_, options_);
    // Now, so that what does not fit is refused: later there is a choice, by the memory that is
    // free.
    for (RunSpec& spec : plan_)
      if (options_.reproducible && choose_balance(options_, spec, gpu()) == BalanceRequest::Even)
        distribute_evenly(spec);
    for (const RunSpec& spec : plan_) {
      settings_.push_back(choose_settings(spec, *machine_, options_));
      std::vector<std::string>& remarks = settings_.back().remarks;
      for (std::string& remark : remarks_on(spec))
        remarks.push_back(std::move(remark));
    }
    if (!options_.only_looks())
      check_memory(plan_, settings_, machine_->device(), machine_->memory_bounds());
    require_comparison();
  }

  CheckedJob checked_job() {
    return {world_, *machine_, options_, watchdog_, dat_, plan_, settings_};
  }

  /// A short check before the runs. It only warns: a crowded machine may still be good enough.
  void preflight() {
    const bool worth_it = std::any_of(plan_.begin(), plan_.end(), [](const RunSpec& spec) {
      return spec.order >= kLeastWorthMeasuring;
    });
    if (!options_.preflight || !worth_it) return;
    output_.preflight(check_machine(CheckForm::Short, checked_job()));
  }

  /// A gate that nothing can miss would let everything through.
  void require_comparison() const {
    const auto alone = [](const RunSpec& spec) { return spec.grid_rows * spec.grid_columns == 1; };
    if (options_.gates.max_spread && options_.repeat == 1 && std::ranges::any_of(plan_, alone))
      throw ConfigError(
          "--max-spread compares repetitions and ranks, found one repetition on a grid of 1 x 1; "
          "give --repeat 2 or more, or larger grids");
  }

  /// Rates of products alone on `ranks`, those of run `index`: measured once at each moment for the
  /// same ranks in the same order and NB.
  const ProductRates& product_rates(const std::string& moment, std::size_t index,
                                    const mpi::Communicator& ranks) {
    std::deque<ProductRates>& known = known_rates(index, ranks);
    for (const ProductRates& rates : known)
      if (rates.when.starts_with(moment)) return rates;
    watchdog_.enter("measures the DGEMM rate", Watchdog::kSetUpAllowance);
    known.push_back(
        {fmt::format("{} run {}", moment, index + 1),
         measure_products(*machine_, ranks, largest_products(index), Accuracy::Attainable)});
    return known.back();
  }

  std::deque<ProductRates>& known_rates(std::size_t index, const mpi::Communicator& ranks) {
    return rates_[std::pair(ranks.all_gather(world_.rank()), plan_[index].block_size)];
  }

  /// Of all runs on as many ranks and with the same NB as run `index`.
  TailProducts largest_products(std::size_t index) const {
    const auto ranks = [](const RunSpec& spec) { return spec.grid_rows * spec.grid_columns; };
    TailProducts largest = tail_products(plan_[index], settings_[index]);
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      if (ranks(plan_[i]) != ranks(plan_[index]) || plan_[i].block_size != plan_[index].block_size)
        continue;
      const TailProducts products = tail_products(plan_[i], settings_[i]);
      if (products.shape.flops() > largest.shape.flops()) largest = products;
    }
    return largest;
  }

  /// Processors are measured on both sides of a run. A GPU takes long, and is measured once: on the
  /// chip as hot as the run has left it, unless dealing the blocks took its rate before.
  void find_attainable(std::size_t index, const mpi::Communicator& ranks, RunResult& result) {
    if (!gpu() || known_rates(index, ranks).empty()) product_rates("after", index, ranks);
    const std::deque<ProductRates>& known = known_rates(index, ranks);
    set_attainable(result, {known.begin(), known.end()},
                   !machine_->oversubscribed() && !(gpu() && options_.share_device));
  }

  /// What was chosen, for another time.
  void write_dat_copy(const std::filesystem::path& path) {
    const auto nothing = on_rank_0(world_, [&] {
      const AtomicFile file(path, "the HPL.dat to be written");
      file.write(write_hpl_dat(dat_));
      return 0;
    });
    static_cast<void>(nothing);
  }

  ExitCode show_plan() {
    const double rate = options_.measure_attainable && !machine_rates_ && !plan_.empty()
                            ? product_rates("before", 0, world_).sum()
                            : 0;
    std::string text;
    if (root() && options_.explain && !plan_.empty())
      text += explain_plan({.options = options_,
                            .dat = dat_,
                            .input_name = input_name_,
                            .layout = *layout_,
                            .machine = *machine_,
                            .spec = plan_.front(),
                            .settings = settings_.front(),
                            .runs = plan_.size(),
                            .attainable_gflops = rate});
    if (root() && options_.dry_run)
      text +=
          describe_plan(plan_, settings_, machine_->device(), machine_->memory(), {rate, rates()});
    print_on_rank_0(world_, text);
    return ExitCode::Passed;
  }

  JobHeader header() const {
    JobHeader result{.program = {"xhpl", program_version()},
                     .environment = machine_->environment(),
                     .remarks = dat_.remarks,
                     .parameters = parameter_block(plan_),
                     .reproducible = options_.reproducible};
    result.environment.emplace_back(
        "repeatable", options_.reproducible
                          ? "bit for bit, in every job of this input, grid and machine"
                          : "up to rounding (bit for bit: --reproducible)");
    const auto add = [&](const std::vector<std::string>& more) {
      result.remarks.insert(result.remarks.end(), more.begin(), more.end());
    };
    add(machine_->remarks());
    for (const RunSettings& settings : settings_)
      add(settings.remarks);
    return result;
  }

  void run_entry(std::size_t index) {
    const RunSpec& spec = plan_[index];
    const std::optional<int> number = layout_->number_in_grid(world_.rank(), spec);
    const auto ranks = world_.subset(number.has_value(), number.value_or(0));
    std::vector<RunResult> repeats;
    if (ranks) deal(index, *ranks);
    for (int repeat = 0; ranks && repeat < options_.repeat; ++repeat)
      repeats.push_back(run_once(index, repeat, *ranks));
    output_.repeats(repeats);
    // Ranks without a part in this grid wait here, as long as it takes.
    if (ranks)
      watchdog_.enter("waits for the end of the run");
    else
      watchdog_.rest("has no part in the run");
    world_.barrier();
  }

  bool fits_in_memory(const RunSpec& spec, const RunSettings& settings) const {
    return fits(spec, settings, machine_->device(), machine_->memory_bounds());
  }

  /// Deals a run's rows and columns to the processes. The plan was made, and its memory found to be
  /// enough, for blocks in turn.
  void deal(std::size_t index, const mpi::Communicator& ranks) {
    distribution_.clear();
    const BalanceRequest choice = choose_balance(options_, plan_[index], gpu());
    if (choice == BalanceRequest::Off) return;
    const auto fits = [&](const RunSpec& spec) {
      const bool here = fits_in_memory(spec, settings_[index]);
      return ranks.all_reduce(here ? 1 : 0, mpi::Reduce::Min) == 1;
    };
    RunSpec spec = plan_[index];
    if (choice == BalanceRequest::Rates) {
      const std::vector<double>& rates = product_rates("before", index, ranks).gflops;
      distribute_by_rates(spec, rates);
      if (root()) distribution_ = describe_distribution(spec, rates);
      if (fits(spec)) {
        plan_[index] = std::move(spec);
        return;
      }
      distribution_ = "blocks dealt evenly: in proportion to rates they do not fit into memory";
    }
    distribute_evenly(spec);
    if (fits(spec))
      plan_[index] = std::move(spec);
    else
      distribution_ = "blocks dealt in turn: otherwise they do not fit into memory";
  }

  RunResult run_once(std::size_t index, int repeat, const mpi::Communicator& ranks) {
    const RunSpec& spec = plan_[index];
    std::optional<Progress> progress;
    if (root() && live_)
      progress.emplace(
          std::cerr, ProgressOptions{.order = spec.order,
                                     .ranks = ranks.size(),
                                     .label = fmt::format("run {} of {}", index + 1, plan_.size()),
                                     .terminal = standard_error_is_terminal(),
                                     .terminal_width = standard_error_width()});
    const RunRequest request{.machine = *machine_,
                             .settings = settings_[index],
                             .transport = requested_transport(options_.transport),
                             .reproducible = options_.reproducible,
                             .watchdog = watchdog_,
                             .label = label_of(index, repeat),
                             .fail = [this](const std::string& what) { watchdog_.fail(what); },
                             .on_step =
                                 [&](const StepRecord& record) {
                                   if (progress) progress->update(record);
                                 },
                             .on_ranks =
                                 [&](const std::string& text) {
                                   if (progress) progress->show_ranks(text);
                                 },
                             .progress_samples = live_};
    warm_up(index, ranks);
    const bool compared =
        options_.measure_attainable &&
        (spec.order >= kLeastWorthMeasuring || options_.gates.min_efficiency.has_value());
    if (compared && !gpu()) product_rates("before", index, ranks);
    std::vector<Span> spans;
    RunResult result = run_benchmark(spec, ranks, request, options_.trace_file ? &spans : nullptr);
    if (progress) progress->finish();
    if (options_.trace_file) add_to_trace(index, repeat, ranks, result, spans);
    if (compared) find_attainable(index, ranks, result);
    if (!distribution_.empty()) result.remarks.push_back(distribution_);
    result.run_index = static_cast<int>(index);
    result.repeat_index = repeat;
    output_.run(result);
    diagnose(index, ranks, result);
    output_.keep(result);
    return result;
  }

  /// For messages: "run 2 of 3, repetition 1 (N = 20000, NB = 192, 2 x 2, fine pipeline)".
  std::string label_of(std::size_t index, int repeat) const {
    const RunSpec& spec = plan_[index];
    return fmt::format(
        "run {} of {}{} (N = {}, NB = {}, {} x {}, {} pipeline)", index + 1, plan_.size(),
        options_.repeat > 1 ? fmt::format(", repetition {}", repeat + 1) : "", spec.order,
        spec.block_size, spec.grid_rows, spec.grid_columns, to_string(settings_[index].pipeline));
  }

  /// A residual that failed asks where: the factorization once more, with checksums compared in
  /// every step. For the first such run of a job.
  void diagnose(std::size_t index, const mpi::Communicator& ranks, RunResult& result) {
    const bool wanted = !options_.verify_steps && result.residual && !result.residual->passed;
    RunSpec spec = plan_[index];
    spec.checksums = true;
    RunSettings settings = settings_[index];
    settings.checksum_interval = 1;
    const bool fits = fits_in_memory(spec, settings);
    if (!ranks.broadcast_value(wanted && fits && !diagnosed_, 0)) return;
    diagnosed_ = true;
    spec.threshold = 0;
    const std::string label = "the repetition with checksums of " + label_of(index, 0);
    result.checksums = run_benchmark(spec, ranks, aside_request(settings, label)).checksums;
    result.checksums->repeated = true;
    output_.checksums(result);
  }

  /// A few steps of the same kind, once for each grid size and NB: libraries load kernels and get
  /// their buffers at the first call.
  void warm_up(std::size_t index, const mpi::Communicator& ranks) {
    RunSpec spec = plan_[index];
    if (spec.order < kLeastWorthMeasuring ||
        !warmed_up_.insert({ranks.size(), spec.block_size}).second)
      return;
    spec.order = std::min(spec.order, 6 * spec.block_size);
    spec.threshold = 0;
    RunSettings settings = settings_[index];
    settings.stages.narrow_panel_columns = 3 * spec.block_size;  // both kinds of panel
    settings.stages.schedule.step_limit = 0;
    run_benchmark(spec, ranks, aside_request(settings, "the warm-up before " + label_of(index, 0)));
  }

  /// For a factorization of which only the end matters.
  RunRequest aside_request(const RunSettings& settings, std::string label) {
    return {.machine = *machine_,
            .settings = settings,
            .transport = requested_transport(options_.transport),
            .reproducible = options_.reproducible,
            .watchdog = watchdog_,
            .label = std::move(label),
            .fail = [this](const std::string& what) { watchdog_.fail(what); }};
  }

  void add_to_trace(std::size_t index, int repeat, const mpi::Communicator& ranks,
                    const RunResult& result, const std::vector<Span>& spans) {
    std::vector<RankTimeline> timelines =
        gather_timelines(ranks, machine_->device().properties(), spans);
    const RunSpec& spec = result.spec;
    std::string name = fmt::format("run {}: {} N={} NB={} P={} Q={}", index + 1, variant_code(spec),
                                   spec.order, spec.block_size, spec.grid_rows, spec.grid_columns);
    if (options_.repeat > 1) name += fmt::format(", repetition {}", repeat + 1);
    output_.trace({std::move(name), result.seconds, std::move(timelines)});
  }

  const mpi::Communicator& world_;
  const Options& options_;
  Watchdog& watchdog_;
  std::optional<Rates> machine_rates_;  // of this machine, where they are known
  std::unique_ptr<Machine> machine_;
  std::string input_name_;  // empty without a file
  HplDat dat_;
  std::optional<Layout> layout_;
  std::vector<RunSpec> plan_;
  std::vector<RunSettings> settings_;
  std::map<std::pair<std::vector<int>, std::int64_t>, std::deque<ProductRates>> rates_;
  std::set<std::pair<int, std::int64_t>> warmed_up_;
  std::string distribution_;  // how the blocks of the present run were, in words, on rank 0
  bool live_ = false;         // there is a live view
  bool diagnosed_ = false;    // counts on rank 0, which takes part in every run
  JobOutput output_;
};

}  // namespace

ExitCode run_job(const mpi::Communicator& world, const mpi::Environment& environment,
                 const Options& options, Watchdog& watchdog) {
  return Job(world, environment, options, watchdog).run();
}

}  // namespace hpl
