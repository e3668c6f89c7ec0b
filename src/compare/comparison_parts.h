#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hpl/base/text/table.h"
#include "hpl/compare/comparison.h"

namespace hpl {

// The parts of a comparison that text and page show alike.

inline constexpr std::string_view kNoChange =
    "No change of settings, software or hardware is known.";

/// "A" and "B" of two sides, numbers of more.
std::string letter(const Comparison& comparison, int side);
Table side_table(const Comparison& comparison);
/// "node: N = 20000, ..."; "rank and link: pre-flight check"
std::string run_name(const ComparedRun& run);
Cell verdict_cell(const FigureChange* change);
/// Figures of all members of a kind, from the first side to the last. It has two points at least.
Table kind_table(const Comparison& comparison, const ComparedMember& kind);
/// "kernel: 5.1 -> 6.2  (all 4 hosts)"
std::vector<std::string> changed_lines(const Comparison& comparison, FactSubject subject);
/// "Only in A: node03"
std::vector<std::string> missing_lines(const Comparison& comparison, const ComparedRun& run);
std::vector<std::string> uncompared_lines(const Comparison& comparison);

}  // namespace hpl
