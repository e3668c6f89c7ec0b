#include "hpl/base/record/record.h"

#include <cmath>

#include <fmt/format.h>

namespace hpl {

namespace {

constexpr const char* kDialect = "https://json-schema.org/draft/2020-12/schema";

/// Whole numbers without an exponent.
std::string number_text(double value) {
  constexpr double kExact = 9e15;
  return std::abs(value) < kExact && value == std::floor(value) ? fmt::format("{:.0f}", value)
                                                                : fmt::format("{}", value);
}

std::string allowed_numbers(const Limits& limits) {
  const std::string most = limits.maximum ? number_text(*limits.maximum) : "";
  if (limits.above)
    return "above " + number_text(*limits.above) + (limits.maximum ? " and at most " + most : "");
  if (!limits.minimum) return "at most " + most;
  const std::string least = number_text(*limits.minimum);
  return limits.maximum ? "from " + least + " to " + most : "at least " + least;
}

}  // namespace

Record::Record(Use use, Json* definitions) : use_(use), definitions_(definitions) {
  if (use == Use::Write) out_ = Json::object();
  if (use == Use::Pack) out_ = Json::array();
  if (use == Use::Schema)
    out_ = {{"type", "object"}, {"required", Json::array()}, {"properties", Json::object()}};
}

void Record::document(const DocumentForm& form) {
  if (use_ == Use::Write) {
    write_member("schema_version", form.version);
    if (!form.kind.empty()) write_member("kind", form.kind);
  } else if (use_ == Use::Read) {
    const JsonCursor version = in_->at("schema_version");
    if (version.integer() != form.version) {
      const auto program = in_->find("program");
      const auto writer = program ? program->find_text("version") : std::nullopt;
      version.refuse(fmt::format("{}{}", form.version,
                                 writer ? fmt::format(" (xhpl {} wrote it)", *writer) : ""));
    }
    if (form.kind.empty()) return;
    const JsonCursor kind = in_->at("kind");
    if (kind.text() != form.kind) kind.refuse(form.kind);
  } else if (use_ == Use::Schema) {
    out_["title"] = form.title;
    out_["description"] = form.description;
    add_schema("schema_version", {{"type", "integer"}, {"const", form.version}}, {}, {});
    if (!form.kind.empty()) add_schema("kind", {{"const", form.kind}}, {}, {});
  }
}

void Record::type(std::string_view name, std::string_view meaning) {
  if (use_ != Use::Schema) return;
  type_ = name;
  if (!meaning.empty()) out_["description"] = meaning;
}

void Record::index(std::string_view name, int& value, std::string_view meaning) {
  converted(
      name, [&] { return value < 0 ? std::nullopt : std::optional(value); },
      [&](const std::optional<int>& found) { value = found.value_or(-1); }, meaning, kCount);
}

void Record::begin_reading(const JsonCursor& from) {
  in_ = &from;
  if (use_ == Use::Unpack) packed_ = from.elements();
}

void Record::write_member(std::string_view name, Json value) {
  if (use_ == Use::Pack) {
    out_.push_back(std::move(value));
  } else {
    // Names of a description differ, so that none has to be searched for.
    out_.get_ref<Json::object_t&>().emplace_back(std::string(name), std::move(value));
  }
}

bool Record::is_null_next(std::string_view name) const {
  return use_ == Use::Unpack ? packed_.at(position_).is_null() : !in_->find(name);
}

std::optional<JsonCursor> Record::next_member(std::string_view name, const Limits& limits) {
  if (use_ == Use::Unpack) return packed_.at(position_++);
  if ((limits.added || limits.may_lack) && !in_->contains(name)) return std::nullopt;
  return in_->at(name);
}

void Record::require(const JsonCursor& from, double value, const Limits& limits) {
  const bool low =
      (limits.minimum && value < *limits.minimum) || (limits.above && !(value > *limits.above));
  if (low || (limits.maximum && value > *limits.maximum)) from.refuse(allowed_numbers(limits));
}

void Record::require_count(const JsonCursor& from, std::size_t count,
                           std::optional<std::size_t> least, std::optional<std::size_t> most) {
  if (count >= least.value_or(0) && count <= most.value_or(count)) return;
  from.refuse(least == most ? fmt::format("an array of {} elements", *least)
              : most        ? fmt::format("an array of {} to {} elements", least.value_or(0), *most)
                            : fmt::format("an array of at least {} elements", *least));
}

void Record::add_schema(std::string_view name, Json schema, std::string_view meaning,
                        const Limits& limits) {
  if (!limits.may_lack) out_["required"].push_back(name);
  if (!meaning.empty()) schema["description"] = meaning;
  out_["properties"][std::string(name)] = std::move(schema);
}

Record::Json Record::or_null(Json schema) {
  const auto type = schema.find("type");
  if (type == schema.end() || *type == "object")
    return {{"anyOf", {{{"type", "null"}}, std::move(schema)}}};
  if (!type->is_array()) *type = {*type, "null"};
  if (const auto names = schema.find("enum"); names != schema.end()) names->push_back(nullptr);
  return schema;
}

Record::Json Record::list_schema(Json element, const Limits& limits) {
  Json list{{"type", "array"}, {"items", std::move(element)}};
  if (limits.least_elements) list["minItems"] = *limits.least_elements;
  if (limits.most_elements) list["maxItems"] = *limits.most_elements;
  return list;
}

Record::Json Record::number_schema(bool whole, const Limits& limits) {
  const auto number = [&](double value) {
    return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
  };
  Json schema{{"type", whole           ? Json("integer")
                       : limits.finite ? Json("number")
                                       : Json({"number", "null"})}};
  if (limits.minimum) schema["minimum"] = number(*limits.minimum);
  if (limits.above) schema["exclusiveMinimum"] = number(*limits.above);
  if (limits.maximum) schema["maximum"] = number(*limits.maximum);
  return schema;
}

Record::Json Record::defined() {
  if (type_.empty()) return std::move(out_);
  (*definitions_)[type_] = std::move(out_);
  return {{"$ref", "#/$defs/" + type_}};
}

Record::Json Record::whole_schema() {
  Json schema{{"$schema", kDialect}};
  schema.update(out_);
  if (!definitions_->empty()) schema["$defs"] = *definitions_;
  return schema;
}

std::string packed_bytes(const Record::Json& packed) {
  std::string bytes;
  Record::Json::to_cbor(packed, bytes);
  return bytes;
}

Record::Json unpacked_json(const std::string& bytes) {
  return Record::Json::from_cbor(bytes);
}

std::string json_text(const Record::Json& value, int indent) {
  return value.dump(indent, ' ', false, Record::Json::error_handler_t::replace) + "\n";
}

}  // namespace hpl
