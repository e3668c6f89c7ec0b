#include "tuning_record.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_value.h"
#include "hpl/job/failure/at_the_end.h"
#include "hpl/job/ranks/agreement.h"
#include "hpl/machine/host/versions.h"

namespace hpl {

namespace {

std::string key_of(const std::string& point, const TuneRequest& request) {
  return fmt::format("{}|{}|{}|{}", point, request.panel_alone, request.level, request.repetition);
}

/// Facts about the machine that are the same in every job of a search.
TuneFixed facts_of(const Machine& machine) {
  TuneFixed facts;
  for (const auto& [name, value] : machine.environment())
    for (const char* const fact : {"ranks", "device", "BLAS", "MPI"})
      if (name == fact) facts.emplace_back(name, value);
  return facts;
}

/// "with --threads 2", or "without --threads".
std::string held_text(std::string_view with, std::string_view without, const std::string& name,
                      const std::optional<std::string>& value) {
  if (!value) return fmt::format("{} {}", without, name);
  return fmt::format("{} {}{}{}", with, name, value->empty() ? "" : " ", shown_text(*value));
}

/// Measurements of another search would be taken for those of this one.
void require_same(const std::string& file, const TuneReport& here, const TuneReport& found,
                  const HplDat& given) {
  const auto require = [&](bool same, const std::string& before, const std::string& now) {
    if (same) return;
    throw ConfigError(
        "{}: xhpl tune goes on with the trials of this file, which were made {}, and this job {}; "
        "name another file by --json, or remove it",
        shown_text(file), before, now);
  };
  require(found.program.version == here.program.version,
          fmt::format("by xhpl {}", found.program.version),
          fmt::format("is xhpl {}", here.program.version));
  require(found.machine == here.machine, fmt::format("on {}", found.machine),
          fmt::format("runs on {}", here.machine));
  require(found.ranks == here.ranks, "on " + count_text(found.ranks, "rank"),
          fmt::format("has {}", here.ranks));
  require(found.nodes == here.nodes, "on " + count_text(found.nodes, "node"),
          fmt::format("has {}", here.nodes));
  require(given.orders.empty() || given.orders.front() == found.order,
          fmt::format("for N = {}", found.order),
          fmt::format("asks for N = {}", given.orders.empty() ? 0 : given.orders.front()));
  if (found.fixed.empty())
    throw ConfigError(
        "{}: xhpl tune goes on with the trials of this file, which has no member \"fixed\": the "
        "arithmetic, memory and threads of its trials are unknown; name another file by --json, or "
        "remove it",
        shown_text(file));
  if (const auto other = first_difference(found.fixed, here.fixed))
    require(false, held_text("with", "without", other->name, other->one),
            held_text("has", "has no", other->name, other->other));
}

}  // namespace

TuningRecord::TuningRecord(const JobContext& job, const HplDat& given, TuneReport report)
    : report_(std::move(report)) {
  const std::string file = job.options.evidence_file().string();
  report_.program = program_info("xhpl", job.options.words, job.options.outputs.labels);
  const TuneFixed facts = facts_of(job.machine);
  report_.fixed.insert(report_.fixed.begin(), facts.begin(), facts.end());
  report_.ranks = job.world.size();
  report_.dat_file = job.options.outputs.dat->string();
  goes_on_ = on_rank_0(job.world, [&] {
    dat_.emplace(*job.options.outputs.dat, "the HPL.dat of xhpl tune");
    evidence_.emplace(file, "the trials");
    std::error_code none;
    if (!std::filesystem::is_regular_file(file, none) ||
        std::filesystem::file_size(file, none) == 0)
      return false;
    const TuneReport record = parse_tune_report(file, read_json_text(file));
    require_same(file, report_, record, given);
    adopt(record);
    return true;
  });
  goes_on_ = job.world.broadcast_value(goes_on_, 0);
}

void TuningRecord::adopt(const TuneReport& record) {
  report_.order = record.order;
  report_.trial_order = record.trial_order;
  report_.run_seconds = record.run_seconds;
  report_.estimate = record.estimate;
  report_.rates = record.rates;
  report_.interruptions = record.interruptions;
  report_.state.spent_seconds = record.preparation_seconds;
  report_.preparation_seconds = record.preparation_seconds;
  const auto know = [this](const TuneKnownTrial& trial) {
    known_[key_of(trial.point, trial.request)].push_back(trial);
  };
  for (const TuneTrial& trial : record.state.trials)
    know({full_point_text(record.settings, trial.request.point), trial.request, trial.measured});
  std::ranges::for_each(record.earlier, know);
  // One failure may be chance, two are none; a signal from outside is not the trial's fault.
  std::map<std::string, int> ends;
  for (const TuneInterruption& one : record.interruptions) {
    if (one.from_outside) continue;
    const std::string trial = key_of(one.point, one.request);
    if (++ends[trial] >= 2)
      failed_[trial] = fmt::format("two jobs ended in this trial: {}", one.message);
  }
}

std::string TuningRecord::key(const TuneRequest& request) const {
  return key_of(full_point_text(report_.settings, request.point), request);
}

std::optional<TuneMeasurement> TuningRecord::take(const TuneRequest& request) {
  const std::string trial = key(request);
  if (const auto failed = failed_.find(trial); failed != failed_.end())
    return TuneMeasurement{.residual = {}, .failure = failed->second};
  const auto known = known_.find(trial);
  if (known == known_.end()) return std::nullopt;
  const std::lock_guard lock(writing_);
  TuneMeasurement measured = std::move(known->second.front().measured);
  known->second.pop_front();
  if (known->second.empty()) known_.erase(known);
  return measured;
}

void TuningRecord::begin(const TuneRequest& request) {
  const std::lock_guard lock(writing_);
  running_ = request;
}

void TuningRecord::save(const TuneState& state) {
  const std::lock_guard lock(writing_);
  if (ended_) return;
  report_.state = state;
  // A state that the file holds already need not be written again.
  if (running_ || state.ended) write();
  running_.reset();
}

void TuningRecord::interrupt(const BadEnd& end) {
  const std::unique_lock lock = lock_at_the_end(writing_);
  if (!lock || !evidence_ || !running_) return;
  ended_ = true;
  report_.interruptions.push_back({.point = full_point_text(report_.settings, running_->point),
                                   .request = *running_,
                                   .message = end.message,
                                   .from_outside = end.cause == AbortCause::Signal});
  try {
    write();
  } catch (const RunError&) {  // the failure that brought us here is the one to report
  }
}

void TuningRecord::write() {
  // A resumed search asks again for known trials. Those that it has not reached are kept.
  report_.earlier.clear();
  for (const auto& [name, trials] : known_)
    report_.earlier.insert(report_.earlier.end(), trials.begin(), trials.end());
  evidence_->write(json_text(to_json_value(report_)));
}

void TuningRecord::write_dat(const std::string& text) const {
  dat_->write(text);
}

}  // namespace hpl
