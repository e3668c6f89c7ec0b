#pragma once

#include <array>
#include <string_view>

#include "hpl/base/choice/choice.h"
#include "hpl/base/error/error.h"

namespace hpl {

/// The end of a run, rank, member, host or document, from the best to the worst.
enum class Verdict {
  Passed,
  Warned,      ///< passed, but for one figure that is out; or disturbed, and to be measured again
  Repeat,      ///< other processes disturbed a step; of a sheet alone
  Stopped,     ///< a run that --stop-after ended; of a run alone
  Unchecked,   ///< no fault was found, but not everything was checked
  NotRun,      ///< took no part: it shows no device, or not as many as others
  Missing,     ///< a host that was expected and did not report
  Broken,      ///< its job ended early
  Unfinished,  ///< its document was written before the job ended
  Slow,
  Failed,  ///< wrong; of a member or host also slow
};
inline constexpr std::array<Choice<Verdict>, 11> kVerdicts{{{Verdict::Passed, "passed"},
                                                            {Verdict::Warned, "warned"},
                                                            {Verdict::Repeat, "repeat"},
                                                            {Verdict::Stopped, "stopped"},
                                                            {Verdict::Unchecked, "not checked"},
                                                            {Verdict::NotRun, "not run"},
                                                            {Verdict::Missing, "missing"},
                                                            {Verdict::Broken, "ended early"},
                                                            {Verdict::Unfinished, "not finished"},
                                                            {Verdict::Slow, "too slow"},
                                                            {Verdict::Failed, "failed"}}};
constexpr std::string_view to_string(Verdict verdict) {
  return kVerdicts[static_cast<std::size_t>(verdict)].name;
}
/// The exit code of what ended so.
constexpr ExitCode exit_code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Passed:
    case Verdict::Warned:
      return ExitCode::Passed;
    case Verdict::Repeat:
    case Verdict::Broken:
    case Verdict::Unfinished:
      return ExitCode::Broken;
    case Verdict::Slow:
      return ExitCode::Slow;
    default:
      return ExitCode::Failed;
  }
}
/// A warning makes nothing fail.
constexpr bool has_passed(Verdict verdict) {
  return verdict <= Verdict::Warned;
}

}  // namespace hpl
