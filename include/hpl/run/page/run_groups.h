#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hpl/report/result/run_result.h"

namespace hpl::page {

/// GFLOP/s; empty of a run that was stopped or has no rate.
std::optional<double> rate_of(const RunResult& run);

/// The runs of one file.
struct FileRuns {
  std::string name;  ///< distinguishes it from the other files
  std::span<const RunResult> runs;
};

/// The repetitions of one run of one file.
struct Group {
  std::size_t file = 0;                ///< position of its file
  std::vector<const RunResult*> runs;  ///< at least one
  std::string label;                   ///< distinguishes it from the other groups

  /// The fastest of those that did not fail, or the fastest if all did.
  const RunResult& best() const;
  /// The worst of the repetitions: failed, unchecked, stopped, passed.
  Verdict verdict() const;
};

/// All runs, in the order of the files; borrows them.
std::vector<Group> group_runs(std::span<const FileRuns> files);

/// Positions, in ascending order, of at most `limit` groups that a reader should see in full: the
/// fastest of every file, then those that failed, then the others in their order.
std::vector<std::size_t> groups_in_full(std::span<const Group> groups, std::size_t limit);

/// The fastest of all groups, of those that did not fail if there are any; `groups` is not empty.
const Group& fastest(std::span<const Group> groups);

}  // namespace hpl::page
