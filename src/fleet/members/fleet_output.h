#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "hpl/base/error/error.h"
#include "hpl/base/file/host_list_files.h"
#include "hpl/fleet/judge/fleet_report.h"
#include "hpl/fleet/members/fleet_job.h"
#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/job/failure/abort_report.h"
#include "hpl/job/ranks/job_start.h"
#include "hpl/report/csv/csv_file.h"
#include "hpl/report/text/report_stream.h"

namespace hpl {

/// The output of a fleet's acceptance: text, JSON, table, lists of hosts, a reference. Rank 0
/// writes; on the others nothing comes of it.
class FleetOutput {
 public:
  FleetOutput(bool root, PageMaker page_of, FleetChanges changes)
      : root_(root), page_of_(page_of), changes_(changes) {}

  /// On rank 0: the report shows what changed since an earlier fleet.
  void compare_with(FleetReport before) { before_ = std::move(before); }

  /// Before the rounds: opens all files; one that cannot be written is a ConfigError on every rank.
  /// Collective over `world`.
  void open(const mpi::Communicator& world, const Options& options, const HplDat& dat);

  void begin(FleetReport report);
  /// Right before the rounds: what an earlier job left in the files must not be taken for this
  /// one's. No host has passed yet.
  void start();
  /// A run of a member, by its number in the report.
  void add(std::size_t member, RunResult run);
  /// On the job as a whole, after the rounds. On rank 0.
  void remark(Remark remark);
  /// The JSON report is brought up to date, now and then. Called again and again.
  void update();
  const FleetReport& report() const { return report_; }

  /// As JobOutput::failure(). Where the job waited in vain, the members of silent ranks are to
  /// blame, and those that have finished keep their verdicts.
  void failure(const BadEnd& end);
  /// After the last round: judges, writes everything; the exit code, Passed on other ranks.
  ExitCode close();

 private:
  void write_json();
  void write_lists();
  /// Once: a failure after it adds nothing.
  void write_table();

  bool root_;
  PageMaker page_of_;
  FleetChanges changes_;
  std::optional<FleetReport> before_;
  std::optional<ReportStream> stream_;
  TextStyle style_;
  std::optional<AtomicFile> json_, page_;
  HostListFiles lists_;
  std::optional<CsvFile> csv_;
  std::mutex writing_;  // report_ and json_, once the rounds have begun
  FleetReport report_;
  bool unwritten_ = false;  // runs that json_ does not hold
  std::chrono::steady_clock::time_point due_{};
};

}  // namespace hpl
