#include "proof.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive.h"
#include "hpl/base/file/atomic_file.h"
#include "hpl/base/number/stopwatch.h"
#include "hpl/base/record/text_forms.h"
#include "hpl/base/text/text_value.h"
#include "hpl/page/verdict.h"
#include "output_words.h"

namespace hpl::campaign {
namespace {

namespace fs = std::filesystem;
using page::RunFile;

/// Seconds that the end of a proof needs, and the fewest that a job does.
constexpr double kForTheEnd = 30, kLeastOfJob = 5;
constexpr int kUsualSeconds = 900;

// Words for the shell of each rank, under any launcher.
constexpr const char* kNumberOfRank =
    "rank=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-${SLURM_PROCID:-0}}}}\n";
/// The first rank shows its machine.
constexpr const char* kShowMachine =
    "[ \"$rank\" = 0 ] || exit 0\n"
    "\"$@\"; uname -srm; nvidia-smi; nvidia-smi topo -m; rocm-smi; rocm-smi --showtopo\n"
    "ibv_devinfo | grep -E 'hca_id|fw_ver|link_layer|state:|active_'\n"
    "env | grep -E '^(NCCL|RCCL|UCX|OMPI_MCA|MPICH|FI|HPL|XHPL|CUDA|ROCR|HIP|OMP|OPENBLAS)_' | "
    "sort\n"
    "exit 0\n";
/// The rank $1 is killed after $2 seconds, unless it has ended by then.
constexpr const char* kKillOne =
    "if [ \"$rank\" = \"$1\" ]; then\n"
    "  ( for second in $(seq \"$2\"); do\n"
    "      sleep 1\n"
    "      read -r own name state parent rest </proc/self/stat\n"
    "      [ \"$parent\" = $$ ] || exit 0\n"
    "    done\n"
    "    echo \"killed: rank $rank at $(date +%s.%N)\" >&2\n"
    "    kill -KILL $$ ) >/dev/null &\n"
    "fi\n"
    "shift 2\n"
    "exec \"$@\"\n";

Words shell(const char* script, const Words& arguments = {}) {
  return joined({"/bin/sh", "-c", std::string(kNumberOfRank) + script, "sh"}, arguments);
}

double unix_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Words flags_of_grid(std::pair<int, int> grid) {
  return {"-P", std::to_string(grid.first), "-Q", std::to_string(grid.second)};
}

/// A job of a proof as its table shows it.
struct Made {
  JobEnd end;
  std::string command;  ///< empty: no time was left
  bool started() const { return !command.empty(); }
};

class Proof {
 public:
  explicit Proof(CampaignJob& job)
      : job_(job),
        budget_(job.options.seconds.value_or(kUsualSeconds)),
        whole_(job.options.run_flags.value_or(Words{"--auto"})) {}

  ExitCode run() {
    const Words check = joined({"check"}, job_.options.check_flags);
    job_.require_words("check", check);
    job_.require_words("rates", {"rates", "--auto", "-o", "rates.json"});
    job_.require_words("whole", joined({"run"}, whole_));
    start("machine", {"--version"}, shell(kShowMachine));
    const Made checked = start("check", with_outputs("check", check));
    if (checked.end.code == static_cast<int>(ExitCode::BadInput)) {
      job_.folder.forget("machine");
      job_.refuse("check");
    }
    settle("check", checked);
    parts_ = 3;  // rates are the longest; each step behind them may be shorter
    const std::string rates = job_.folder.file("rates.json").string();
    const Made rated =
        start("rates", joined({"rates", "--auto", "-o", rates, "--verbose"}, job_.options.flags));
    parts_ = 4;
    settle("rates", rated);
    if (rated.started() && rated.end.code == 0) predicted_ = {"--rates", rates};
    const Made whole = run_step("whole", whole_);
    const int ranks = ranks_of_job();
    if (ranks > 0) behind_whole(ranks, whole.started() ? whole.end.seconds : 60);
    return finish(ranks);
  }

 private:
  Words with_outputs(const std::string& name, const Words& words) const {
    return joined(joined(words, job_.options.flags),
                  {"--json", job_.folder.file(name + ".json").string(), "--verbose"});
  }

  double seconds_left() const { return budget_ - kForTheEnd - watch_.seconds(); }

