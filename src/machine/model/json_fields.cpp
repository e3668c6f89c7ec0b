#include "json_fields.h"

#include <limits>

#include <fmt/format.h>

namespace hpl {

void require_document(const JsonCursor& from, std::string_view kind, std::int64_t schema_version) {
  const JsonCursor found = from.at("kind");
  if (found.text() != kind) found.refuse(fmt::format("\"{}\"", kind));
  const JsonCursor version = from.at("schema_version");
  if (version.integer() != schema_version) version.refuse(std::to_string(schema_version));
}

double positive(const JsonCursor& from) {
  const double value = from.number();
  if (!(value > 0)) from.refuse("a number above 0");
  return value;
}

double positive(const JsonCursor& from, std::string_view key) {
  return positive(from.at(key));
}

std::optional<double> find_positive(const JsonCursor& from, std::string_view key) {
  const auto found = from.find(key);
  return found ? std::optional(positive(*found)) : std::nullopt;
}

double positive_or(const JsonCursor& from, std::string_view key, double otherwise) {
  return find_positive(from, key).value_or(otherwise);
}

double share_or(const JsonCursor& from, std::string_view key, double otherwise, double least) {
  const auto found = from.find(key);
  if (!found) return otherwise;
  const double value = found->number();
  if (!(value >= least && value <= 1)) found->refuse(fmt::format("a number from {:g} to 1", least));
  return value;
}

int count_or(const JsonCursor& from, std::string_view key, int otherwise) {
  const auto found = from.find(key);
  if (!found) return otherwise;
  const std::int64_t value = found->integer();
  if (value < 1 || value > std::numeric_limits<std::int32_t>::max())
    found->refuse("a whole number, at least 1");
  return static_cast<int>(value);
}

namespace {

std::vector<double> read_axis(const JsonCursor& from, std::string_view key) {
  std::vector<double> sizes;
  for (const JsonCursor& element : from.elements(key)) {
    sizes.push_back(positive(element));
    if (sizes.size() > 1 && sizes[sizes.size() - 2] >= sizes.back())
      element.refuse("more than the one before");
  }
  if (sizes.empty()) from.at(key).refuse("a list of sizes");
  return sizes;
}

void read_values(const JsonCursor& from, const std::vector<std::vector<double>>& axes,
                 std::size_t axis, std::vector<double>& values) {
  if (axis == axes.size()) {
    values.push_back(positive(from));
    return;
  }
  const std::vector<JsonCursor> elements = from.elements();
  if (elements.size() != axes[axis].size())
    from.refuse(fmt::format("a list of {}, as many as there are sizes", axes[axis].size()));
  for (const JsonCursor& element : elements)
    read_values(element, axes, axis + 1, values);
}

JsonCursor::Json values_json(const RateTable& table, std::size_t axis, std::size_t& next) {
  if (axis == table.axes().size()) return table.values()[next++];
  JsonCursor::Json array = JsonCursor::Json::array();
  for (std::size_t i = 0; i < table.axes()[axis].size(); ++i)
    array.push_back(values_json(table, axis + 1, next));
  return array;
}

}  // namespace

RateTable read_table(const JsonCursor& from, const TableNames& names) {
  std::vector<std::vector<double>> axes;
  for (const std::string_view name : names.axes)
    axes.push_back(read_axis(from, name));
  std::vector<double> values;
  read_values(from.at(names.values), axes, 0, values);
  return {std::move(axes), std::move(values)};
}

JsonCursor::Json table_json(const RateTable& table, const TableNames& names) {
  JsonCursor::Json object = JsonCursor::Json::object();
  for (std::size_t axis = 0; axis < names.axes.size(); ++axis)
    object[std::string(names.axes[axis])] = table.axes()[axis];
  std::size_t next = 0;
  object[std::string(names.values)] = values_json(table, 0, next);
  return object;
}

}  // namespace hpl
