#pragma once

#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

namespace hpl {

/// One value of a field that is chosen from a table. In HPL.dat the position in the table is the
/// number that stands for it; on the command line the names do as well. A table is an array of
/// these, of rows that derive from it, or of rows with a value and a name of their own; help,
/// completion, messages and comments of a written HPL.dat are made from it.
template <class Value>
struct Choice {
  Value value;
  std::string_view name;
  std::string_view alias = {};   ///< a second spelling, often netlib's; may be empty
  std::string_view report = {};  ///< netlib's words in the report; empty: the name
};

/// Whether messages and input use the position (0, 1, 2) beside the names.
enum class ChoiceNumbers { Accepted, None };

template <class Table>
using ChoiceValue = decltype(Table::value_type::value);

/// The same choices after "auto", which is an empty value.
template <class Row, std::size_t Count>
constexpr auto with_auto(const std::array<Row, Count>& table) {
  std::array<Choice<std::optional<decltype(Row::value)>>, Count + 1> result{};
  result[0].name = "auto";
  for (std::size_t i = 0; i < Count; ++i) {
    result[i + 1].value = table[i].value;
    result[i + 1].name = table[i].name;
    if constexpr (requires { table[i].alias; }) result[i + 1].alias = table[i].alias;
  }
  return result;
}

inline bool same_word(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(left[i])) !=
        std::tolower(static_cast<unsigned char>(right[i]))) {
      return false;
    }
  }
  return true;
}

/// The number that stands for a value.
template <class Table>
std::size_t number_of(const Table& table, ChoiceValue<Table> value) {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].value == value) return i;
  HPL_ASSERT(false && "a value outside its enumeration");
}

template <class Table>
const auto& row_of(const Table& table, ChoiceValue<Table> value) {
  return table[number_of(table, value)];
}

template <class Table>
std::string_view name_of(const Table& table, ChoiceValue<Table> value) {
  return row_of(table, value).name;
}

/// netlib's words for the value in a report.
template <class Table>
std::string_view report_words(const Table& table, ChoiceValue<Table> value) {
  const auto& row = row_of(table, value);
  return row.report.empty() ? row.name : row.report;
}

/// The letter of the value in the code of a run: the first of its name.
template <class Table>
char letter_of(const Table& table, ChoiceValue<Table> value) {
  return static_cast<char>(std::toupper(static_cast<unsigned char>(name_of(table, value).front())));
}

/// "0 (left), 1 (Crout) or 2 (right)", or without numbers "auto, host or device".
template <class Table>
std::string allowed_choices(const Table& table, ChoiceNumbers numbers = ChoiceNumbers::None) {
  std::string text;
  for (std::size_t i = 0; i < table.size(); ++i) {
    text += list_separator(i, table.size());
    if (numbers == ChoiceNumbers::Accepted) {
      text += std::to_string(i) + " (" + std::string(table[i].name) + ")";
    } else {
      text += table[i].name;
    }
  }
  return text;
}

/// "0=left, 1=Crout, 2=right".
template <class Table>
std::string numbered_choices(const Table& table) {
  std::string text;
  for (std::size_t i = 0; i < table.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(i) + "=" + std::string(table[i].name);
  return text;
}

template <class Table>
std::vector<std::string> choice_names(const Table& table) {
  std::vector<std::string> names;
  for (const auto& row : table)
    names.emplace_back(row.name);
  return names;
}

template <class Table>
std::vector<ChoiceValue<Table>> choice_values(const Table& table) {
  std::vector<ChoiceValue<Table>> values;
  for (const auto& row : table)
    values.push_back(row.value);
  return values;
}

/// The choice whose number is `number`; empty when there is none.
template <class Table>
std::optional<ChoiceValue<Table>> choice_by_number(const Table& table, std::int64_t number) {
  if (number < 0 || number >= std::ssize(table)) return std::nullopt;
  return table[number].value;
}

/// The choice that `text` names, in any case, or numbers.
/// Throws ConfigError("<subject> must be auto, host or device, found "gpu"").
template <class Table>
ChoiceValue<Table> require_choice(std::string_view subject, std::string_view text,
                                  const Table& table, ChoiceNumbers numbers = ChoiceNumbers::None) {
  for (const auto& row : table) {
    if (same_word(text, row.name)) return row.value;
    if constexpr (requires { row.alias; })
      if (!row.alias.empty() && same_word(text, row.alias)) return row.value;
  }
  if (numbers == ChoiceNumbers::Accepted) {
    if (const auto number = parse_integer(text))
      if (const auto value = choice_by_number(table, *number)) return *value;
  }
  throw ConfigError(std::string(subject) + " must be " + allowed_choices(table, numbers) +
                    ", found " + quote_printable(text));
}

}  // namespace hpl