  /// A job within its part of the time that is left.
  Made start(const std::string& name, const Words& words, const Words& before = {}) {
    const double limit = std::floor(seconds_left() / parts_);
    if (limit < kLeastOfJob) return {};
    CampaignJob::say(fmt::format("{}, at most {:.0f} s ...", name, limit));
    const std::string command = command_text(joined({"xhpl"}, words));
    commands_ += fmt::format("- {}: `{}`\n", name, command);
    return {.end = job_.run(name, words, limit, before), .command = command};
  }

  /// Adds a job to the document and to the table.
  void add(const std::string& name, const Made& made, std::optional<Verdict> verdict,
           const std::string& reason) {
    const bool has_document = fs::exists(job_.folder.file(name + ".json"));
    CampaignStep step{.name = name,
                      .command = made.command,
                      .hosts = job_.left,
                      .verdict = verdict,
                      .seconds = made.end.seconds,
                      .document = has_document ? name + ".json" : "",
                      .reason = reason};
    if (made.started()) step.exit_code = made.end.code;
    const std::optional<RunFile> report = job_.folder.finished(name);
    const RunResult* const run =
        report && !report->job.runs.empty() ? &report->job.runs.front() : nullptr;
    const auto rate = [](const std::optional<double>& gflops) {
      return gflops ? fmt::format("{:.5g}", *gflops) : "";
    };
    std::string note = reason;
    std::ranges::replace(note, '|', ' ');
    rows_ += fmt::format(
        "| {:<20} | {:<12} | {:>4} | {:>4} | {:>9} | {:>9} | {:>8} | {:<7} | {:<16} | {} |\n", name,
        word_of(verdict), made.started() ? fmt::format("{:.0f}", made.end.seconds) : "-",
        made.started() ? std::to_string(made.end.code) : "-",
        run == nullptr ? "" : rate(run->gflops),
        run == nullptr || !run->expected ? "" : rate(run->expected->gflops),
        run == nullptr ? "" : std::to_string(run->spec.order),
        run == nullptr ? "" : fmt::format("{}x{}", run->spec.grid_rows, run->spec.grid_columns),
        run == nullptr || !run->solution_hash ? "" : kHashForm.text(*run->solution_hash),
        note.empty() ? "-" : note);
    job_.add(std::move(step), reason);
  }

  /// The verdict of a job.
  void settle(const std::string& name, const Made& made) {
    if (!made.started()) return add(name, made, Verdict::NotRun, "no time was left");
    if (made.end.too_long) return add(name, made, Verdict::Unfinished, "ended by the proof");
    if (is_verdict(static_cast<ExitCode>(made.end.code))) {
      const std::optional<RunFile> report = job_.folder.finished(name);
      const Verdict verdict = report ? page::verdict_of(*report) : verdict_of_code(made.end.code);
      return add(name, made, verdict, report ? page::reservation(*report) : "");
    }
    const std::string output = job_.folder.text(name + ".txt");
    const std::vector<std::string> words = last_words(output);
    const std::string why = words.empty() ? "" : words.front();
    // A transport that a machine does not have is no fault.
    const bool lacks = made.end.code == static_cast<int>(ExitCode::BadInput) &&
                       name.starts_with("transport-") &&
                       output.find("is not available here") != std::string::npos;
    if (lacks) return add(name, made, std::nullopt, "not here: " + why);
    add(name, made, Verdict::Broken, why);
  }

  static Verdict verdict_of_code(int code) {
    return code == 0 ? Verdict::Passed : code == 1 ? Verdict::Failed : Verdict::Slow;
  }

  Made run_step(const std::string& name, const Words& words, const Words& before = {}) {
    const Made made =
        start(name, with_outputs(name, joined(joined({"run"}, words), predicted_)), before);
    settle(name, made);
    return made;
  }

  /// The report of the check has them, otherwise that of the whole; 0: neither does.
  int ranks_of_job() const {
    for (const char* const name : {"check", "whole"})
      if (const std::optional<RunFile> report = job_.folder.finished(name)) {
        if (report->job.preflight && report->job.preflight->rank_count > 0)
          return report->job.preflight->rank_count;
        if (report->job.header.resources) return report->job.header.resources->ranks;
      }
    return 0;
  }

