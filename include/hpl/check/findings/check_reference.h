#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hpl/base/json/json_cursor.h"
#include "hpl/check/findings/check_members.h"
#include "hpl/check/findings/check_report.h"

namespace hpl {

/// Reads the document of `xhpl check --json` from the file `source`. Throws ConfigError for any
/// other document, and for a check of ranks that share cores.
CheckReference read_check_reference(const JsonCursor& document, const std::string& source);

/// Why a check of these ranks cannot be held against the reference: another number of ranks or
/// hosts, other hosts, another device or processor. Empty: it can.
std::optional<std::string> reference_mismatch(const CheckReference& reference,
                                              std::span<const RankRecord> ranks);

/// The figures of the reference for the ranks of a check, and for their links. Borrows the ranks.
class CheckNorms {
 public:
  CheckNorms(const CheckReference& reference, std::span<const RankRecord> ranks);

  const std::string& source() const { return source_; }
  /// The same figure of the same rank or link; empty if the reference lacks it.
  std::optional<double> of(const RankRecord& rank, const Measurement& measured) const;

 private:
  std::string source_;
  CheckMembers members_;
  std::map<std::string, Figures> figures_;
};

/// Values that are worse than in the reference, as find_outliers() beside the others. Of many nodes
/// the median of each node's links counts, too.
std::vector<RankFinding> find_outliers(std::span<const RankRecord> ranks, double tolerance,
                                       const CheckNorms& norms);

/// Names the figures that the check or its reference lacks, after condense_node_links(). Empty:
/// none.
std::optional<Remark> remark_on_missing(const CheckReport& report, const CheckReference& reference);

}  // namespace hpl
