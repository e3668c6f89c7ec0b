#include "hpl/run/page/run_groups.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace hpl::page {

namespace {

bool failed(const RunResult& run) {
  return run_verdict(run) == Verdict::Failed;
}

/// Runs that failed come last, however fast they were.
bool faster(const RunResult& a, const RunResult& b) {
  if (failed(a) != failed(b)) return failed(b);
  return rate_of(a).value_or(0) > rate_of(b).value_or(0);
}

constexpr std::size_t kLabelParts = 5;
using LabelParts = std::array<std::string, kLabelParts>;

/// The marks that distinguish a group from another, the clearest first.
LabelParts label_parts(const Group& group, const std::string& file_name) {
  const RunSpec& spec = group.runs.front()->spec;
  return {file_name, fmt::format("N {}", spec.order), fmt::format("NB {}", spec.block_size),
          fmt::format("{} × {}", spec.grid_rows, spec.grid_columns), variant_code(spec)};
}

void label(std::vector<Group>& groups, const std::vector<LabelParts>& parts) {
  std::array<bool, kLabelParts> differs{};
  for (std::size_t part = 0; part < kLabelParts; ++part)
    for (const LabelParts& one : parts)
      differs[part] = differs[part] || one[part] != parts.front()[part];
  if (std::none_of(differs.begin(), differs.end(), [](bool yes) { return yes; })) differs[1] = true;
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (std::size_t part = 0; part < kLabelParts; ++part)
      if (differs[part]) groups[i].label += (groups[i].label.empty() ? "" : ", ") + parts[i][part];
}

}  // namespace

std::optional<double> rate_of(const RunResult& run) {
  return run.stopped || !(run.gflops > 0) ? std::nullopt : std::optional(run.gflops);
}

const RunResult& Group::best() const {
  return **std::ranges::min_element(runs,
                                    [](const auto* a, const auto* b) { return faster(*a, *b); });
}

Verdict Group::verdict() const {
  Verdict worst = Verdict::Passed;
  for (const RunResult* const run : runs)
    worst = std::max(worst, run_verdict(*run));
  return worst;
}

std::vector<Group> group_runs(std::span<const FileRuns> files) {
  std::vector<Group> groups;
  std::vector<LabelParts> parts;
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const RunResult& run : files[i].runs) {
      const bool repeats = !groups.empty() && groups.back().file == i &&
                           groups.back().runs.front()->run_index == run.run_index;
      if (!repeats) groups.push_back({.file = i});
      groups.back().runs.push_back(&run);
      if (!repeats) parts.push_back(label_parts(groups.back(), files[i].name));
    }
  }
  if (!groups.empty()) label(groups, parts);
  return groups;
}

const Group& fastest(std::span<const Group> groups) {
  return *std::min_element(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return faster(a.best(), b.best());
  });
}

std::vector<std::size_t> groups_in_full(std::span<const Group> groups, std::size_t limit) {
  std::vector<std::size_t> wanted;
  for (std::size_t begin = 0; begin < groups.size();) {
    std::size_t end = begin, best = begin;
    for (; end < groups.size() && groups[end].file == groups[begin].file; ++end)
      if (faster(groups[end].best(), groups[best].best())) best = end;
    wanted.push_back(best);
    begin = end;
  }
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (groups[i].verdict() == Verdict::Failed) wanted.push_back(i);
  for (std::size_t i = 0; i < groups.size(); ++i)
    wanted.push_back(i);

  std::set<std::size_t> chosen;
  for (const std::size_t i : wanted)
    if (chosen.size() < limit) chosen.insert(i);
  return {chosen.begin(), chosen.end()};
}

}  // namespace hpl::page
