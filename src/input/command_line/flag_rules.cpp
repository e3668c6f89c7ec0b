#include "flag_rules.h"

#include <algorithm>

#include "flags.h"
#include "hpl/base/error/error.h"

namespace hpl {

namespace {

class Given {
 public:
  explicit Given(const Options& options) : options_(options) {}

  /// See FlagRule.
  bool counts(std::string_view flag) const {
    const Wishes& wishes = options_.wishes;
    if (flag == kHostShare) return wishes.host_share != 0.0;
    if (flag == kMeasuredShare) return !wishes.host_share;
    if (flag == kMixed) return wishes.mixed.wanted;
    if (flag == kChecksums) return wishes.verify_steps.value_or(false);
    const std::size_t sign = std::min(flag.find('='), flag.size());
    const auto found = std::ranges::find(options_.given, flag.substr(0, sign), &GivenFlag::name);
    if (found == options_.given.end()) return false;
    if (sign < flag.size()) return same_word(found->value, flag.substr(sign + 1));
    return !asks_for_the_default(options_.command, *found);
  }

  /// The first of the list that counts; empty: none.
  std::string_view first_of(std::string_view list) const {
    for (const std::string_view flag : split_words(list))
      if (counts(flag)) return flag;
    return {};
  }

 private:
  const Options& options_;
};

[[noreturn]] void refuse(std::string_view one, std::string_view other,
                         std::string_view reason = "") {
  throw ConfigError("{} and {} do not go together{}{}; leave one of them out", one, other,
                    reason.empty() ? "" : ": ", reason);
}

[[noreturn]] void ask_for(std::string_view one, std::string_view other,
                          std::string_view reason = "") {
  throw ConfigError("{} belongs to {}; give both{}{}{}", one, other, reason.empty() ? "" : " (",
                    reason, reason.empty() ? "" : ")");
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

bool has_word(std::string_view list, std::string_view word) {
  return std::ranges::count(split_words(list), word) > 0;
}

void refuse_contradictions(const Options& options) {
  const Given given(options);
  for (const FlagRule& rule : kFlagRules)
    apply(rule, given);
  if (options.command == Command::Tune && options.fields.threshold.value_or(1) <= 0)
    throw ConfigError(
        "xhpl tune takes a trial only with a residual below the threshold, so --threshold must be "
        "above 0, found {:g}",
        *options.fields.threshold);
}

}  // namespace hpl