  /// The plan of the whole, known also where the run has no end; empty: it is not.
  std::optional<JobReport> whole_report() const {
    try {
      return page::read_run_file(job_.folder.file("whole.json").string()).job;
    } catch (const ConfigError&) {
      return std::nullopt;
    }
  }

  /// A run that loses a rank after `delay` seconds must end with code 3, and name rank and host.
  void killed(int rank, int delay, const Words& words) {
    const Made made = start(
        "killed",
        with_outputs("killed", joined(joined({"run"}, words), {"--no-check", "--no-attainable"})),
        shell(kKillOne, {std::to_string(rank), std::to_string(delay)}));
    const double end = unix_seconds();
    const std::string output = job_.folder.text("killed.txt");
    static const std::regex kKilled("killed: rank [0-9]+ at ([0-9.]+)");
    std::smatch found;
    const bool was_killed = std::regex_search(output, found, kKilled);
    if (made.started() && made.end.code == static_cast<int>(ExitCode::Broken) && was_killed) {
      const std::string named = dead_rank(output, rank);
      return add(
          "killed", made, named.empty() ? Verdict::Broken : Verdict::Passed,
          fmt::format("ended {:.1f} s later: {}", end - std::stod(found[1]),
                      named.empty() ? fmt::format("no message names rank {}", rank) : named));
    }
    if (made.started() && is_verdict(static_cast<ExitCode>(made.end.code)))
      return add("killed", made, Verdict::Broken, "the run ended before its rank was killed");
    settle("killed", made);
  }

  /// Steps behind the whole share the time that is left. Their N lets a run take a third of a share
  /// at the rate of the whole, whose job took `wall` seconds.
  void behind_whole(int ranks, double wall) {
    const std::optional<JobReport> whole = whole_report();
    const RunSpec* const spec = whole && !whole->plan.empty() ? &whole->plan.front() : nullptr;
    // A run without an end would have taken longer than its time, by an unknown factor.
    const double took = whole && !whole->runs.empty() && whole->runs.front().seconds > 0
                            ? whole->runs.front().seconds
                            : 4 * wall;
    struct Step {
      std::string name;
      Words words;
    };
    std::vector<Step> steps;
    const auto grids = grids_of(ranks);
    if (ranks > 1)
      for (const char* const transport : {"nccl", "peer", "mpi-device", "mpi-host"})
        steps.push_back({std::string("transport-") + transport,
                         joined(flags_of_grid(grids.front()), {"--transport", transport})});
    for (const auto& grid : grids) {
      const std::string name = fmt::format("grid-{}x{}", grid.first, grid.second);
      steps.push_back({name, flags_of_grid(grid)});
      steps.push_back({name + "-again", flags_of_grid(grid)});
    }
    const int count = static_cast<int>(steps.size()) + 1;
    if (ranks > 1) {
      parts_ = count / 2;
      if (spec != nullptr)
        killed(spec->grid_rows * spec->grid_columns - 1, static_cast<int>(std::ceil(wall / 2)),
               joined({"-N", std::to_string(spec->order), "--NB", std::to_string(spec->block_size)},
                      flags_of_grid({spec->grid_rows, spec->grid_columns})));
      else
        killed(ranks - 1, 30, whole_);
    }
    const Words size =
        spec == nullptr ? whole_ : size_of(*spec, took, wall, seconds_left() / count);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      parts_ = static_cast<int>(steps.size() - i + 1) / 2;
      const Words before =
          steps[i].name == "transport-nccl"
              ? Words{"/usr/bin/env", "NCCL_DEBUG=INFO", "NCCL_DEBUG_SUBSYS=INIT,NET,GRAPH",
                      "NCCL_DEBUG_FILE=" + fs::absolute(job_.folder.file("nccl.%h.%p")).string()}
              : Words{};
      run_step(
          steps[i].name,
          joined(joined(size, steps[i].words), {"--reproducible", "--no-check", "--no-attainable"}),
          before);
    }
    for (const auto& grid : grids)
      compare_hashes(fmt::format("grid-{}x{}", grid.first, grid.second));
  }

