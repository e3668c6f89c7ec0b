#include "hpl/app/application.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>

#include "hpl/app/automatic_plan.h"
#include "hpl/app/benchmark_run.h"
#include "hpl/app/ceiling.h"
#include "hpl/app/dry_run.h"
#include "hpl/app/gather.h"
#include "hpl/base/error.h"
#include "hpl/config/plan.h"
#include "hpl/host/versions.h"
#include "hpl/mpi/failure.h"
#include "hpl/report/csv_file.h"
#include "hpl/report/json_report.h"
#include "hpl/report/progress.h"
#include "hpl/report/report_stream.h"
#include "hpl/report/text_report.h"
#include "hpl/report/trace_file.h"

namespace hpl {

namespace {

/// Errors of rank 0 (files) become the same error on every rank.
template <class Action>
auto on_rank_0(const mpi::Communicator& world, Action&& action) {
  decltype(action()) value{};
  std::string error;
  if (world.rank() == 0) {
    try {
      value = action();
    } catch (const ConfigError& e) {
      error = e.what();
    }
  }
  error = world.broadcast(error, 0);
  if (!error.empty()) throw ConfigError(error);
  return value;
}

std::string version_text() {
  BuildParts parts{.mpi_library = mpi::library_version()};
  for (const hpcx::Backend backend :
       {hpcx::Backend::Cpu, hpcx::Backend::Cuda, hpcx::Backend::Hip}) {
    const std::string reason = hpcx::why_unavailable(backend);
    parts.back_ends.push_back(reason.empty()
                                  ? std::string(hpcx::to_string(backend))
                                  : fmt::format("{} ({})", hpcx::to_string(backend), reason));
  }
  std::string text;
  for (const auto& [label, value] : version_lines(parts))
    text += fmt::format("{}: {}\n", label, value);
  return text;
}

std::string device_text() {
  std::string text;
  for (const hpcx::DeviceProperties& d : hpcx::list_devices())
    text +=
        fmt::format("{} {}: {} ({})\n", hpcx::to_string(d.backend), d.index, d.name, d.description);
  for (const hpcx::Backend backend : {hpcx::Backend::Cuda, hpcx::Backend::Hip})
    if (const std::string reason = hpcx::why_unavailable(backend); !reason.empty())
      text += fmt::format("no {} device: {}\n", hpcx::to_string(backend), reason);
  return text;
}

/// The file that says what to run, or nothing when the flags stand for it.
std::optional<std::filesystem::path> input_file(const Options& options, int ranks) {
  if (options.dat_file) return options.dat_file;
  const std::filesystem::path here = "HPL.dat";
  std::error_code none;
  if (!options.automatic && std::filesystem::exists(here, none)) return here;
  if (options.automatic || !options.orders.empty() || options.mem_fraction) return std::nullopt;
  throw ConfigError(fmt::format(
      "there is no HPL.dat in this directory, and neither --dat FILE nor sizes are given. xhpl "
      "--auto would run one N, NB and P x Q chosen for {0} rank(s) of this machine (--auto "
      "--dry-run shows them); -N 20000 --NB 192 -P 1 -Q {0} runs what it says; HPL.dat.example is "
      "a file to start from",
      ranks));
}

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

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

void set_ceiling(RunResult& result, const std::vector<double>& rates) {
  result.ceiling_gflops = sum(rates);
  result.rank_ceilings = rates;
}

/// Smaller runs are over before warming up and measuring a ceiling are: they do without.
constexpr std::int64_t kLeastOrder = 1000;

/// One job: the runs of one HPL.dat or command line, on all ranks.
class Job {
 public:
  Job(const mpi::Communicator& world, const mpi::Environment& environment, const Options& options)
      : world_(world), options_(options) {
    read_plan_input();
    machine_ = std::make_unique<Machine>(world, environment, options);
    make_plan();
  }

  ExitCode run() {
    if (options_.dry_run) return show_plan();
    // What rank 0 shows, all ranks tell.
    live_ = world_.broadcast_value(options_.progress.value_or(standard_error_is_terminal()), 0);
    open_report();
    try {
      for (std::size_t i = 0; i < plan_.size(); ++i)
        run_entry(i);
      return close_report();
    } catch (const std::exception& e) {
      report_failure(e.what());
      throw;
    }
  }

 private:
  bool root() const { return world_.rank() == 0; }

  void read_plan_input() {
    struct Input {
      std::string name, text;
    };
    Input input = on_rank_0(world_, [&] {
      const auto file = input_file(options_, world_.size());
      return file ? Input{shown_name(*file), read_hpl_dat_text(*file)} : Input{};
    });
    input.name = world_.broadcast(input.name, 0);
    input.text = world_.broadcast(input.text, 0);
    dat_ = input.name.empty() ? default_hpl_dat() : parse_hpl_dat(input.text, input.name);
    dat_ = apply_overrides(std::move(dat_), options_);
    if (!dat_.grid_rows.empty()) validate_grid(dat_, world_.size());
  }

