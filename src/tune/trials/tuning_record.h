#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "hpl/base/file/atomic_file.h"
#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/job/failure/abort_report.h"
#include "hpl/plan/job_plan.h"
#include "hpl/tune/report/tune_report.h"

namespace hpl {

/// The files of `xhpl tune`, on rank 0: what was measured is written after each trial, and found
/// again by the next job. On other ranks it holds the report alone.
class TuningRecord {
 public:
  /// Opens the files, and reads what a job before has left. `report`: with the machine, its nodes
  /// and the flags that are fixed. Throws ConfigError, the same on every rank, where a file cannot
  /// be written, is no such file, or is of another search: another machine, other ranks, another N
  /// or anything else that is fixed. Collective over the world.
  TuningRecord(const JobContext& job, const HplDat& given, TuneReport report);

  /// A job before has left something.
  bool goes_on() const { return goes_on_; }
  TuneReport& report() { return report_; }
  std::size_t settings() const { return report_.settings.size(); }

  /// The measurement of a job before, each trial once, in their order; a failure where two jobs
  /// have failed in such a trial.
  std::optional<TuneMeasurement> take(const TuneRequest& request);
  /// Such a trial begins.
  void begin(const TuneRequest& request);
  /// It has ended.
  void save(const TuneState& state);
  /// The job ends before its time. Any thread.
  void interrupt(const BadEnd& end);
  void write_dat(const std::string& text) const;

 private:
  std::string key(const TuneRequest& request) const;
  void adopt(const TuneReport& record);
  void write();

  bool goes_on_ = false;
  std::optional<AtomicFile> dat_, evidence_;
  std::mutex writing_;  // guards the rest
  TuneReport report_;
  std::map<std::string, std::deque<TuneKnownTrial>> known_;  // not taken yet
  std::map<std::string, std::string> failed_;                // why such trials are not made
  std::optional<TuneRequest> running_;
  bool ended_ = false;  // by interrupt()
};

}  // namespace hpl
