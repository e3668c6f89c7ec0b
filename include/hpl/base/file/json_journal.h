#pragma once

#include <filesystem>

namespace hpl {

/// Beside a JSON report, while its job goes on: the runs since the report was last written, one
/// JSON object a line, {"journal_version":1,"index":3,"run":{...}}. `index` is the run's place in
/// the report's array `runs`, `run` what will stand there. A report with an exit code has no need
/// of it.
inline constexpr int kJournalVersion = 1;

/// "run.json.journal" beside run.json, symbolic links followed.
std::filesystem::path journal_of(const std::filesystem::path& report);

}  // namespace hpl
