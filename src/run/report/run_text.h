#pragma once

#include <span>
#include <string>

#include "hpl/base/text/text_style.h"
#include "hpl/report/result/run_result.h"

namespace hpl {

/// The lines of a run that only this program writes; each begins with "# ". `remarks`: those of the
/// run that no run before has had.
std::string run_lines(const RunResult& result, std::span<const Remark> remarks, Detail detail);

/// Its lines about checksums alone.
std::string checksum_text(const RunResult& result);

}  // namespace hpl
