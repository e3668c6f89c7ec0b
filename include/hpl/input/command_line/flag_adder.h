#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/run_spec/choice.h"

namespace hpl::detail {

/// The texts of a flag in --help.
struct Flag {
  const char* names;  ///< as CLI11 writes them: "-N,--N"
  const char* value;  ///< what stands for the value: "LIST"
  const char* help;
};

inline std::vector<std::string_view> split_list(std::string_view flag, std::string_view text) {
  std::vector<std::string_view> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto comma = std::min(text.find(',', begin), text.size());
    items.push_back(text.substr(begin, comma - begin));
    if (items.back().empty()) {
      throw ConfigError(fmt::format("{} must be a value or a list such as 1,2, found {}", flag,
                                    quote_printable(text)));
    }
    begin = comma + 1;
  }
  return items;
}

/// Adds flags to a CLI11 application in groups. Values arrive as text and are checked here, so that
/// every message has the form that the messages about HPL.dat have.
class FlagAdder {
 public:
  FlagAdder(CLI::App& app, const char* group) : app_(app), group_(group) {}

  /// `read(flag, text)` converts and stores; its ConfigError passes through.
  template <class Read>
  void text(const Flag& flag, Read read) {
    auto* const option = app_.add_option(
        flag.names,
        [name = shown_name(flag), read](const CLI::results_t& results) {
          read(std::string_view(name), std::string_view(results.back()));
          return true;
        },
        flag.help);
    option->type_name(flag.value)->take_last()->group(group_);
  }

  template <class Integer>
  void integers(const Flag& flag, const IntegerRange& range, std::vector<Integer>& target) {
    text(flag, [range, &target](std::string_view name, std::string_view value) {
      target.clear();
      for (const auto item : split_list(name, value)) {
        target.push_back(static_cast<Integer>(require_integer(name, item, range)));
      }
    });
  }

  template <class Target>
  void integer(const Flag& flag, const IntegerRange& range, Target& target) {
    text(flag, [range, &target](std::string_view name, std::string_view value) {
      // An optional takes the 64-bit number, a plain int the same number checked against its range.
      if constexpr (std::is_same_v<Target, int>) {
        target = static_cast<int>(require_integer(name, value, range));
      } else {
        target = require_integer(name, value, range);
      }
    });
  }

  template <class Value, std::size_t Count, class Target>
  void choice(const Flag& flag, const std::array<Choice<Value>, Count>& table,
              ChoiceNumbers numbers, Target& target) {
    text(flag, [&table, numbers, &target](std::string_view name, std::string_view value) {
      target = require_choice(name, value, std::span<const Choice<Value>>(table), numbers);
    });
  }

  template <class Value, std::size_t Count>
  void choices(const Flag& flag, const std::array<Choice<Value>, Count>& table,
               std::vector<Value>& target) {
    text(flag, [&table, &target](std::string_view name, std::string_view value) {
      target.clear();
      for (const auto item : split_list(name, value)) {
        target.push_back(require_choice(name, item, std::span<const Choice<Value>>(table),
                                        ChoiceNumbers::Accepted));
      }
    });
  }

  /// A real number above `above` and at most `most`.
  void real(const Flag& flag, double above, double most, std::optional<double>& target) {
    text(flag, [above, most, &target](std::string_view name, std::string_view value) {
      const auto number = parse_real(value);
      if (!number || !(*number > above) || *number > most) {
        throw ConfigError(fmt::format("{} must be above {} and at most {}, found {}", name, above,
                                      most, quote_printable(value)));
      }
      target = number;
    });
  }

  void path(const Flag& flag, std::optional<std::filesystem::path>& target) {
    text(flag, [&target](std::string_view name, std::string_view value) {
      // A leading dash is the next flag, taken for the value that was forgotten.
      if (value.empty() || value.front() == '-') {
        throw ConfigError(
            fmt::format("{} must be a file name, found {}", name, quote_printable(value)));
      }
      target = std::filesystem::path(value);
    });
  }

  /// A flag without a value.
  template <class Set>
  void toggle(const char* names, const char* help, Set set) {
    app_.add_flag_callback(names, set, help)->disable_flag_override()->group(group_);
  }

 private:
  /// "-N,--N" is "-N" in messages, "-P,--P" is "-P".
  static std::string shown_name(const Flag& flag) {
    const std::string_view names = flag.names;
    return std::string(names.substr(0, names.find(',')));
  }

  CLI::App& app_;
  const char* group_;
};

}  // namespace hpl::detail
