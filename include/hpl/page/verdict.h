#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/base/result/verdict.h"
#include "hpl/page/page.h"
#include "hpl/page/run_file.h"

namespace hpl::page {

Verdict verdict_of(const RunFile& file);
/// The worst.
Verdict verdict_of(std::span<const RunFile> files);

/// The findings of a document, as its page has them, a sentence each.
std::vector<std::string> reasons_of(const RunFile& file);

/// The verdict of a sheet: a lost host fails it, and a step that other processes disturbed is to be
/// repeated. It is no better than that of the campaign, if there is one.
Verdict verdict_of_sheet(std::span<const RunFile> files, const PageOptions& options);

/// Why a step is to be repeated; empty: it is not.
std::string reservation(const RunFile& step);
/// The same of all steps: "device: the rates are no measure of ...".
std::string reservations(std::span<const RunFile> steps);

/// The hosts of the machine of a campaign: those of its check, and those that were denied.
std::vector<std::string> hosts_of_sheet(std::span<const RunFile> steps,
                                        std::vector<std::string> denied);

struct VerdictLook {
  std::string word;        ///< "PASSED"
  std::string_view style;  ///< name of its style
};
VerdictLook look_of(Verdict verdict);

}  // namespace hpl::page
