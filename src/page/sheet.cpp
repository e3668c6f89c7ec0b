#include "sheet.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/number/statistics.h"
#include "hpl/base/text/host_list.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/check/findings/check_report.h"
#include "hpl/fleet/judge/fleet_verdict.h"
#include "hpl/report/page/format.h"
#include "hpl/report/result/disturbance.h"

namespace hpl::page {
namespace {

/// A fact with more values is left to the documents.
constexpr std::size_t kMostValues = 3;

std::string verdict_word(const RunFile& file) {
  return std::string(to_string(verdict_of(file)));
}

/// The verdict of a step on each of its hosts, by the names that the step has for them.
std::map<std::string, std::string> verdicts_in(const RunFile& step) {
  std::map<std::string, std::string> verdicts;
  const auto add = [&](const std::vector<std::string>& hosts, const char* verdict) {
    for (const std::string& host : hosts)
      verdicts[host] = verdict;
  };
  if (step.fleet) {
    for (const FleetHost& host : step.fleet->hosts)
      verdicts[host.name] = to_string(host.verdict);
  } else if (step.content == Content::Check) {
    const CheckedHosts hosts = hosts_of(*step.job.preflight);
    add(hosts.passed, "passed");
    add(hosts.warned, "warned");
    add(hosts.failed, "failed");
  } else {
    for (const JobHost& host : step.job.hosts)
      verdicts[host.name] = verdict_word(step);
  }
  return verdicts;
}

std::string name_of_step(const RunFile& step) {
  return std::filesystem::path(step.name).stem().string();
}

/// A node of the machine, over all steps.
struct Node {
  std::string serial;
  std::set<std::string> boards;                // their serial numbers
  std::map<std::size_t, std::string> verdict;  // by step
};

/// One name for each host of the steps, with or without its domain there.
std::map<std::string, std::string> names_in(std::span<const RunFile> steps,
                                            std::span<const std::string> hosts) {
  std::vector<std::string> all(hosts.begin(), hosts.end());
  for (const RunFile& step : steps)
    for (const auto& [host, verdict] : verdicts_in(step))
      all.push_back(host);
  return host_names(all);
}

struct Machine {
  std::map<std::string, std::string> names;
  std::map<std::string, Node> nodes;
  std::map<std::string, std::set<std::string>> facts;                                  // by name
  std::map<std::string, std::set<std::tuple<std::string, std::string, int>>> devices;  // by model

  Node& node(const std::string& host) {
    const auto known = names.find(host);
    return nodes[known == names.end() ? host : known->second];
  }
  void add(const JobHost& host) {
    for (const auto& [name, value] : host.facts)
      if (name == "serial")
        node(host.name).serial = value;
      else
        facts[name].insert(value);
  }
  void add(const JobDevice& device) {
    devices[device.model].insert({device.host, device.backend, device.index});
    if (!device.identity.serial.empty()) node(device.host).boards.insert(device.identity.serial);
    if (!device.identity.driver.empty()) facts["driver"].insert(device.identity.driver);
  }
};

Machine machine_of(std::span<const RunFile> steps, std::span<const std::string> hosts) {
  Machine all{.names = names_in(steps, hosts)};
  for (const std::string& host : hosts)
    all.node(host);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const auto& [host, verdict] : verdicts_in(steps[i]))
      all.node(host).verdict[i] = verdict;
    for (const JobHost& host : steps[i].job.hosts)
      all.add(host);
    for (const JobDevice& device : steps[i].job.devices)
      all.add(device);
    if (!steps[i].fleet) continue;
    for (const FleetHost& host : steps[i].fleet->hosts)
      all.add(host);
    for (const FleetMember& member : steps[i].fleet->members)
      std::ranges::for_each(member.devices, [&](const JobDevice& device) { all.add(device); });
  }
  return all;
}

std::string machine_table(std::span<const RunFile> steps, const Machine& machine) {
  std::string hardware = count_text(machine.nodes.size(), "node");
  for (const auto& [model, devices] : machine.devices)
    hardware += fmt::format(", {} x {}", devices.size(), model);
  const auto date = [](const RunFile& step) {
    return minute_text(step.job.header.program.started);
  };
  const std::string first = date(steps.front()), last = date(steps.back());
  Table table{.title = "Machine", .columns = columns_of("|")};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) table.add({name, value});
  };
  add("machine", hardware);
  add("date", first == last ? first : first + " to " + last);
  for (const char* const name :
       {"system", "processor", "memory", "os", "kernel", "driver", "blas", "mpi"})
    if (const auto found = machine.facts.find(name); found != machine.facts.end())
      add(name, found->second.size() > kMostValues
                    ? count_text(found->second.size(), "value")
                    : fmt::format("{}", fmt::join(found->second, "; ")));
  const ProgramInfo& program = steps.front().job.header.program;
  add("labels", labels_text(program.labels));
  add("program", program_of(steps.front()) + (program.commit ? ", commit " + *program.commit : ""));
  return html_of(table, "pairs");
}

