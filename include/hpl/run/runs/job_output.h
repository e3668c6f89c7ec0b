#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/base/file/atomic_file.h"
#include "hpl/plan/job_plan.h"
#include "hpl/report/csv/csv_file.h"
#include "hpl/report/result/gates.h"
#include "hpl/report/text/report_stream.h"
#include "hpl/report/trace/trace_file.h"
#include "hpl/run/report/job_report.h"
#include "hpl/run/report/json_report.h"
#include "hpl/run/report/next_steps.h"
#include "hpl/run/report/text_report.h"
#include "hpl/run/runs/rank_card.h"

namespace hpl {

/// `xhpl plan -o`: the plan as an HPL.dat, with what was chosen, for another time. Collective over
/// the world.
void write_dat_copy(const JobContext& job, const JobPlan& plan);

/// `xhpl plan`: the plan on standard output. Collective over the world.
ExitCode show_plan(const JobContext& job, const JobPlan& plan);

/// The head of the report on the runs of the plan.
JobHeader job_header(const JobContext& job, const JobPlan& plan);

/// A job's output about its runs: report, JSON, table, time line. Rank 0 writes; on the others
/// nothing comes of it.
class JobOutput {
 public:
  explicit JobOutput(bool root, PageMaker page_of = nullptr) : root_(root), page_of_(page_of) {}

  /// Before the runs: opens all files; one that cannot be written is a ConfigError on every rank.
  /// Collective over `world`.
  void open(const mpi::Communicator& world, const Options& options, const HplDat& dat);
  void preflight(CheckReport found);
  /// Hosts and devices of the job, from the cards of all ranks.
  void machine(std::vector<RankCard> cards);
  /// `header` without what the pre-flight check has to say.
  void begin(JobHeader header, std::vector<RunSpec> plan);

  /// A run whose clock has stopped: its row in the report, its record with the status `unchecked`.
  /// Further calls complete the record, and keep() does so last.
  void unchecked(const RunResult& result);
  void run(const RunResult& result);
  void checksums(const RunResult& result);
  /// Its place in the tally, the table and the JSON report.
  void keep(const RunResult& result);
  void repeats(const std::vector<RunResult>& results);
  /// The trace; null on other ranks than 0.
  TraceFile* trace() { return trace_ ? &*trace_ : nullptr; }
  /// Facts for the lines on what to do next.
  void facts(NextFacts facts) { facts_ = std::move(facts); }

  /// The JSON report of a job that ends early says why, and with which exit code. Any thread may
  /// call it; where the report is just being written, and that takes long, it is left alone.
  void failure(const std::string& what, ExitCode code = ExitCode::Broken);
  /// After the runs: tally and gates, and the exit code that follows; Passed on other ranks.
  ExitCode close(const Gates& gates, double threshold);

 private:
  /// True on rank 0 until the JSON report names a failure. Runs that end later stand in no report:
  /// all reports hold the same runs.
  bool goes_on();
  /// Adds a run to report_, or replaces the one that awaits its check. Needs writing_.
  void set_run(const RunResult& result);

  bool root_;
  PageMaker page_of_;
  std::optional<ReportStream> stream_;
  std::optional<TextReport> text_;
  std::optional<JsonReport> json_;
  std::optional<AtomicFile> page_;
  std::optional<CsvFile> csv_;
  std::optional<TraceFile> trace_;
  std::mutex writing_;  // report_ and json_, once they are there
  JobReport report_;
  Tally settled_;              // of the runs that keep() has had
  bool awaits_check_ = false;  // the last run of report_ does
  NextFacts facts_;
};

}  // namespace hpl