  void make_plan() {
    // The memory fraction stands for N, also for that of a file.
    if (options_.mem_fraction && options_.orders.empty()) dat_.orders.clear();
    if (dat_.orders.empty() || dat_.grid_rows.empty())
      dat_ = complete_plan(std::move(dat_), world_, *machine_, options_);
    validate_grid(dat_, world_.size());
    plan_ = plan_runs(dat_);
    for (const RunSpec& spec : plan_) {
      settings_.push_back(choose_settings(spec, *machine_, options_));
      std::vector<std::string>& remarks = settings_.back().remarks;
      for (std::string& remark : remarks_on(spec))
        remarks.push_back(std::move(remark));
    }
    check_memory(plan_, settings_, machine_->memory());
    require_comparison();
  }

  /// A gate that nothing can miss would let everything through.
  void require_comparison() const {
    const auto alone = [](const RunSpec& spec) { return spec.grid_rows * spec.grid_columns == 1; };
    if (options_.gates.max_spread && options_.repeat == 1 && std::ranges::any_of(plan_, alone))
      throw ConfigError(
          "--max-spread compares repetitions and ranks, found one repetition on a grid of 1 x 1; "
          "give --repeat 2 or more, or larger grids");
  }

  /// DGEMM rates of the ranks of a grid, measured once for each grid size and NB.
  const std::vector<double>& ceiling(const mpi::Communicator& ranks, std::int64_t block_size) {
    const auto key = std::pair(ranks.size(), block_size);
    const auto known = ceilings_.find(key);
    if (known != ceilings_.end()) return known->second;
    // A GPU's rate is that of the hot chip, whose power cap has had time to act.
    const double seconds = machine_->kind() == ProcessorKind::Gpu ? 5 : 0.5;
    return ceilings_[key] = measure_ceiling(machine_->device(), ranks, block_size, seconds,
                                            machine_->memory().bytes / 2);
  }

  ExitCode show_plan() {
    const double rate = options_.measure_ceiling && !plan_.empty()
                            ? sum(ceiling(world_, plan_.front().block_size))
                            : 0;
    if (root()) fmt::print("{}", describe_plan(plan_, settings_, machine_->memory(), rate));
    return ExitCode::Passed;
  }

  void open_report() {
    const auto nothing = on_rank_0(world_, [&] {
      const int device = dat_.output_device == OutputDevice::Stdout   ? 6
                         : dat_.output_device == OutputDevice::Stderr ? 7
                                                                      : 8;
      const std::string file =
          options_.output_file ? options_.output_file->string() : dat_.output_file;
      stream_.emplace(options_.output_file ? 8 : device, file);
      text_.emplace(stream_->stream());
      if (options_.json_file) json_.emplace(*options_.json_file);
      if (options_.csv_file) csv_.emplace(*options_.csv_file);
      if (options_.trace_file) trace_.emplace(*options_.trace_file);
      return 0;
    });
    static_cast<void>(nothing);
    if (!root()) return;
    report_.header = {.program = {"xhpl", program_version()},
                      .environment = machine_->environment(),
                      .remarks = dat_.remarks,
                      .parameters = parameter_block(plan_)};
    std::vector<std::string>& remarks = report_.header.remarks;
    const auto add = [&](const std::vector<std::string>& more) {
      for (const std::string& remark : more)
        if (std::find(remarks.begin(), remarks.end(), remark) == remarks.end())
          remarks.push_back(remark);
    };
    add(machine_->remarks());
    for (const RunSettings& settings : settings_)
      add(settings.remarks);
    report_.plan = plan_;
    text_->begin(report_.header);
  }

  void run_entry(std::size_t index) {
    const RunSpec& spec = plan_[index];
    const auto ranks = world_.subset(world_.rank() < spec.grid_rows * spec.grid_columns, 0);
    std::vector<RunResult> repeats;
    for (int repeat = 0; ranks && repeat < options_.repeat; ++repeat)
      repeats.push_back(run_once(index, repeat, *ranks));
    if (root()) text_->repeats(repeats);
    world_.barrier();  // ranks without a part in this grid wait here
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
                             .watchdog_seconds = options_.watchdog_seconds,
                             .on_step =
                                 [&](const StepRecord& record) {
                                   if (progress) progress->update(record);
                                 },
                             .on_ranks =
                                 [&](const std::string& text) {
                                   if (progress) progress->show_ranks(text);
                                 },
                             .pulses = live_};
    warm_up(index, ranks);
    std::vector<Span> spans;
    RunResult result = run_benchmark(spec, ranks, request, options_.trace_file ? &spans : nullptr);
    if (progress) progress->finish();
    if (options_.trace_file) add_to_trace(index, repeat, ranks, result, spans);
    const bool worth_it = spec.order >= kLeastOrder || options_.gates.min_efficiency;
    if (options_.measure_ceiling && worth_it)
      set_ceiling(result, ceiling(ranks, spec.block_size));
    if (!root()) return result;
    result.run_index = static_cast<int>(index);
    result.repeat_index = repeat;
    report_.tally = counted(report_.tally, run_status(result));
    text_->run(result);
    if (csv_) csv_->append(csv_row(result, report_.header.program.version));
    report_.runs.push_back(result);
    if (json_) json_->write(report_);
    return result;
  }

