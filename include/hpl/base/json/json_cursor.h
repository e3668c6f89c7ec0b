#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpl {

/// A place in a JSON document that knows its name, so that a message can say where it stands.
/// Borrows the value. Every member throws ConfigError when the document is not of the form asked
/// for.
class JsonCursor {
 public:
  using Json = nlohmann::ordered_json;

  JsonCursor(const Json& value, std::string document) : value_(&value), document_(document) {}

  /// The member must exist.
  JsonCursor at(std::string_view key) const;
  /// Empty when the member is missing or null.
  std::optional<JsonCursor> find(std::string_view key) const;
  /// Elements of this array.
  std::vector<JsonCursor> elements() const;
  /// Elements of an array; none when the member is missing or null.
  std::vector<JsonCursor> elements(std::string_view key) const;
  /// Names and values of this object.
  std::vector<std::pair<std::string, JsonCursor>> members() const;
  /// Names and values of an object; none when the member is missing or null.
  std::vector<std::pair<std::string, JsonCursor>> members(std::string_view key) const;
  /// Whether this object has the member, which may be null.
  bool contains(std::string_view key) const;

  bool is_null() const { return value_->is_null(); }
  std::string text() const;
  bool truth() const;
  double number() const;
  std::int64_t integer() const;
  /// A string as it is, anything else as JSON writes it.
  std::string shown() const;

  std::optional<std::int64_t> find_integer(std::string_view key) const;
  std::optional<std::string> find_text(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;

  [[noreturn]] void refuse(std::string_view allowed) const;

 private:
  JsonCursor(const Json& value, std::string document, std::string path)
      : value_(&value), document_(std::move(document)), path_(std::move(path)) {}
  JsonCursor element(const Json& value, std::size_t index) const;
  JsonCursor member(const Json& value, std::string_view key) const;
  void require_object() const;

  const Json* value_;
  std::string document_;
  std::string path_;
};

}  // namespace hpl
