#include "flag_rules.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "flags.h"
#include "hpl/base/error/error.h"

namespace hpl {

namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool contains(std::string_view list, std::string_view flag) {
  return std::ranges::count(words_of(list), flag) > 0;
}

/// As choices are read: case does not matter.
bool same_word(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, {}, [](unsigned char c) { return std::tolower(c); });
}

class Given {
 public:
  explicit Given(const Options& options) : options_(options) {}

  /// See FlagRule.
  bool counts(std::string_view flag) const {
    const std::size_t sign = std::min(flag.find('='), flag.size());
    const auto found = std::ranges::find(options_.given, flag.substr(0, sign), &GivenFlag::name);
    if (found == options_.given.end()) return false;
    if (sign < flag.size()) return same_word(found->value, flag.substr(sign + 1));
    // --no-verify-steps behind it takes it back.
    if (flag == "--verify-steps") return options_.wishes.verify_steps.value_or(false);
    return !asks_for_the_default(*found);
  }

  /// The first of the list that counts; empty: none.
  std::string_view first_of(std::string_view list) const {
    for (const std::string_view flag : words_of(list))
      if (counts(flag)) return flag;
    return {};
  }

 private:
  const Options& options_;
};

[[noreturn]] void refuse(std::string_view one, std::string_view other,
                         std::string_view reason = "") {
  throw ConfigError(fmt::format("{} and {} do not go together{}{}; leave one of them out", one,
                                other, reason.empty() ? "" : ": ", reason));
}

[[noreturn]] void ask_for(std::string_view one, std::string_view other,
                          std::string_view reason = "") {
  throw ConfigError(fmt::format("{} belongs to {}; give both{}{}{}", one, other,
                                reason.empty() ? "" : " (", reason, reason.empty() ? "" : ")"));
}

/// The last of those that are given.
const ModeRow& last_mode(const Given& given) {
  const ModeRow* mode = &kModes.front();
  for (const ModeRow& row : kModes) {
    if (row.flag.empty() || !given.counts(row.flag)) continue;
    for (const ModeRow& before : kModes) {
      if (before.flag == row.flag) break;
      if (!before.flag.empty() && given.counts(before.flag) && !contains(row.together, before.flag))
        refuse(before.flag, row.flag);
    }
    mode = &row;
  }
  return *mode;
}

/// The first mode that writes an output; null: the flag is no output.
const ModeRow* writer_of(std::string_view flag) {
  const auto* const row = std::ranges::find_if(
      kModes, [&](const ModeRow& mode) { return contains(mode.outputs, flag); });
  return row == kModes.end() ? nullptr : row;
}

void require_written_outputs(const Options& options, const Given& given) {
  const ModeRow& mode = last_mode(given);
  for (const GivenFlag& flag : options.given) {
    const ModeRow* const writer = writer_of(flag.name);
    if (writer == nullptr || contains(mode.outputs, flag.name) || !given.counts(flag.name))
      continue;
    if (contains(mode.fields, flag.name) && options.outputs.dat) continue;
    if (mode.flag.empty()) ask_for(flag.name, writer->flag);
    refuse(mode.flag, flag.name);
  }
}

void apply(const FlagRule& rule, const Given& given) {
  if (rule.kind == FlagRule::kNeeds) {
    const std::string_view one = given.first_of(rule.flags);
    if (!one.empty() && !given.counts(rule.others)) ask_for(one, rule.others, rule.reason);
    return;
  }
  const std::string_view one = given.first_of(rule.flags);
  const std::string_view other = one.empty() ? one : given.first_of(rule.others);
  if (!other.empty()) refuse(one, other, rule.reason);
}

}  // namespace

void refuse_contradictions(const Options& options) {
  const Given given(options);
  require_written_outputs(options, given);
  for (const FlagRule& rule : kFlagRules)
    apply(rule, given);
  if (options.tune.dat_file && options.fields.threshold.value_or(1) <= 0)
    throw ConfigError(fmt::format(
        "--tune takes a trial only with a residual below the threshold, so --threshold must be "
        "above 0, found {:g}",
        *options.fields.threshold));
}

}  // namespace hpl
