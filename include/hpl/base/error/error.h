#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace hpl {

/// Process exit codes, see docs/reading-a-report.md.
enum class ExitCode : int {
  Passed = 0,    ///< every run passed its residual and every gate
  Failed = 1,    ///< wrong: a residual, checksums, a faulty device, a missing host
  BadInput = 2,  ///< HPL.dat, the command line or the launch cannot be honoured
  Broken = 3,    ///< device, MPI, memory or watchdog: the run could not go on
  Slow = 4,      ///< right, but slower than a gate, peers or a reference allow
};

/// The findings on a job that came to its end.
struct Judgement {
  bool wrong = false;  ///< or not shown to be right
  bool slow = false;
};

/// The one rule from findings to exit code: wrong comes before slow.
constexpr ExitCode exit_code_of(const Judgement& judgement) {
  return judgement.wrong ? ExitCode::Failed : judgement.slow ? ExitCode::Slow : ExitCode::Passed;
}

/// Whether a job with this code came to its end and was judged.
constexpr bool is_verdict(ExitCode code) {
  return code == ExitCode::Passed || code == ExitCode::Failed || code == ExitCode::Slow;
}

/// An error with a text for the user: a ready one, whose braces are text, or a format with
/// arguments.
class TextError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  template <typename First, typename... More>
  TextError(fmt::format_string<First, More...> format, First&& first, More&&... more)
      : runtime_error(
            fmt::format(format, std::forward<First>(first), std::forward<More>(more)...)) {}
};

/// The user's mistake: where it stands, what was found, what is allowed. Ends with
/// ExitCode::BadInput.
class ConfigError : public TextError {
 public:
  using TextError::TextError;
};

/// The machine's failure (memory, device, MPI, time): ends with ExitCode::Broken.
class RunError : public TextError {
 public:
  using TextError::TextError;
};

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace hpl

/// States what must hold unless this program has a bug; always checked, since every use is off the
/// hot path.
#define HPL_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::hpl::assertion_failed(#condition, __FILE__, __LINE__))
