#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/base/json/json_cursor.h"
#include "hpl/machine/model/rate_table.h"

namespace hpl {

/// Names of a table's axes and of its values, with their units: "m", "n", "k", "gflops".
struct TableNames {
  std::vector<std::string_view> axes;
  std::string_view values;
};

// Reading: each throws ConfigError with document, place, what was found and what is allowed.

/// The document's first members; throws where it is another kind of document.
void require_document(const JsonCursor& from, std::string_view kind, std::int64_t schema_version);
double positive(const JsonCursor& from);
double positive(const JsonCursor& from, std::string_view key);
double positive_or(const JsonCursor& from, std::string_view key, double otherwise);
std::optional<double> find_positive(const JsonCursor& from, std::string_view key);
/// In [least, 1].
double share_or(const JsonCursor& from, std::string_view key, double otherwise, double least = 0);
int count_or(const JsonCursor& from, std::string_view key, int otherwise);
RateTable read_table(const JsonCursor& from, const TableNames& names);

JsonCursor::Json table_json(const RateTable& table, const TableNames& names);

}  // namespace hpl
