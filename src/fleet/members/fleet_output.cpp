#include "fleet_output.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "hpl/fleet/judge/fleet_json.h"
#include "hpl/fleet/judge/fleet_verdict.h"
#include "hpl/fleet/report/fleet_table.h"
#include "hpl/fleet/report/fleet_text.h"
#include "hpl/job/failure/at_the_end.h"
#include "hpl/job/live/status_line.h"
#include "hpl/job/ranks/agreement.h"
#include "hpl/run/report/head_text.h"

namespace hpl {

namespace {

bool has_any(const FleetMember& member, const std::vector<int>& ranks) {
  return std::ranges::find_first_of(member.ranks, ranks) != member.ranks.end();
}

}  // namespace

void FleetOutput::open(const mpi::Communicator& world, const Options& options, const HplDat& dat) {
  on_rank_0(world, [&] {
    if (options.outputs.json) json_.emplace(*options.outputs.json, "the JSON report");
    if (options.outputs.page) page_.emplace(*options.outputs.page, "the page");
    if (options.outputs.csv) csv_.emplace(*options.outputs.csv, fleet_table());
    lists_ = HostListFiles(options.fleet.lists);
    // Last, since opening it empties it: what the others refuse has cost nothing.
    stream_.emplace(dat.output_device, dat.output_file, dat.output_origin);
    style_ = report_style(options.outputs, dat.output_device);
  });
}

void FleetOutput::begin(FleetReport report) {
  if (!root_) return;
  const std::lock_guard lock(writing_);
  report_ = std::move(report);
  stream_->stream() << fleet_head(report_, style_) << std::flush;
}

void FleetOutput::start() {
  if (!root_) return;
  const std::lock_guard lock(writing_);
  judge_fleet(report_);
  if (json_ && !json_->in_place()) write_json();
  write_lists();
}

void FleetOutput::add(std::size_t member, RunResult run) {
  const std::lock_guard lock(writing_);
  if (report_.error) return;  // the end has begun, and stands in the report
  report_.members.at(member).runs.push_back(std::move(run));
  unwritten_ = true;
}

void FleetOutput::remark(Remark remark) {
  const std::lock_guard lock(writing_);
  stream_->stream() << StyledText(style_).add(Detail::Usual, remark_lines({&remark, 1})).text();
  report_.header.remarks.push_back(std::move(remark));
}

void FleetOutput::update() {
  using Clock = std::chrono::steady_clock;
  constexpr int kPause = 50;  // in terms of the time that writing takes: 2 % of a job
  const auto begin = Clock::now();
  if (!root_ || !json_ || json_->in_place() || begin < due_) return;
  const std::lock_guard lock(writing_);
  if (report_.error || !unwritten_) return;
  judge_fleet(report_);
  write_json();
  unwritten_ = false;
  const auto end = Clock::now();
  due_ = end + kPause * (end - begin);
}

void FleetOutput::failure(const BadEnd& end) {
  const std::unique_lock lock = lock_at_the_end(writing_);
  if (!lock) return;
  report_.error = end.message;
  report_.exit_code = ExitCode::Broken;
  // Otherwise ranks have little time to answer.
  if (end.cause == AbortCause::Stall)
    for (FleetMember& member : report_.members)
      member.state = has_any(member, end.silent) ? MemberState::Silent
                     : has_any(member, end.busy) ? MemberState::AtWork
                                                 : MemberState::Finished;
  try {
    judge_fleet(report_);
    if (json_) write_json();
    write_lists();
    write_table();
  } catch (const RunError&) {  // the failure that brought us here is the one to tell
  }
}

ExitCode FleetOutput::close() {
  if (!root_) return ExitCode::Passed;
  const std::lock_guard lock(writing_);
  if (report_.error) return *report_.exit_code;
  report_.ended = zoned_now();
  judge_fleet(report_);
  const ExitCode code = exit_code_of(report_);
  report_.exit_code = code;
  const std::string changes = before_ ? changes_(*before_, report_, style_.detail) : "";
  stream_->stream() << fleet_text(report_, style_, changes) << std::flush;
  if (!stream_->stream())
    throw RunError("the report could not be written to its end: the output is incomplete");
  write_lists();
  if (json_) write_json();
  write_table();
  if (!page_) return code;
  std::vector<NamedDocument> documents{{"this fleet", fleet_json(report_)}};
  if (before_) documents.emplace_back(report_.reference->source, fleet_json(*before_));
  page_->write(page_of_(documents));
  return code;
}

void FleetOutput::write_lists() {
  lists_.write(report_.pass_list, report_.warn_list, report_.fail_list,
               report_.exit_code.has_value());
}

void FleetOutput::write_table() {
  if (!csv_) return;
  const CsvFile table = *std::exchange(csv_, std::nullopt);
  table.append(fleet_rows(report_));
}

void FleetOutput::write_json() {
  json_->write(fleet_json(report_));
}

}  // namespace hpl
