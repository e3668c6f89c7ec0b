#include "campaign_job.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/host_list.h"
#include "hpl/base/text/text_value.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/input/command_line/options.h"
#include "output_words.h"

namespace hpl::campaign {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& file) {
  std::error_code none;
  return fs::is_regular_file(file, none) && ::access(file.c_str(), X_OK) == 0;
}

/// The program beside this one, or in PATH.
std::string find_program(const std::string& name) {
  std::error_code none;
  std::vector<fs::path> folders{fs::read_symlink("/proc/self/exe", none).parent_path()};
  const char* const path = std::getenv("PATH");
  for (const std::string_view folder : split_fields(path == nullptr ? "" : path, ":"))
    if (!folder.empty()) folders.emplace_back(folder);
  for (const fs::path& folder : folders)
    if (is_program(folder / name)) return (folder / name).string();
  throw ConfigError("{} stands neither beside xhpl-campaign nor in PATH", name);
}

std::string program(const std::optional<fs::path>& given, const std::string& name) {
  if (!given) return find_program(name);
  if (!is_program(*given))
    throw ConfigError("--{} must be a program, found {}", name, quote_printable(given->string()));
  return fs::absolute(*given).string();
}

/// As a launcher takes it: short where that keeps the order.
std::string list_of(const Words& hosts) {
  std::string list = host_list(hosts);
  return expand_host_list("", list) == hosts ? list : fmt::format("{}", fmt::join(hosts, ","));
}

}  // namespace

Words joined(Words first, const Words& second) {
  std::ranges::copy(second, std::back_inserter(first));
  return first;
}

Words without(const Words& all, const Words& out) {
  const std::map<std::string, std::string> known = host_names(joined(all, out));
  Words rest;
  std::ranges::copy_if(all, std::back_inserter(rest), [&](const std::string& host) {
    return std::ranges::none_of(
        out, [&](const std::string& other) { return known.at(other) == known.at(host); });
  });
  return rest;
}

std::string word_of(const std::optional<Verdict>& verdict) {
  return verdict ? std::string(to_string(*verdict)) : "skipped";
}

CampaignJob::CampaignJob(const CampaignOptions& given, const JobStarter& programs,
                         const Words& words)
    : options(given),
      starter(programs),
      folder(*given.directory, given.proof),
      earlier(folder.earlier()),
      xhpl_(program(given.xhpl, "xhpl")),
      xhpl_mpirun_(program(given.starter, "xhpl-mpirun")),
      xhpl_fleet_(find_program("xhpl-fleet")) {
  report.program = {.name = "xhpl-campaign",
                    .version = HPL_VERSION,
                    .command = command_text(words),
                    .started = zoned_now()};
  report.proof = given.proof;
  resolve_hosts();
}

void CampaignJob::resolve_hosts() {
  const char* const allocation = std::getenv("SLURM_JOB_NODELIST");
  const std::string list =
      options.hosts.empty() && allocation != nullptr ? allocation : options.hosts;
  report.per_node = options.per_node;
  if (options.host_file || !list.empty()) {
    const auto text =
        starter.output_of({xhpl_fleet_, options.host_file ? "--hostfile" : "--hosts",
                           options.host_file ? options.host_file->string() : list, "--slots"});
    if (!text) throw ConfigError("the hosts of the campaign cannot be read, see above");
    std::optional<int> slots;
    for (const std::string_view line : split_lines(*text)) {
      const auto words = split_fields(line, " ");
      const int count = static_cast<int>(parse_integer(words.at(1)).value_or(0));
      report.hosts.emplace_back(words.at(0));
      if (slots.value_or(count) != count)
        throw ConfigError("a campaign needs equally many slots on each host, found {} and {}",
                          *slots, count);
      slots = count;
    }
    if (slots.value_or(0) > 0 && options.per_node.value_or(0) > *slots)
      throw ConfigError("the hosts have {} slots each, found --per-node {}", *slots,
                        *options.per_node);
    if (slots.value_or(0) > 0 && !options.per_node) report.per_node = slots;
  }
  if (const Words unknown = without(options.denied, report.hosts); !unknown.empty())
    throw ConfigError("--deny must name hosts of the campaign, found {}", host_list(unknown));
  report.denied = options.denied;
  if (earlier)
    std::ranges::copy(without(earlier->denied, options.denied), std::back_inserter(report.denied));
  left = without(report.hosts, report.denied);
  if (left.empty() && !report.hosts.empty()) throw ConfigError("--deny leaves no host");
}

void CampaignJob::require_words(const std::string& step, const Words& words) const {
  const Words all = joined(words, options.flags);
  std::vector<const char*> pointers{"xhpl"};
  for (const std::string& word : all)
    pointers.push_back(word.c_str());
  try {
    static_cast<void>(parse_command_line(static_cast<int>(pointers.size()), pointers.data()));
  } catch (const ConfigError& error) {
    throw ConfigError("{}: {}", step, error.what());
  }
}

CampaignStep CampaignJob::step(std::string name, const Words& words) const {
  return {.name = std::move(name),
          .command = command_text(joined(joined({"xhpl"}, words), options.flags)),
          .hosts = left};
}

JobEnd CampaignJob::run(const std::string& name, const Words& words,
                        std::optional<double> most_seconds, const Words& before) {
  const Words program = joined(before, {xhpl_});
  Words all{xhpl_mpirun_, "--xhpl", program.front()};
  if (!left.empty()) all.insert(all.end(), {"--hosts", list_of(left)});
  if (report.per_node) all.insert(all.end(), {"--per-node", std::to_string(*report.per_node)});
  all.emplace_back("--");
  all.insert(all.end(), program.begin() + 1, program.end());
  std::ranges::copy(words, std::back_inserter(all));
  has_started_ = true;
  save();
  try {
    return starter.run(all, folder.file(name + ".txt"), most_seconds);
  } catch (const Interrupted& interrupted) {
    CampaignStep broken = step(name, words);
    broken.verdict = Verdict::Broken;
    broken.reason = interrupted.what();
    report.steps.push_back(std::move(broken));
    throw RunError("{}: {}{}", name, interrupted.what(),
                   options.proof ? "" : "; start again to go on");
  }
}

void CampaignJob::add(CampaignStep step, const std::string& note) {
  say(fmt::format("{}: {}{}{}", step.name, word_of(step.verdict), note.empty() ? "" : ", ", note));
  report.steps.push_back(std::move(step));
  save();
}

void CampaignJob::save() const {
  CampaignReport now = report;
  // Steps of an earlier start stay until this one comes to them.
  if (earlier && report.exit_code.value_or(ExitCode::Broken) == ExitCode::Broken)
    for (const CampaignStep& step : earlier->steps)
      if (std::ranges::find(now.steps, step.name, &CampaignStep::name) == now.steps.end())
        now.steps.push_back(step);
  folder.save(now);
}

void CampaignJob::leave_as_found() const {
  if (earlier && !has_started_) folder.save(*earlier);
}

void CampaignJob::break_off(const std::string& reason) {
  report.verdict = Verdict::Broken;
  report.exit_code = ExitCode::Broken;
  report.error = reason;
  save();
}

void CampaignJob::refuse(const std::string& step) const {
  const std::vector<std::string> words = last_words(folder.text(step + ".txt"));
  folder.forget(step);
  throw ConfigError("{}: {} (nothing of this step was kept in {})", step,
                    words.empty() ? "" : words.front(), shown_text(folder.path().string()));
}

void CampaignJob::say(const std::string& text) {
  fmt::print("xhpl campaign: {}\n", text);
  std::fflush(stdout);
}

}  // namespace hpl::campaign
