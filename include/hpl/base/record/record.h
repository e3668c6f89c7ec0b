#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "hpl/base/choice/choice.h"
#include "hpl/base/error/error.h"
#include "hpl/base/json/json_cursor.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/record/member_forms.h"
#include "hpl/base/text/text_value.h"

namespace hpl {

/// The one description of a struct that leaves the process serves all its forms: JSON out, JSON in,
/// bytes of a message, and the schema.
///
///   void describe(Record& record, SensorRange& range) {
///     record.type("sensor");
///     record("minimum", range.minimum, "over the timed part");
///     ...
///   }
///
/// It is declared beside its struct in namespace hpl. Members are numbers, truth values, strings,
/// structs with a description; optionals (or null), vectors and arrays of these; and vectors of
/// pairs of a name and one of these, which are objects with any names. Enumerations have a table of
/// choices; a form with the members written(value), read(cursor) and schema() does it all itself.
class Record {
 public:
  using Json = JsonCursor::Json;
  enum class Use { Write, Read, Pack, Unpack, Schema };

  /// Begins the description of a document.
  void document(const DocumentForm& form);

  /// Names the type in the schema, where it then stands once.
  void type(std::string_view name, std::string_view meaning = {});

  template <class T>
  void operator()(std::string_view name, T& value, std::string_view meaning = {},
                  const Limits& limits = {}) {
    static_assert(!member_forms::kEnumeration<T>, "an enumeration needs its table of choices");
    member(name, value, Plain{}, meaning, limits);
  }

  /// `form` is the table of an enumeration's choices, or a TextForm.
  template <class T, MemberForm Form>
  void operator()(std::string_view name, T& value, const Form& form, std::string_view meaning = {},
                  const Limits& limits = {}) {
    member(name, value, form, meaning, limits);
  }

  /// A member that follows from others: written, and not read.
  template <class Get>
  void computed(std::string_view name, const Get& get, std::string_view meaning = {},
                const Limits& limits = {}) {
    static_assert(!member_forms::kEnumeration<std::remove_cvref_t<decltype(get())>>);
    computed(name, get, Plain{}, meaning, limits);
  }
  template <class Get, MemberForm Form>
  void computed(std::string_view name, const Get& get, const Form& form,
                std::string_view meaning = {}, const Limits& limits = {}) {
    using T = std::remove_cvref_t<decltype(get())>;
    if (use_ == Use::Write) {
      write_member(name, written(get(), form));
    } else if (use_ == Use::Schema) {
      add_schema(name, schema_of<T>(form, limits), meaning, limits);
    }
  }

  /// A member that documents hold in another form than the struct: `get` makes it, `set` takes it.
  template <class Get, class Set>
  void converted(std::string_view name, const Get& get, const Set& set,
                 std::string_view meaning = {}, const Limits& limits = {}) {
    static_assert(!member_forms::kEnumeration<std::remove_cvref_t<decltype(get())>>);
    converted(name, get, set, Plain{}, meaning, limits);
  }
  template <class Get, class Set, MemberForm Form>
  void converted(std::string_view name, const Get& get, const Set& set, const Form& form,
                 std::string_view meaning = {}, const Limits& limits = {}) {
    using T = std::remove_cvref_t<decltype(get())>;
    T value = writes() ? T(get()) : T{};
    if (member(name, value, form, meaning, limits)) set(std::move(value));
  }

  /// A number of something; a negative one stands for none, and is null in documents.
  void index(std::string_view name, int& value, std::string_view meaning = {});

  /// A member of messages between processes alone: documents do not hold it.
  template <class T>
  void internal(T& value) {
    if (use_ == Use::Pack || use_ == Use::Unpack) member({}, value, Plain{}, {}, {});
  }

  /// Members that documents hold in an object of their own: `members(record)` describes them.
  template <class Members>
  void group(std::string_view name, const Members& members, std::string_view meaning = {},
             bool nullable = false) {
    Record inner(use_, definitions_);
    const auto from = reads() ? next_member(name, {}) : std::nullopt;
    if (from) inner.begin_reading(*from);
    members(inner);
    if (writes()) write_member(name, std::move(inner.out_));
    if (use_ != Use::Schema) return;
    Json schema = inner.defined();
    add_schema(name, nullable ? or_null(std::move(schema)) : std::move(schema), meaning,
               {.may_lack = nullable});
  }
  /// The same, null unless `present`. A document may lack it.
  template <class Members>
  void group_or_null(std::string_view name, bool present, const Members& members,
                     std::string_view meaning = {}) {
    if (use_ == Use::Schema || (writes() ? present : !is_null_next(name)))
      return group(name, members, meaning, true);
    if (writes()) write_member(name, nullptr);
    ++position_;  // of a message
  }

  /// Values come from a document or a message.
  bool reads() const { return use_ == Use::Read || use_ == Use::Unpack; }
  /// The object that is read, for conditions between members; null for every other use.
  const JsonCursor* source() const { return use_ == Use::Read ? in_ : nullptr; }

