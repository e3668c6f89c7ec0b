#include "hpl/base/text/host_list.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

namespace hpl {
namespace {

/// More than any machine has; a range beyond is a slip.
constexpr std::size_t kMostHosts = 1'000'000;

/// "node" and "07" of node07; no digits where the name does not end in a number that can be
/// counted.
struct NumberedName {
  std::string stem, digits;
  std::int64_t number = 0;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A name without letters may be an address.
bool is_address(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return is_digit(c) || c == '.' || c == ':'; });
}

NumberedName split_name(const std::string& name) {
  constexpr std::size_t kMostDigits = 18;
  std::size_t stem = name.size();
  while (stem > 0 && is_digit(name[stem - 1]))
    --stem;
  const std::string digits = name.substr(stem);
  // No scheduler reads a range in an address.
  if (digits.empty() || digits.size() > kMostDigits || is_address(name)) return {name, "", 0};
  return {name.substr(0, stem), digits, parse_integer(digits).value_or(0)};
}

/// Whether `next` is what a scheduler makes of the number behind `last`, in a range that begins
/// with `first`: the first number says how many digits there are.
bool continues(const NumberedName& first, const NumberedName& last, const NumberedName& next) {
  return next.stem == last.stem && next.number == last.number + 1 &&
         next.digits == fmt::format("{:0{}}", next.number, first.digits.size());
}

}  // namespace

std::string host_list(std::vector<std::string> hosts) {
  std::vector<NumberedName> names;
  for (const std::string& host : hosts)
    names.push_back(split_name(host));
  const auto key = [](const NumberedName& name) {
    return std::tuple(std::string_view(name.stem), name.number, name.digits.size());
  };
  std::ranges::sort(names, {}, key);
  const auto rest = std::ranges::unique(names, {}, key);
  names.erase(rest.begin(), rest.end());

  std::string text;
  for (std::size_t i = 0; i < names.size();) {
    std::size_t count = 0;
    std::string ranges;
    const std::size_t stem = i;
    while (i < names.size() && names[i].stem == names[stem].stem && !names[i].digits.empty()) {
      std::size_t last = i;
      while (last + 1 < names.size() && continues(names[i], names[last], names[last + 1]))
        ++last;
      if (!ranges.empty()) ranges += ',';
      ranges += names[i].digits;
      if (last > i) ranges += "-" + names[last].digits;
      count += last - i + 1;
      i = last + 1;
    }
    if (!text.empty()) text += ',';
    text += names[stem].stem;
    if (count == 0)
      ++i;
    else
      text += count == 1 ? ranges : fmt::format("[{}]", ranges);
  }
  return text;
}

bool is_plain_host(std::string_view name) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return !name.empty() && name.find_first_not_of(kPlain) == name.npos;
}

std::string without_domain(const std::string& host) {
  return is_address(host) ? host : host.substr(0, host.find('.'));
}

std::map<std::string, std::string> host_names(const std::vector<std::string>& names) {
  std::map<std::string, std::set<std::string>> alike;  // by the name without a domain
  for (const std::string& name : names)
    alike[without_domain(name)].insert(name);
  std::map<std::string, std::string> known;
  for (const auto& [bare, all] : alike)
    for (const std::string& name : all)
      known[name] = all.size() == 2 && all.contains(bare) ? bare : name;
  return known;
}

namespace {

class HostListReader {
 public:
  HostListReader(std::string_view subject, std::string_view text)
      : subject_(subject), text_(text) {}

  std::vector<std::string> read() {
    while (at_ < text_.size()) {
      read_item();
      if (at_ == text_.size()) break;
      if (text_[at_++] != ',' || at_ == text_.size()) refuse();
    }
    return std::move(hosts_);
  }

 private:
  [[noreturn]] void refuse() const {
    throw ConfigError("{} must be a list of hosts such as node[01-03,07], found {}", subject_,
                      quote_printable(text_));
  }

  /// Up to one of `ends` or the end of the text.
  std::string_view word(std::string_view ends) {
    const std::size_t end = std::min(text_.find_first_of(ends, at_), text_.size());
    const std::string_view found = text_.substr(at_, end - at_);
    at_ = end;
    return found;
  }

  /// A name, or parts of one of which each ends in ranges: rack[1-2]n[01-16].
  void read_item() {
    std::vector<std::string> names{""};
    do {
      const std::string_view stem = word(",[]");
      const bool ranges = at_ < text_.size() && text_[at_] == '[';
      if (!ranges && (stem.empty() || names.front() != "")) refuse();
      for (std::string& name : names)
        name += stem;
      if (!ranges) break;
      ++at_;
      names = with_ranges(names);
    } while (at_ < text_.size() && text_[at_] != ',');
    for (std::string& name : names)
      add(std::move(name));
  }

  /// Each of the names with each number up to the closing bracket.
  std::vector<std::string> with_ranges(const std::vector<std::string>& stems) {
    std::vector<std::string> numbers, names;
    do {
      read_range(numbers);
    } while (at_ < text_.size() && text_[at_++] == ',');
    if (text_[at_ - 1] != ']') refuse();
    require_few(stems.size() * numbers.size());
    for (const std::string& stem : stems)
      for (const std::string& number : numbers)
        names.push_back(stem + number);
    return names;
  }

  void read_range(std::vector<std::string>& numbers) {
    const std::string_view range = word(",]");
    const std::size_t dash = std::min(range.find('-'), range.size());
    const std::string_view first = range.substr(0, dash);
    const std::string_view last = dash < range.size() ? range.substr(dash + 1) : first;
    const auto begin = number(first), end = number(last);
    if (!begin || !end || *end < *begin || at_ == text_.size()) refuse();
    for (std::int64_t n = *begin; n <= *end; ++n) {
      require_few(numbers.size() + 1);
      numbers.push_back(fmt::format("{:0{}}", n, first.size()));
    }
  }

  static std::optional<std::int64_t> number(std::string_view digits) {
    if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
    return parse_integer(digits);
  }

  void add(std::string host) {
    require_few(hosts_.size() + 1);
    hosts_.push_back(std::move(host));
  }

  void require_few(std::size_t hosts) const {
    if (hosts > kMostHosts)
      throw ConfigError("{} must stand for at most {} hosts, found {}", subject_, kMostHosts,
                        quote_printable(text_));
  }

  std::string_view subject_, text_;
  std::size_t at_ = 0;
  std::vector<std::string> hosts_;
};

}  // namespace

std::vector<std::string> expand_host_list(std::string_view subject, std::string_view text) {
  return HostListReader(subject, text).read();
}

std::vector<std::string> require_hosts(std::string_view subject, std::string_view text) {
  std::vector<std::string> hosts = expand_host_list(subject, text);
  if (hosts.empty()) throw ConfigError("{} must name a host, found none", subject);
  return hosts;
}

}  // namespace hpl
