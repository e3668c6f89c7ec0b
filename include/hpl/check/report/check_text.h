#pragma once

#include <string>
#include <vector>

#include "hpl/base/text/table.h"
#include "hpl/base/text/text_style.h"
#include "hpl/check/findings/check_report.h"

namespace hpl {

/// The subject of a finding: "rank 3 on node01, cuda 3"; "rank 0 on node01 and rank 4 on node02".
std::string place_of(const RankFinding& finding);
/// "Pre-flight check of 2 ranks on 1 node: 3.2 s"
std::string check_head(const CheckReport& report);
/// The figures, then those of the deep form: extremes, median, who is worst.
std::vector<Table> tables_of(const CheckReport& report);

/// The text of `xhpl check`: one line for each figure (extremes, median, who is worst), what was
/// not measured, and the findings. Its length does not grow with the number of ranks that are
/// sound. In every detail all findings are named.
std::string check_text(const CheckReport& report, const TextStyle& style = {});

/// One line for the head of a run's report: "sound; host DGEMM 79.8 to 80.2 GFLOP/s a core, ..."
std::string check_line(const CheckReport& report);

/// Faults and outliers as remarks of a run's report, a few of them.
std::vector<Remark> check_remarks(const CheckReport& report);

}  // namespace hpl