  /// The forms of a whole value; see below for the usual calls.
  template <class T>
  static Json made(Use use, const T& value) {
    Record record(use);
    describe(record, const_cast<T&>(value));  // no use that writes changes the value
    return std::move(record.out_);
  }
  template <class T>
  static T taken(Use use, const JsonCursor& from) {
    T value{};
    Record record(use);
    record.begin_reading(from);
    describe(record, value);
    return value;
  }
  template <class T>
  static Json schema() {
    Json definitions = Json::object();
    Record record(Use::Schema, &definitions);
    T value{};
    describe(record, value);
    return record.whole_schema();
  }

 private:
  struct Plain {};

  explicit Record(Use use, Json* definitions = nullptr);
  bool writes() const { return use_ == Use::Write || use_ == Use::Pack; }

  /// Whether the value was read.
  template <class T, class Form>
  bool member(std::string_view name, T& value, const Form& form, std::string_view meaning,
              const Limits& limits) {
    if (writes()) {
      write_member(name, written(value, form));
    } else if (use_ == Use::Schema) {
      add_schema(name, schema_of<T>(form, limits), meaning, limits);
    } else if (const auto from = next_member(name, limits)) {
      read(*from, value, form, limits);
      return true;
    }
    return false;
  }

  template <class T, class Form>
  Json written(const T& value, const Form& form) const {
    if constexpr (member_forms::kOwnForm<Form>) {
      return form.written(value);
    } else if constexpr (member_forms::Kind<T>::optional) {
      return value ? written(*value, form) : Json(nullptr);
    } else if constexpr (member_forms::Kind<T>::list) {
      Json list = Json::array();
      for (const auto& element : value)
        list.push_back(written(static_cast<const typename T::value_type&>(element), form));
      return list;
    } else if constexpr (member_forms::Kind<T>::named) {
      Json object = Json::object();
      for (const auto& [name, element] : value)
        object[name] = written(element, form);
      return object;
    } else if constexpr (std::is_same_v<Form, TextForm<T>>) {
      const std::string text = form.text(value);
      return text.empty() ? Json(nullptr) : Json(text);
    } else if constexpr (!std::is_same_v<Form, Plain> && !member_forms::kText<T>) {
      return name_of(form, value);
    } else if constexpr (std::floating_point<T>) {
      return use_ == Use::Pack || std::isfinite(value) ? Json(value) : Json(nullptr);
    } else if constexpr (std::is_enum_v<T>) {  // in messages alone
      return static_cast<std::int64_t>(value);
    } else if constexpr (std::integral<T> || member_forms::kText<T>) {
      return value;
    } else {
      return made(use_, value);
    }
  }

  template <class T, class Form>
  void read(const JsonCursor& from, T& value, const Form& form, const Limits& limits) const {
    if constexpr (member_forms::kOwnForm<Form>) {
      value = form.read(from);
    } else if constexpr (member_forms::Kind<T>::optional) {
      value.reset();
      if (!from.is_null()) read(from, value.emplace(), form, limits);
    } else if constexpr (member_forms::Kind<T>::list) {
      read_list(from, value, form, limits);
    } else if constexpr (member_forms::Kind<T>::named) {
      value.clear();
      for (const auto& [name, element] : from.members()) {
        value.emplace_back().first = name;
        read(element, value.back().second, form, limits);
      }
    } else if constexpr (std::is_same_v<Form, TextForm<T>>) {
      value = T{};
      if (from.is_null()) return;
      const auto found = form.value(from.text());
      if (!found) from.refuse(form.allowed);
      value = *found;
    } else if constexpr (!std::is_same_v<Form, Plain>) {
      value = read_choice<T>(from, form);
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(from.integer());
    } else if constexpr (std::is_same_v<T, bool>) {
      value = from.truth();
    } else if constexpr (std::floating_point<T>) {
      value = from.is_null() && !limits.finite ? std::numeric_limits<T>::quiet_NaN()
                                               : static_cast<T>(from.number());
      if (std::isfinite(value)) require(from, static_cast<double>(value), limits);
    } else if constexpr (std::integral<T>) {
      read_integer(from, value, limits);
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = from.text();
    } else {
      value = taken<T>(use_, from);
    }
  }

  template <class T, class Form>
  void read_list(const JsonCursor& from, T& value, const Form& form, const Limits& limits) const {
    const std::vector<JsonCursor> elements = from.elements();
    if constexpr (member_forms::kFixed<T>) {
      require_count(from, elements.size(), value.size(), value.size());
    } else {
      require_count(from, elements.size(), limits.least_elements, limits.most_elements);
      value.clear();
      value.resize(elements.size());
    }
    for (std::size_t i = 0; i < elements.size(); ++i) {
      typename T::value_type element{};  // a reference, but for vectors of truth values
      read(elements[i], element, form, limits);
      value[i] = std::move(element);
    }
  }

  template <class T>
  static void read_integer(const JsonCursor& from, T& value, const Limits& limits) {
    const std::int64_t found = from.integer();
    require(from, static_cast<double>(found), limits);
    if (!std::in_range<T>(found))
      from.refuse(fmt::format("from {} to {}", std::numeric_limits<T>::min(),
                              std::numeric_limits<T>::max()));
    value = static_cast<T>(found);
  }