/// The run of a step, and its rate.
std::pair<std::string, std::string> run_of_step(const RunFile& step) {
  if (step.content == Content::Check)
    return {count_text(step.job.preflight->ranks.size(), "rank"), ""};
  if (!step.fleet && step.job.runs.empty()) return {};
  const RunSpec& spec = step.fleet ? step.fleet->spec : step.job.runs.front().spec;
  std::vector<double> rates;
  if (step.fleet)
    for (const FleetMember& member : step.fleet->members) {
      if (const auto& rate = member.figures[Figure::Gflops]) rates.push_back(*rate);
    }
  else
    for (const RunResult& run : step.job.runs)
      if (!lacks_check(run)) rates.push_back(run.gflops);
  return {fmt::format("{}, {}",
                      step.fleet ? count_text(step.fleet->members.size(), "member")
                                 : count_text(step.job.runs.size(), "run"),
                      labelled_size_text(spec)),
          rates.empty() ? ""
          : step.fleet  ? "median " + rate_text(median(rates))
                        : "best " + rate_text(std::ranges::max(rates))};
}

std::string step_table(std::span<const RunFile> steps) {
  Table table{.title = "Steps", .columns = columns_of("step|run|command|rate|verdict")};
  for (const RunFile& step : steps) {
    const auto [run, rate] = run_of_step(step);
    table.add({name_of_step(step), run, step.job.header.program.command, rate,
               reservation(step).empty() || verdict_of(step) > Verdict::Repeat ? verdict_word(step)
                                                                               : "repeat"});
  }
  return html_of(table, "");
}

std::string node_table(std::span<const RunFile> steps, const Machine& machine) {
  const bool boards = std::ranges::any_of(
      machine.nodes, [](const auto& node) { return !node.second.boards.empty(); });
  Table table{.title = "Nodes", .columns = columns_of("node|serial number")};
  if (boards) table.columns.push_back({"boards"});
  for (const RunFile& step : steps)
    table.columns.push_back({name_of_step(step)});
  for (const auto& [name, node] : machine.nodes) {
    std::vector<Cell> row{name, node.serial.empty() ? "unknown" : node.serial};
    if (boards) row.emplace_back(fmt::to_string(fmt::join(node.boards, ", ")));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto verdict = node.verdict.find(i);
      row.emplace_back(verdict == node.verdict.end() ? "–" : verdict->second);
    }
    table.add(std::move(row));
  }
  return html_of(table, "");
}

std::string signature_lines() {
  std::string html = R"(<div class="sign">)";
  for (const char* const who : {"For the supplier", "For the site"}) {
    html += fmt::format("<div><h3>{}</h3>", who);
    for (const char* const what : {"Name", "Date", "Signature"})
      html += fmt::format("<p>{}</p>", what);
    html += "</div>";
  }
  return html + "</div>";
}

}  // namespace

std::string reservation(const RunFile& step) {
  const std::string text =
      step.fleet ? disturbance_of(*step.fleet) : disturbance_text(step.job.runs);
  return text.empty() || step.fleet ? text : "the rates are no measure of this machine: " + text;
}

std::string reservations(std::span<const RunFile> steps) {
  std::string text;
  for (const RunFile& step : steps)
    if (const std::string why = reservation(step); !why.empty())
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name_of_step(step), why);
  return text;
}

std::vector<std::string> hosts_of_sheet(std::span<const RunFile> steps,
                                        std::vector<std::string> denied) {
  if (!steps.empty() && steps.front().content == Content::Check)
    for (const auto& [host, verdict] : verdicts_in(steps.front()))
      denied.push_back(host);
  return denied;
}

std::vector<std::string> lost_hosts(std::span<const RunFile> files,
                                    std::span<const std::string> hosts) {
  const std::map<std::string, std::string> names = names_in(files, hosts);
  std::set<std::string> lost;
  for (const std::string& host : hosts)
    lost.insert(names.at(host));
  for (std::size_t i = 0; i < files.size(); ++i)
    for (const auto& [host, verdict] : verdicts_in(files[i]))
      if (i + 1 == files.size() || (verdict != "passed" && verdict != "warned"))
        lost.erase(names.at(host));
  return {lost.begin(), lost.end()};
}

Verdict verdict_of_sheet(std::span<const RunFile> files, const PageOptions& options) {
  if (!lost_hosts(files, options.hosts).empty()) return Verdict::Failed;
  const auto& campaign = options.campaign;
  return std::max({verdict_of(files),
                   reservations(files).empty() ? Verdict::Passed : Verdict::Repeat,
                   campaign ? campaign->verdict.value_or(Verdict::Unfinished) : Verdict::Passed});
}

std::string sheet_section(std::span<const RunFile> files, const PageOptions& options) {
  const Machine machine = machine_of(files, options.hosts);
  const std::vector<std::string> lost = lost_hosts(files, options.hosts);
  const VerdictLook look = look_of(verdict_of_sheet(files, options));
  const std::string why = reservations(files);
  return fmt::format(
             R"(<section class="sheet {}"><p class="word"><strong>{}</strong><span>{}</span></p>)",
             look.style, look.word, lost.empty() ? "" : "lost: " + escape(host_list(lost))) +
         (why.empty() ? "" : "<h2>Reservations</h2><p>" + escape(why) + "</p>") +
         machine_table(files, machine) + "<h2>Steps</h2>" + step_table(files) + "<h2>Nodes</h2>" +
         node_table(files, machine) +
         (why.empty() ? signature_lines()
                      : "<h2>Not to be signed: repeat the steps on a quiet machine</h2>") +
         "</section>\n";
}

}  // namespace hpl::page