  /// The flags of an N whose run takes a third of `share` seconds, at the rate of a run that took
  /// `took` of the `wall` seconds of its job.
  static Words size_of(const RunSpec& spec, double took, double wall, double share) {
    const double goal = std::min(std::max((share - std::max(wall - took, 0.0)) / 3, 1.0), took);
    const auto blocks =
        static_cast<std::int64_t>(static_cast<double>(spec.order) * std::cbrt(goal / took) /
                                  static_cast<double>(spec.block_size));
    const std::int64_t order = blocks < 1 ? spec.order : blocks * spec.block_size;
    return {"--NB", std::to_string(spec.block_size), "-N", std::to_string(order)};
  }

  std::optional<std::uint64_t> hash_of(const std::string& step) const {
    const std::optional<RunFile> report = job_.folder.finished(step);
    if (!report || report->job.runs.empty()) return std::nullopt;
    return report->job.runs.front().solution_hash;
  }

  /// Two jobs on one grid have one solution.
  void compare_hashes(const std::string& grid) {
    const auto one = hash_of(grid), other = hash_of(grid + "-again");
    if (!one || !other || *one == *other) return;
    const std::string reason = "two jobs have different solutions";
    const auto step = std::ranges::find(job_.report.steps, grid, &CampaignStep::name);
    step->verdict = Verdict::Failed;
    step->reason = reason;
    remarks_ += fmt::format("{}: {}, {}\n", grid, to_string(Verdict::Failed), reason);
  }

  /// A wrong step outweighs one that could not go on, which outweighs a slow one.
  Verdict verdict() const {
    const auto weight = [](Verdict one) {
      return one == Verdict::Failed                         ? 3
             : one == Verdict::Slow                         ? 1
             : has_passed(one) || one == Verdict::Unchecked ? 0
                                                            : 2;
    };
    Verdict worst = Verdict::Passed;
    for (const CampaignStep& step : job_.report.steps)
      if (step.verdict && weight(*step.verdict) > weight(worst)) worst = *step.verdict;
    return weight(worst) == 2 ? Verdict::Unfinished : worst;
  }

  /// NCCL's records, and the output of its step.
  std::string nccl_records() const {
    std::string records = job_.folder.text("transport-nccl.txt");
    for (const fs::directory_entry& entry : fs::directory_iterator(job_.folder.path()))
      if (entry.path().filename().string().starts_with("nccl.")) records += text_of(entry.path());
    return records;
  }

  ExitCode finish(int ranks) {
    CampaignReport& report = job_.report;
    report.verdict = verdict();
    report.exit_code = exit_code_of(*report.verdict);
    job_.save();
    const std::string table = fmt::format(
        "# Proof: {}\n\nhosts {}, ranks {}, seconds {:.0f}\n\n"
        "| step | verdict | s | code | GFLOP/s | predicted | N | grid | solution hash | remark |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n{}\n{}\nGPUDirect RDMA: {}",
        to_string(*report.verdict), std::max<std::size_t>(1, job_.left.size()),
        ranks > 0 ? std::to_string(ranks) : "?", watch_.seconds(), rows_, remarks_,
        gpudirect_text(nccl_records()));
    AtomicFile(job_.folder.file("proof.md"), "the table")
        .write(fmt::format("{}\n## Commands\n\n{}", table, commands_));
    const fs::path archive = job_.folder.file("proof.tar.gz");
    pack(job_.folder, job_.starter, archive, report.hosts, job_.options.anonymous);
    fmt::print("\n{}\narchive: {}\n", table, shown_text(archive.string()));
    return *report.exit_code;
  }

  CampaignJob& job_;
  Stopwatch watch_;
  double budget_;
  int parts_ = 4;  // into which the rest of the time is divided
  Words whole_, predicted_{};
  std::string rows_, remarks_, commands_;  // of the table
};

}  // namespace

std::vector<std::pair<int, int>> grids_of(int ranks) {
  int square = 1, flat = 0;
  for (int rows = 1; rows * rows <= ranks; ++rows)
    if (ranks % rows == 0) {
      square = rows;
      if (flat == 0 && ranks <= 8 * rows * rows) flat = rows;
    }
  if (flat == 0) flat = square;
  std::vector<std::pair<int, int>> grids;
  for (const int rows : {square, ranks / square, flat, ranks / flat})
    if (const std::pair grid(rows, ranks / rows); std::ranges::find(grids, grid) == grids.end())
      grids.push_back(grid);
  return grids;
}

ExitCode run_proof(CampaignJob& job) {
  return Proof(job).run();
}

}  // namespace hpl::campaign
