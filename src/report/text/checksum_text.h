#pragma once

#include <string>
#include <vector>

#include "hpl/report/result/run_result.h"

namespace hpl {

/// What the checksums of a run showed, one sentence a line: that they agree, or where something
/// went wrong first. Empty when none were carried.
std::vector<std::string> checksum_lines(const RunResult& run);

}  // namespace hpl