  /// A text is the name itself. A rank may send another one, such as the word of a back end that
  /// only its program has.
  template <class T, class Table>
  T read_choice(const JsonCursor& from, const Table& table) const {
    const std::string word = from.text();
    const auto row = std::ranges::find(table, word, [](const auto& one) { return one.name; });
    if constexpr (member_forms::kText<T>) {
      if (row != table.end() || use_ == Use::Unpack) return word;
    } else {
      if (row != table.end()) return row->value;
    }
    from.refuse(allowed_choices(table));
  }

  template <class T, class Form>
  Json schema_of(const Form& form, const Limits& limits) {
    if constexpr (member_forms::kOwnForm<Form>) {
      return form.schema();
    } else if constexpr (member_forms::Kind<T>::optional) {
      return or_null(schema_of<typename T::value_type>(form, limits));
    } else if constexpr (member_forms::Kind<T>::list) {
      Limits of_list = limits;
      if constexpr (member_forms::kFixed<T>)
        of_list.least_elements = of_list.most_elements = member_forms::Kind<T>::count;
      return list_schema(schema_of<typename T::value_type>(form, limits), of_list);
    } else if constexpr (member_forms::Kind<T>::named) {
      using Element = typename T::value_type::second_type;
      return {{"type", "object"}, {"additionalProperties", schema_of<Element>(form, limits)}};
    } else if constexpr (std::is_same_v<Form, TextForm<T>>) {
      Json text{{"type", {"string", "null"}}};
      if (!form.pattern.empty()) text["pattern"] = form.pattern;
      return text;
    } else if constexpr (!std::is_same_v<Form, Plain>) {
      return {{"type", "string"}, {"enum", choice_names(form)}};
    } else if constexpr (std::is_same_v<T, bool>) {
      return {{"type", "boolean"}};
    } else if constexpr (member_forms::kText<T>) {
      return {{"type", "string"}};
    } else if constexpr (std::integral<T> || std::floating_point<T> || std::is_enum_v<T>) {
      return number_schema(std::integral<T>, limits);
    } else {
      Record inner(Use::Schema, definitions_);
      T value{};
      describe(inner, value);
      return inner.defined();
    }
  }

  void begin_reading(const JsonCursor& from);
  void write_member(std::string_view name, Json value);
  bool is_null_next(std::string_view name) const;
  /// The member to read; empty where an earlier document lacks it.
  std::optional<JsonCursor> next_member(std::string_view name, const Limits& limits);
  static void require(const JsonCursor& from, double value, const Limits& limits);
  static void require_count(const JsonCursor& from, std::size_t count,
                            std::optional<std::size_t> least, std::optional<std::size_t> most);

  void add_schema(std::string_view name, Json schema, std::string_view meaning,
                  const Limits& limits);
  static Json or_null(Json schema);
  static Json list_schema(Json element, const Limits& limits);
  static Json number_schema(bool whole, const Limits& limits);
  Json defined();       // the type, or a reference to it where it has a name
  Json whole_schema();  // of a document, with the types that it uses

  Use use_;
  Json* definitions_;               // Schema: of the whole document
  Json out_;                        // what is made
  const JsonCursor* in_ = nullptr;  // what is read
  std::vector<JsonCursor> packed_;  // Unpack: members by position
  std::size_t position_ = 0;
  std::string type_;
};

/// The JSON of a described value. Text in it that is not UTF-8 is mended by json_text().
template <class T>
Record::Json to_json_value(const T& value) {
  return Record::made(Record::Use::Write, value);
}

/// A value from JSON. Throws ConfigError with document, place, what was found and what is allowed.
template <class T>
T from_json_value(const JsonCursor& from) {
  return Record::taken<T>(Record::Use::Read, from);
}

/// The value that a document holds; see parse_json() for the arguments.
template <class T>
T parse_document(const std::string& name, std::string_view text, std::string_view writer) {
  const std::string shown = shown_text(name);
  const Record::Json document = parse_json(shown, text, writer);
  return from_json_value<T>(JsonCursor(document, shown));
}

/// The bytes of a value for a message between processes of one program; numbers keep their bits.
std::string packed_bytes(const Record::Json& packed);
Record::Json unpacked_json(const std::string& bytes);

template <class T>
std::string pack(const T& value) {
  return packed_bytes(Record::made(Record::Use::Pack, value));
}
template <class T>
T unpack(const std::string& bytes) {
  const Record::Json packed = unpacked_json(bytes);
  try {
    return Record::taken<T>(Record::Use::Unpack, JsonCursor(packed, "a rank's record"));
  } catch (const ConfigError& e) {  // thrown by this rank alone, unlike errors of the input
    throw std::logic_error(fmt::format("internal error: {}", e.what()));
  }
}

/// As files hold JSON, with a line end. Text that is not UTF-8 is mended. Negative: one line.
std::string json_text(const Record::Json& value, int indent = 1);

/// The JSON schema of a document.
template <class T>
std::string schema_text() {
  return json_text(Record::schema<T>(), 2);
}

}  // namespace hpl
