#pragma once

#include <algorithm>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "support/test_files.h"

namespace hpl::test {

/// The part of JSON Schema that docs/schema/run.schema.json uses: type, required, properties,
/// additionalProperties, items, enum, const, minimum, anyOf and references to $defs. Stricter than
/// the schema in one thing: a member that an object's properties do not name is a fault. Readers of
/// newer documents pass over such members, but what this program writes is to be described.
class SchemaCheck {
 public:
  using Json = nlohmann::json;

  explicit SchemaCheck(Json schema) : root_(std::move(schema)) {}
  /// By a schema of docs/schema: "run".
  static SchemaCheck published(const std::string& kind) {
    std::ifstream file(schema_file(kind + ".schema.json"));
    return SchemaCheck(Json::parse(file));
  }

  /// One line a fault, empty when `document` is valid.
  std::string faults(const Json& document) const { return faults(document, root_, ""); }

 private:
  std::string faults(const Json& value, const Json& schema, const std::string& at) const {
    if (schema.contains("$ref")) {
      const std::string pointer = schema["$ref"].get<std::string>().substr(1);
      return faults(value, root_.at(Json::json_pointer(pointer)), at);
    }
    if (schema.contains("anyOf")) return any_of(value, schema["anyOf"], at);
    if (schema.contains("type") && !has_type(value, schema["type"])) return at + ": wrong type\n";
    std::string found;
    if (schema.contains("const") && value != schema["const"]) found += at + ": wrong value\n";
    if (schema.contains("enum") &&
        std::ranges::find(schema["enum"], value) == schema["enum"].end()) {
      found += at + ": not one of the allowed values\n";
    }
    if (schema.contains("minimum") && value.is_number() && value < schema["minimum"]) {
      found += at + ": too small\n";
    }
    if (value.is_array() && schema.contains("items")) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        found += faults(value[i], schema["items"], at + "/" + std::to_string(i));
      }
    }
    if (value.is_object()) found += members(value, schema, at);
    return found;
  }

  std::string members(const Json& value, const Json& schema, const std::string& at) const {
    std::string found;
    for (const Json& key : schema.value("required", Json::array())) {
      if (!value.contains(key.get<std::string>()))
        found += at + ": no " + key.get<std::string>() + "\n";
    }
    const Json properties = schema.value("properties", Json::object());
    const Json others = schema.value("additionalProperties", Json(!schema.contains("properties")));
    for (const auto& [key, member] : value.items()) {
      if (properties.contains(key)) {
        found += faults(member, properties[key], at + "/" + key);
      } else if (others.is_object()) {
        found += faults(member, others, at + "/" + key);
      } else if (!others.get<bool>()) {
        found += at + ": unknown " + key + "\n";
      }
    }
    return found;
  }

  std::string any_of(const Json& value, const Json& choices, const std::string& at) const {
    std::string found;
    for (const Json& choice : choices) {
      const std::string of_choice = faults(value, choice, at);
      if (of_choice.empty()) return {};
      found += of_choice;
    }
    return found;
  }

  static bool has_type(const Json& value, const Json& type) {
    if (type.is_array()) {
      return std::ranges::any_of(type, [&](const Json& one) { return has_type(value, one); });
    }
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == value.type_name();
  }

  Json root_;
};

}  // namespace hpl::test
