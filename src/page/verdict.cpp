#include "hpl/page/verdict.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "hpl/base/error/error.h"
#include "hpl/fleet/page/fleet_part.h"

namespace hpl::page {

Verdict verdict_of(const RunFile& file) {
  const JobReport& job = file.job;
  if (job.error) return Verdict::Broken;
  if (!job.exit_code) return Verdict::Unfinished;
  if (*job.exit_code == ExitCode::Failed)
    return file.fleet && is_only_unchecked(*file.fleet) ? Verdict::Unchecked : Verdict::Failed;
  if (*job.exit_code == ExitCode::Slow) return Verdict::Slow;
  if (*job.exit_code != ExitCode::Passed) return Verdict::Broken;
  if (file.fleet && !file.fleet->warn_list.empty()) return Verdict::Warned;
  if (file.content == Content::Check && count(*job.preflight, Severity::Warning) > 0)
    return Verdict::Warned;
  if (file.comparison && file.comparison->undecided) return Verdict::Warned;
  const auto has = [&](Verdict verdict) {
    return std::ranges::any_of(job.runs,
                               [&](const auto& run) { return run_verdict(run) == verdict; });
  };
  if (has(Verdict::Failed)) return Verdict::Failed;
  const bool no_runs = file.content != Content::Runs;
  return has(Verdict::Passed) || no_runs ? Verdict::Passed : Verdict::Unchecked;
}

Verdict verdict_of(std::span<const RunFile> files) {
  const std::vector<const FleetReport*> fleets = fleets_of(files);
  Verdict worst = Verdict::Passed;
  for (const RunFile& file : files)
    if (!file.fleet || !is_history(*file.fleet, fleets)) worst = std::max(worst, verdict_of(file));
  return worst;
}

VerdictLook look_of(Verdict verdict) {
  static constexpr std::array<std::string_view, kVerdicts.size()> kStyles{
      "good", "warned",     "warned",          "open", "open", "bad",
      "bad",  "bad broken", "open unfinished", "bad",  "bad"};
  std::string word(to_string(verdict));
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::toupper(c); });
  return {std::move(word), kStyles.at(static_cast<std::size_t>(verdict))};
}

}  // namespace hpl::page
