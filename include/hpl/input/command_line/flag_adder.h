#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/choice/choice.h"
#include "hpl/base/error/error.h"
#include "hpl/base/file/host_list_files.h"
#include "hpl/base/power/power_level.h"
#include "hpl/base/text/host_list.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/command_line/command_line.h"
#include "hpl/input/run_spec/field_rules.h"

namespace hpl {

/// `word` stands in a list that blanks separate.
bool has_word(std::string_view list, std::string_view word);

namespace detail {

inline std::vector<std::string_view> split_list(std::string_view flag, std::string_view text) {
  std::vector<std::string_view> items = split_fields(text, ",");
  if (std::ranges::count(items, "") > 0)
    throw ConfigError("{} must be a value or a list such as 1,2, found {}", flag,
                      quote_printable(text));
  return items;
}

/// "20k" is 20,000, "1M" a million.
inline std::int64_t require_order(std::string_view flag, std::string_view text) {
  const std::int64_t unit = text.ends_with('k') ? 1'000 : text.ends_with('M') ? 1'000'000 : 1;
  const auto number = unit > 1 ? parse_integer(text.substr(0, text.size() - 1)) : std::nullopt;
  if (!number || *number < 0 || *number > kOrderRange.most / unit)
    return require_integer(flag, text, kOrderRange, ", or with a unit as in 20k or 1M");
  return *number * unit;
}

/// Adds flags to a command line, and checks their values.
class FlagAdder {
 public:
  explicit FlagAdder(CommandLine& line, std::string_view command = {})
      : line_(line), command_(command) {}

  /// Flags from here on stand under this heading.
  void group(const char* name, bool hidden = false) { line_.group(name, hidden); }

  /// Flags from here on belong to these commands, and are left out for others: "run mxp".
  void commands(std::string_view names) { left_out_ = !has_word(names, command_); }

  /// `read(flag, text)` converts and stores; its ConfigError passes through.
  void text(Flag flag, CommandLine::Read read) {
    if (!left_out_) line_.add(std::move(flag), std::move(read));
  }

  /// `parse(flag, text)` converts.
  template <class Parse, class Target>
  void parsed(Flag flag, Parse parse, Target& target) {
    text(std::move(flag), [parse, &target](std::string_view name, std::string_view value) {
      target = parse(name, value);
    });
  }

  template <class Integer>
  void integers(const Flag& flag, const IntegerRange& range, std::vector<Integer>& target) {
    text(flag, [range, &target](std::string_view name, std::string_view value) {
      target.clear();
      for (const auto item : split_list(name, value))
        target.push_back(static_cast<Integer>(require_integer(name, item, range)));
    });
  }

  /// Orders of a matrix: 1000,20k,1M.
  void orders(const Flag& flag, std::vector<std::int64_t>& target) {
    text(flag, [&target](std::string_view name, std::string_view value) {
      target.clear();
      for (const auto item : split_list(name, value))
        target.push_back(require_order(name, item));
    });
  }

  template <class Target>
  void integer(const Flag& flag, const IntegerRange& range, Target& target) {
    text(flag, [range, &target](std::string_view name, std::string_view value) {
      // An optional takes the 64-bit number, an integer the same number checked against its range.
      if constexpr (std::is_integral_v<Target>) {
        target = static_cast<Target>(require_integer(name, value, range));
      } else {
        target = require_integer(name, value, range);
      }
    });
  }

  /// "{}" in the help stands for the words of the table, which must outlive this.
  template <class Table, class Target>
  void choice(const Flag& flag, const Table& table, Target& target,
              ChoiceNumbers numbers = ChoiceNumbers::None) {
    text(with_words(flag, table, numbers),
         [&table, numbers, &target](std::string_view name, std::string_view value) {
           target = require_choice(name, value, table, numbers);
         });
  }

  /// As choice(), a list.
  template <class Table>
  void choices(const Flag& flag, const Table& table, std::vector<ChoiceValue<Table>>& target) {
    text(with_words(flag, table, ChoiceNumbers::Accepted),
         [&table, &target](std::string_view name, std::string_view value) {
           target.clear();
           for (const auto item : split_list(name, value))
             target.push_back(require_choice(name, item, table, ChoiceNumbers::Accepted));
         });
  }

  /// A real number above `above` and at most `most`.
  template <class Target>
  void real(const Flag& flag, double above, double most, Target& target) {
    text(flag, [above, most, &target](std::string_view name, std::string_view value) {
      const auto number = parse_real(value);
      if (!number || !(*number > above) || *number > most) {
        throw ConfigError("{} must be above {} and at most {}, found {}", name, above, most,
                          quote_printable(value));
      }
      target = *number;
    });
  }

  /// `standard`: the file that "-" stands for; empty: none.
  void path(const Flag& flag, std::optional<std::filesystem::path>& target,
            const char* standard = "") {
    text(flag, [&target, standard = std::string_view(standard)](std::string_view name,
                                                                std::string_view value) {
      if (value == "-" && !standard.empty()) {
        target = std::filesystem::path(standard);
        return;
      }
      // A leading dash is the next flag, taken for the value that was forgotten.
      if (value.empty() || value.front() == '-') {
        throw ConfigError("{} must be a file name, found {}", name, quote_printable(value));
      }
      target = std::filesystem::path(value);
    });
  }

  /// A list of hosts: node[01-03,07].
  void hosts(const Flag& flag, std::vector<std::string>& target) {
    parsed(flag, require_hosts, target);
  }

  /// `when` stands before each help text.
  void host_lists(HostListPaths& lists, const std::string& when = "") {
    path({"--pass-list", "FILE", when + "write the nodes that passed: node[01-03,07]"},
         lists.passed);
    path({"--warn-list", "FILE", when + "write the nodes that passed with a warning"},
         lists.warned);
    path({"--fail-list", "FILE", when + "write the nodes that failed, for srun --exclude"},
         lists.failed);
  }

  template <class Target>
  void power_scope(Target& target) {
    parsed({"--power-scope", "LIST",
            "what the meter sees: fraction=1/8 (of the machine), subsystems=compute, estimated or "
            "all, place=upstream, modeled, downstream or component"},
           parse_power_scope, target);
  }

  /// A flag without a value.
  void toggle(const char* names, const char* help, std::function<void()> set) {
    if (!left_out_) line_.add({names, "", help}, std::move(set));
  }
  /// The same where it stands for a value of the target.
  template <class Target>
  void toggle(const char* names, const char* help, Target& target, Target value) {
    toggle(names, help, [&target, value] { target = value; });
  }

 private:
  /// "left, Crout, right (0 to 2)".
  template <class Table>
  static Flag with_words(Flag flag, const Table& table, ChoiceNumbers numbers) {
    flag.words = choice_names(table);
    std::string shown = fmt::format("{}", fmt::join(flag.words, ", "));
    if (numbers == ChoiceNumbers::Accepted)
      shown += table.size() == 2 ? " (0, 1)" : fmt::format(" (0 to {})", table.size() - 1);
    const std::size_t at = flag.help.find("{}");
    if (at != std::string::npos) flag.help.replace(at, 2, shown);
    return flag;
  }

  CommandLine& line_;
  std::string_view command_;
  bool left_out_ = false;
};

}  // namespace detail

}  // namespace hpl
