#pragma once

#include <string>

#include "hpl/base/text/text_style.h"
#include "hpl/report/result/run_result.h"

namespace hpl {

/// The lines of a run that only this program writes; each begins with "# ".
std::string run_lines(const RunResult& result, Detail detail);

/// Its lines about checksums alone.
std::string checksum_text(const RunResult& result);

}  // namespace hpl