  /// A few steps of the same kind, once for each grid size and NB: libraries load kernels and get
  /// their buffers at the first call.
  void warm_up(std::size_t index, const mpi::Communicator& ranks) {
    RunSpec spec = plan_[index];
    if (spec.order < kLeastOrder || !warmed_up_.insert({ranks.size(), spec.block_size}).second)
      return;
    spec.order = std::min(spec.order, 6 * spec.block_size);
    spec.threshold = 0;
    RunSettings settings = settings_[index];
    settings.stages.narrow_panel_columns = 3 * spec.block_size;  // both kinds of panel
    settings.stages.step_limit = 0;
    run_benchmark(spec, ranks,
                  {.machine = *machine_,
                   .settings = settings,
                   .transport = requested_transport(options_.transport),
                   .watchdog_seconds = options_.watchdog_seconds});
  }

  void add_to_trace(std::size_t index, int repeat, const mpi::Communicator& ranks,
                    const RunResult& result, const std::vector<Span>& spans) {
    std::vector<RankTimeline> timelines =
        gather_timelines(ranks, machine_->device().properties(), spans);
    if (!root()) return;
    const RunSpec& spec = result.spec;
    std::string name = fmt::format("run {}: {} N={} NB={} P={} Q={}", index + 1, variant_code(spec),
                                   spec.order, spec.block_size, spec.grid_rows, spec.grid_columns);
    if (options_.repeat > 1) name += fmt::format(", repetition {}", repeat + 1);
    trace_->add({std::move(name), result.seconds, std::move(timelines)});
  }

  /// The JSON report of a job that ends early says why, as far as this rank can.
  void report_failure(const std::string& what) {
    if (!json_) return;
    report_.error = what;
    report_.exit_code = ExitCode::Broken;
    try {
      json_->write(report_);
    } catch (const RunError&) {  // the failure that brought us here is the one to tell
    }
  }

  ExitCode close_report() {
    ExitCode code = ExitCode::Passed;
    if (root()) {
      report_.gates = judge(options_.gates, report_.runs);
      const bool held = std::ranges::all_of(report_.gates, &GateResult::held);
      if (report_.tally.failed > 0 || !held) code = ExitCode::Failed;
      text_->end(report_.tally, dat_.threshold);
      text_->gates(report_.gates);
      report_.exit_code = code;
      if (json_) json_->write(report_);
      if (trace_) trace_->finish();
    }
    return world_.broadcast_value(code, 0);
  }

  const mpi::Communicator& world_;
  const Options& options_;
  std::unique_ptr<Machine> machine_;
  HplDat dat_;
  std::vector<RunSpec> plan_;
  std::vector<RunSettings> settings_;
  std::map<std::pair<int, std::int64_t>, std::vector<double>> ceilings_;
  std::set<std::pair<int, std::int64_t>> warmed_up_;
  bool live_ = false;  // there is a live view
  // On rank 0 only.
  std::optional<ReportStream> stream_;
  std::optional<TextReport> text_;
  std::optional<JsonReport> json_;
  std::optional<CsvFile> csv_;
  std::optional<TraceFile> trace_;
  JobReport report_;
};

ExitCode run_job(const mpi::Communicator& world, const mpi::Environment& environment, int argc,
                 const char* const* argv) {
  const bool root = world.rank() == 0;
  const Options options = parse_command_line(argc, argv);
  if (!options.help_text.empty() || options.show_version || options.list_devices) {
    if (root)
      fmt::print("{}", !options.help_text.empty() ? options.help_text
                       : options.show_version     ? version_text()
                                                  : device_text());
    return ExitCode::Passed;
  }
  return Job(world, environment, options).run();
}

}  // namespace

int run_application(int argc, const char* const* argv) {
  try {
    const mpi::Environment environment;
    const mpi::Communicator world = mpi::Communicator::world();
    try {
      return static_cast<int>(run_job(world, environment, argc, argv));
    } catch (const ConfigError& e) {
      // The same on every rank, so one speaks for all and MPI ends in order.
      if (world.rank() == 0) fmt::print(stderr, "xhpl: {}\n", e.what());
      return static_cast<int>(ExitCode::BadInput);
    } catch (const mpi::AgreedFailure& e) {
      if (world.rank() == 0) fmt::print(stderr, "xhpl: {}\n", e.what());
      return static_cast<int>(ExitCode::Broken);
    } catch (const std::exception& e) {
      fmt::print(stderr, "xhpl: rank {} on {}: {}\n", world.rank(), mpi::host_name(), e.what());
      mpi::abort_job(ExitCode::Broken);
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "xhpl: {}\n", e.what());
    return static_cast<int>(ExitCode::Broken);
  }
}

}  // namespace hpl
