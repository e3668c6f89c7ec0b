#pragma once

#include <span>
#include <string>
#include <vector>

#include "hpl/page/page.h"
#include "hpl/page/run_file.h"
#include "hpl/run/page/run_groups.h"

namespace hpl::page {

// The parts of a page that stand there without a script, as HTML; empty where a part has nothing to
// say.

/// The runs of the documents, see group_runs().
std::vector<Group> groups_of(std::span<const RunFile> files);
/// The verdict, the findings, and the figures of the fastest run.
std::string verdict_section(std::span<const RunFile> files, std::span<const Group> groups,
                            const PageOptions& options);
struct NamedComparison {
  std::string name;
  Comparison comparison;
};
/// The comparisons of the documents, then the histories of fleets.
std::vector<NamedComparison> comparisons_of(std::span<const RunFile> files);
/// The tables of comparisons, predictions, searches and checks.
std::string document_sections(std::span<const RunFile> files,
                              std::span<const NamedComparison> comparisons);
/// The settings of the runs, and their environment.
std::string configuration_section(std::span<const RunFile> files, std::span<const Group> groups);

}  // namespace hpl::page
