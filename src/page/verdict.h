#pragma once

#include <span>
#include <string_view>

#include "hpl/page/run_file.h"

namespace hpl::page {

/// The end of files and runs, as one word for all: the worst. Repeat: of a sheet alone.
enum class Verdict { Passed, Warned, Repeat, Unchecked, Broken, Unfinished, Slow, Failed };
Verdict verdict_of(const RunFile& file);
Verdict verdict_of(std::span<const RunFile> files);

struct VerdictLook {
  std::string_view word;   ///< "PASSED"
  std::string_view style;  ///< name of its style
};
const VerdictLook& look_of(Verdict verdict);

}  // namespace hpl::page
