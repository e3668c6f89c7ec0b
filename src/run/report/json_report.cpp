#include "hpl/run/report/json_report.h"

#include <chrono>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/file/line_file.h"
#include "hpl/base/file/named_files.h"
#include "hpl/base/record/record.h"
#include "hpl/base/text/text_value.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;

/// Pause after the report was written, in terms of the time that took: at most 2 % of a job.
constexpr double kPause = 50;

/// The journal of an earlier job that came to no end goes away with the report of that job. What
/// else has its name stays.
void require_journal_or_nothing(const fs::path& path) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  if (!fs::exists(status)) return;
  std::string found = "what is no file";
  if (fs::is_regular_file(status)) {
    try {
      const std::string mark = "{\"journal_version\":";
      const std::string begin = LineFile(path).read(0, mark.size());
      if (begin.empty() || begin == mark) return;
      found = quote_printable(begin);
    } catch (const std::system_error& failure) {
      found = failure.code().message();
    }
  }
  throw ConfigError(
      "--json keeps a journal in {}: this must be one that an earlier job left, or nothing, found "
      "{}; name another file with --json",
      quote_printable(path.string()), found);
}

std::string message(const fs::path& journal, const std::error_code& error) {
  return fmt::format("cannot write the journal of the JSON report to '{}': {}",
                     shown_text(journal.string()), error.message());
}

}  // namespace

std::string to_json(const JobReport& job) {
  return json_text(to_json_value(job));
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

JsonReport::JsonReport(const fs::path& target, Clock clock)
    : file_(target, "the JSON report"), clock_(std::move(clock)) {
  if (file_.in_place()) return;
  journal_ = journal_of(target);
  require_journal_or_nothing(journal_);
}

void JsonReport::add(const JobReport& job) {
  if (file_.in_place()) return;
  if (!written_) return write(job);
  const auto keep = [&] {
    append_to_journal(
        json_text(to_json_value(JournalLine{job.runs.size() - 1, job.runs.back()}), -1));
  };
  if (clock_() < due_) {
    try {
      return keep();
    } catch (const RunError&) {  // the report may be the shorter file: the journal goes with it
    }
  }
  try {
    write(job);
  } catch (const RunError&) {
    keep();  // there may be room for a run where there is none for all
    throw;
  }
}

void JsonReport::write(const JobReport& job) {
  const double begin = clock_();
  // That of an earlier job must not stand beside the report of this one.
  if (!written_) remove_journal();
  file_.write(to_json(job));
  remove_journal();
  written_ = true;
  const double end = clock_();
  due_ = end + kPause * (end - begin);
}

void JsonReport::remove_journal() const {
  std::error_code error;
  if (!journal_.empty()) fs::remove(journal_, error);
  if (error) throw RunError(message(journal_, error));
}

void JsonReport::append_to_journal(const std::string& line) const {
  try {
    // Users who may not read the report may not read this.
    const auto permissions = fs::status(file_.target()).permissions();
    LineFile(journal_, static_cast<mode_t>(permissions)).append(line);
  } catch (const std::system_error& failure) {
    throw RunError(message(journal_, failure.code()));
  }
}

}  // namespace hpl
