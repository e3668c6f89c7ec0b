#pragma once

#include <cctype>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

namespace hpl {

/// One value of a field that is chosen from a list. In HPL.dat the position in the list is the
/// number that stands for it; on the command line the names do as well.
template <class Value>
struct Choice {
  Value value;
  std::string_view name;
  std::string_view alias = {};  ///< a second spelling, often netlib's; may be empty
};

/// Whether messages and input use the position (0, 1, 2) beside the names.
enum class ChoiceNumbers { Accepted, None };

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

/// "0 (left), 1 (Crout) or 2 (right)", or without numbers "auto, host or device".
template <class Value>
std::string allowed_choices(std::span<const Choice<Value>> choices, ChoiceNumbers numbers) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    text += list_separator(i, choices.size());
    if (numbers == ChoiceNumbers::Accepted) {
      text += std::to_string(i) + " (" + std::string(choices[i].name) + ")";
    } else {
      text += choices[i].name;
    }
  }
  return text;
}

/// The choice whose number is `number`; empty when there is none.
template <class Value>
std::optional<Value> choice_by_number(std::span<const Choice<Value>> choices, std::int64_t number) {
  if (number < 0 || number >= static_cast<std::int64_t>(choices.size())) return std::nullopt;
  return choices[static_cast<std::size_t>(number)].value;
}

/// The choice that `text` names, in any case, or numbers.
/// Throws ConfigError("<subject> must be auto, host or device, found "gpu"").
template <class Value>
Value require_choice(std::string_view subject, std::string_view text,
                     std::span<const Choice<Value>> choices, ChoiceNumbers numbers) {
  for (const auto& choice : choices) {
    if (same_word(text, choice.name)) return choice.value;
    if (!choice.alias.empty() && same_word(text, choice.alias)) return choice.value;
  }
  if (numbers == ChoiceNumbers::Accepted) {
    if (const auto number = parse_integer(text)) {
      if (const auto value = choice_by_number(choices, *number)) return *value;
    }
  }
  throw ConfigError(std::string(subject) + " must be " + allowed_choices(choices, numbers) +
                    ", found " + quote_printable(text));
}

}  // namespace hpl
