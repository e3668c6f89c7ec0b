#include "output_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <regex>

#include <fmt/format.h>

#include "hpl/base/text/host_list.h"
#include "hpl/base/text/text_value.h"

namespace hpl::campaign {
namespace {

constexpr std::ptrdiff_t kMostLines = 3;

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// `word` stands in the text, and no letter, digit or underscore beside it.
bool has_whole_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !is_of_name(text[at - 1])) && (end == text.size() || !is_of_name(text[end])))
      return true;
  }
  return false;
}

/// A message of xhpl, alone or behind the name of a program.
bool is_of_xhpl(std::string_view line) {
  return std::ranges::any_of(std::array{"xhpl: ", "xhpl launch: "}, [&](std::string_view name) {
    return line.starts_with(name) || holds(line, ": " + std::string(name));
  });
}

/// The part of a line behind "no answer from", up to the colon; empty where there is none.
std::string_view without_answer(std::string_view line) {
  constexpr std::string_view kWords = "no answer from ";
  const auto at = line.find(kWords);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + kWords.size());
  return line.substr(0, line.find(':'));
}

bool is_of_launcher(std::string_view line) {
  return line.starts_with("ssh: ") || line.starts_with("srun: ");
}

bool is_of_failure(std::string_view line) {
  std::string lower(line);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return holds(lower, "xhpl: ") || holds(lower, "mpirun noticed") || holds(lower, "remote daemon");
}

}  // namespace

std::vector<std::string> last_words(std::string_view output) {
  const std::vector<std::string_view> lines = split_lines(output);
  for (const auto& is_wanted : {is_of_xhpl, is_of_launcher, is_of_failure}) {
    std::vector<std::string> words;
    for (const std::string_view line : lines)
      if (is_wanted(line) && std::ssize(words) < kMostLines) words.emplace_back(line);
    if (!words.empty()) return words;
  }
  return {lines.end() - std::min(std::ssize(lines), kMostLines), lines.end()};
}

std::vector<std::string> blamed_hosts(std::string_view output, std::span<const std::string> hosts) {
  std::array<std::string, 3> kinds;  // the first that is not empty counts
  auto& [silent, launcher, failure] = kinds;
  const auto add = [](std::string& to, std::string_view line) {
    if (!line.empty()) to.append(line).push_back('\n');
  };
  for (const std::string_view line : split_lines(output)) {
    add(silent, without_answer(line));
    if (is_of_launcher(line)) add(launcher, line);
    if (is_of_failure(line)) add(failure, line);
  }
  const auto words = std::ranges::find_if(kinds, [](const auto& kind) { return !kind.empty(); });
  std::vector<std::string> blamed;
  if (words != kinds.end())
    std::ranges::copy_if(hosts, std::back_inserter(blamed), [&](const std::string& host) {
      return has_whole_word(*words, without_domain(host));
    });
  return blamed.size() == hosts.size() ? std::vector<std::string>() : blamed;
}

std::string dead_rank(std::string_view output, int rank) {
  const std::regex words(
      fmt::format("no answer from rank {0} on [^: ]+|"
                  "process rank {0} with PID [0-9]+ on node [^ ]+|"
                  "RANK {0} PID [0-9]+ RUNNING AT [^ ]+|"
                  "[^ ]+: task {0}: Killed",
                  rank));
  for (const std::string_view line : split_lines(output)) {
    std::match_results<std::string_view::const_iterator> found;
    if (std::regex_search(line.begin(), line.end(), found, words)) return found.str();
  }
  return {};
}

std::string gpudirect_text(std::string_view records) {
  std::map<std::string, int> kinds;
  int network = 0, direct = 0;
  for (std::string_view line : split_lines(records)) {
    const auto at = line.find(" via ");
    if (!holds(line, "NCCL INFO") || at == std::string_view::npos) continue;
    line.remove_prefix(at + 5);
    const std::string kind(line.substr(0, line.find(" comm ")));
    ++kinds[kind];
    if (!kind.starts_with("NET/")) continue;
    ++network;
    direct += holds(kind, "/GDRDMA") ? 1 : 0;
  }
  std::string text =
      direct > 0 ? fmt::format("yes: {} of {} connections by network\n", direct, network)
      : network > 0
          ? fmt::format("unknown: none of {} connections by network names GDRDMA\n", network)
          : "unknown: NCCL recorded no connection by network\n";
  for (const auto& [kind, count] : kinds)
    text += fmt::format("{:7} {}\n", count, kind);
  return text;
}

}  // namespace hpl::campaign
