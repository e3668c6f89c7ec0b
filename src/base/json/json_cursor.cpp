#include "hpl/base/json/json_cursor.h"

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

namespace hpl {

namespace {

std::string found_text(const JsonCursor::Json& value) {
  if (value.is_array()) return "an array";
  if (value.is_object()) return "an object";
  if (value.is_string()) return quote_printable(value.get<std::string>());
  return value.dump();
}

/// A name that comes from a document may be anything.
std::string shown_name(std::string_view key) {
  constexpr std::size_t kLongest = 40;
  return key.size() > kLongest ? quote_printable(key) : shown_text(key);
}

}  // namespace

void JsonCursor::refuse(std::string_view allowed) const {
  throw ConfigError("{}: {} must be {}, found {}", document_,
                    path_.empty() ? "the document" : path_, allowed, found_text(*value_));
}

void JsonCursor::require_object() const {
  if (!value_->is_object()) refuse("an object");
}

JsonCursor JsonCursor::member(const Json& value, std::string_view key) const {
  const std::string name = shown_name(key);
  return {value, document_, path_.empty() ? name : fmt::format("{}.{}", path_, name)};
}

JsonCursor JsonCursor::element(const Json& value, std::size_t index) const {
  return {value, document_, fmt::format("{}[{}]", path_, index)};
}

JsonCursor JsonCursor::at(std::string_view key) const {
  require_object();
  const auto found = value_->find(key);
  if (found == value_->end()) {
    throw ConfigError("{}: {} must have a member {}, found none", document_,
                      path_.empty() ? "the document" : path_, key);
  }
  return member(*found, key);
}

std::optional<JsonCursor> JsonCursor::find(std::string_view key) const {
  require_object();
  const auto found = value_->find(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return member(*found, key);
}

std::vector<JsonCursor> JsonCursor::elements() const {
  if (!value_->is_array()) refuse("an array");
  std::vector<JsonCursor> cursors;
  cursors.reserve(value_->size());
  for (const Json& value : *value_)
    cursors.push_back(element(value, cursors.size()));
  return cursors;
}

std::vector<JsonCursor> JsonCursor::elements(std::string_view key) const {
  const auto array = find(key);
  return array ? array->elements() : std::vector<JsonCursor>{};
}

std::vector<std::pair<std::string, JsonCursor>> JsonCursor::members() const {
  require_object();
  std::vector<std::pair<std::string, JsonCursor>> cursors;
  for (const auto& [name, value] : value_->items())
    cursors.emplace_back(name, member(value, name));
  return cursors;
}

std::vector<std::pair<std::string, JsonCursor>> JsonCursor::members(std::string_view key) const {
  const auto object = find(key);
  return object ? object->members() : std::vector<std::pair<std::string, JsonCursor>>{};
}

bool JsonCursor::contains(std::string_view key) const {
  require_object();
  return value_->contains(key);
}

std::string JsonCursor::text() const {
  if (!value_->is_string()) refuse("a string");
  return value_->get<std::string>();
}

bool JsonCursor::truth() const {
  if (!value_->is_boolean()) refuse("true or false");
  return value_->get<bool>();
}

double JsonCursor::number() const {
  if (!value_->is_number()) refuse("a number");
  return value_->get<double>();
}

std::int64_t JsonCursor::integer() const {
  if (!value_->is_number_integer() ||
      (value_->is_number_unsigned() && value_->get<std::uint64_t>() > std::uint64_t{INT64_MAX})) {
    refuse("a whole number of at most 64 bits");
  }
  return value_->get<std::int64_t>();
}

std::string JsonCursor::shown() const {
  if (value_->is_array() || value_->is_object()) refuse("a number, a string or a truth value");
  return value_->is_string() ? value_->get<std::string>() : value_->dump();
}

std::optional<std::int64_t> JsonCursor::find_integer(std::string_view key) const {
  const auto found = find(key);
  return found ? std::optional(found->integer()) : std::nullopt;
}

std::optional<std::string> JsonCursor::find_text(std::string_view key) const {
  const auto found = find(key);
  return found ? std::optional(found->text()) : std::nullopt;
}

std::vector<std::string> JsonCursor::texts(std::string_view key) const {
  std::vector<std::string> texts;
  for (const JsonCursor& cursor : elements(key))
    texts.push_back(cursor.text());
  return texts;
}

}  // namespace hpl
