#include "archive.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "hpl/base/error/error.h"
#include "hpl/base/text/host_list.h"
#include "hpl/base/text/text_value.h"

namespace hpl::campaign {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// `word`, in lower case, wherever no letter or digit continues it.
std::string replaced(const std::string& text, const std::string& word, const std::string& by) {
  const std::string low = lower(text);
  std::string out;
  std::size_t from = 0;
  for (auto at = low.find(word); at != std::string::npos; at = low.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool continued = (at > 0 && is_alnum(word.front()) && is_alnum(low[at - 1])) ||
                           (end < low.size() && is_alnum(word.back()) && is_alnum(low[end]));
    if (at < from || continued) continue;
    out.append(text, from, at - from).append(by);
    from = end;
  }
  return out.append(text, from);
}

/// Each line by itself: matches of long texts need a deep stack.
std::string replaced(std::string_view text, const std::regex& pattern, const std::string& by) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::regex_replace(std::back_inserter(out), text.begin(), text.begin() + end, pattern, by);
    if (end == text.size()) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

const std::regex& ip_address() {
  static const std::regex pattern(R"(\b([0-9]{1,3}\.){3}[0-9]{1,3}\b)");
  return pattern;
}

/// Calls `see(key, text)` for all texts of a document; elements of a list have its key.
template <class See>
void visit(const json& value, const std::string& key, const See& see) {
  if (value.is_string()) return see(key, value.get<std::string>());
  if (value.is_array())
    for (const json& element : value) {
      if (key == "hosts" && element.is_object() && element.contains("name") &&
          element["name"].is_string())
        see("host", element["name"].get<std::string>());
      visit(element, key, see);
    }
  if (value.is_object())
    for (const auto& [name, member] : value.items())
      visit(member, name, see);
}

/// This machine by its names.
std::vector<std::string> own_names(const JobStarter& starter) {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  std::vector<std::string> names{name.data()};
  if (const auto text = starter.output_of({"hostname", "-f"}))
    for (const std::string_view line : split_lines(*text))
      names.emplace_back(line);
  return names;
}

}  // namespace

void Anonymizer::hide(const std::string& word, const std::string& by) {
  if (!word.empty()) words_.try_emplace(lower(word), by);
}

void Anonymizer::hide_host(const std::string& name) {
  const std::string bare = without_domain(name);
  if (std::ranges::none_of(bare, [](unsigned char c) { return std::isalpha(c) != 0; }) ||
      bare == "localhost")
    return;
  if (bare != name) hide(name.substr(bare.size()), "");  // its domain
  if (words_.contains(lower(bare))) return;
  hide(bare, fmt::format("anon-{}", ++hosts_));
  std::string stem = bare;
  while (std::isdigit(static_cast<unsigned char>(stem.back())) != 0)
    stem.pop_back();
  if (is_plain_host(stem) && std::ranges::find(stems_, stem) == stems_.end())
    stems_.push_back(stem);
}

void Anonymizer::hide_names_in(std::string_view document) {
  const json parsed = json::parse(document, nullptr, false);
  if (parsed.is_discarded()) return;
  visit(parsed, "", [&](const std::string& key, const std::string& text) {
    if (key == "host" || key == "peer_host") hide_host(text);
    const bool is_new = !text.empty() && !words_.contains(lower(text));
    if ((key == "serial" || key == "uuid") && is_new)
      hide(text, fmt::format("serial-{}", ++serials_));
  });
}

void Anonymizer::hide_addresses_in(std::string_view text) {
  for (const std::string_view line : split_lines(text))
    for (std::cregex_iterator at(line.data(), line.data() + line.size(), ip_address()), end;
         at != end; ++at)
      if (!words_.contains(at->str())) hide(at->str(), fmt::format("ip-{}", ++addresses_));
}

std::string Anonymizer::applied_to(std::string text) const {
  std::vector<std::pair<std::string, std::string>> words(words_.begin(), words_.end());
  std::ranges::stable_sort(words, [](const auto& one, const auto& other) {
    return one.first.size() > other.first.size();
  });
  for (const auto& [word, by] : words)
    text = replaced(text, word, by);
  constexpr auto kAnyCase = std::regex::ECMAScript | std::regex::icase;
  if (!stems_.empty())
    text = replaced(
        text,
        std::regex(fmt::format(R"(\b({})\[[0-9,-]+\][A-Za-z0-9.-]*)", fmt::join(stems_, "|")),
                   kAnyCase),
        "anon-[*]");
  // IPv6; Ethernet and InfiniBand; an address in NCCL's records; the number of a device.
  static const std::array<std::pair<std::regex, const char*>, 4> kPatterns{
      {{std::regex(
            R"(\b([0-9a-f]{1,4}:)*[0-9a-f]{1,4}::[0-9a-f:]*|\b([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}\b)",
            kAnyCase),
        "address"},
       {std::regex(R"(\b([0-9a-f]{2}:){5,}[0-9a-f]{2}\b|\b([0-9a-f]{4}:){3}[0-9a-f]{4}\b)",
                   kAnyCase),
        "address"},
       {std::regex(R"((NET/[^ ]* \()[0-9a-fA-F]{8,}/)"), "$1address/"},
       {std::regex(R"(\b(GPU|MIG)-[0-9a-f-]{20,})"), "$1"}}};
  for (const auto& [pattern, by] : kPatterns)
    text = replaced(text, pattern, by);
  return text;
}

void pack(const CampaignFolder& folder, const JobStarter& starter, const fs::path& archive,
          const std::vector<std::string>& hosts, bool anonymous) {
  std::vector<std::pair<std::string, std::string>> files;  // names and texts
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path()))
    if (entry.is_regular_file() && entry.path() != archive &&
        entry.path() != folder.file(CampaignFolder::kLockFile))
      files.emplace_back(entry.path().filename().string(), text_of(entry.path()));
  if (anonymous) {
    Anonymizer names;
    names.hide(fs::absolute(folder.path()).lexically_normal().string(), "DIR");
    names.hide(fs::current_path().string(), "DIR");
    const char* const home = std::getenv("HOME");
    if (home != nullptr && std::string_view(home).size() > 1) names.hide(home, "~");
    for (const std::string& host : hosts)
      names.hide_host(host);
    for (const auto& [name, text] : files)
      if (name.ends_with(".json")) names.hide_names_in(text);
    for (const std::string& host : own_names(starter))
      names.hide_host(host);
    if (const passwd* const user = ::getpwuid(::getuid())) names.hide(user->pw_name, "user");
    for (const auto& [name, text] : files)
      names.hide_addresses_in(text);
    for (auto& [name, text] : files) {
      name = names.applied_to(name);
      text = names.applied_to(std::move(text));
    }
  }
  std::string copy = (fs::temp_directory_path() / "xhpl-proof.XXXXXX").string();
  if (::mkdtemp(copy.data()) == nullptr)
    throw RunError("no directory can be made in {}",
                   shown_text(fs::temp_directory_path().string()));
  const fs::path proof = fs::path(copy) / "proof";
  fs::create_directory(proof);
  for (const auto& [name, text] : files)
    std::ofstream(proof / name, std::ios::binary) << text;
  const bool packed = starter
                          .output_of({"tar", "-C", copy, "--owner=0", "--group=0",
                                      "--numeric-owner", "-czf", archive.string(), "proof"})
                          .has_value();
  std::error_code none;
  fs::remove_all(copy, none);
  if (!packed) throw RunError("{} could not be written", shown_text(archive.string()));
}

}  // namespace hpl::campaign
