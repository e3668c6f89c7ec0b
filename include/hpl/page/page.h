#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hpl/base/text/table.h"
#include "hpl/page/run_file.h"
#include "hpl/run/report/campaign_report.h"

namespace hpl::page {

struct PageOptions {
  std::string title{};               ///< empty: made from the runs
  std::size_t runs_in_full = 6;      ///< number of runs with charts of their own
  bool sheet = false;                ///< printed, the page is a sheet to sign; each file is a step
  std::vector<std::string> hosts{};  ///< of the machine of a sheet: a lost one fails the page
  std::optional<CampaignReport> campaign{};  ///< whose steps the files are: the page is no better
};

/// The tables of a document; of several runs and of comparisons none.
std::vector<Table> tables_of(const RunFile& file);

/// One HTML document that needs nothing else: style, script and charts are inside. `files` holds at
/// least one; several are compared.
std::string build_page(std::span<const RunFile> files, const PageOptions& options);

/// The page of documents: JSON texts, each after a name that stands for its file.
std::string page_of(const std::vector<std::pair<std::string, std::string>>& documents);

}  // namespace hpl::page
