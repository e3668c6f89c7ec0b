#include "acceptance.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/file/atomic_file.h"
#include "hpl/base/text/host_list.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_value.h"
#include "hpl/page/page.h"
#include "hpl/page/verdict.h"
#include "output_words.h"

namespace hpl::campaign {
namespace {

using page::RunFile;

/// The hosts of a step by their verdicts.
struct StepHosts {
  Words passed, warned, failed;

  Words good() const {
    Words all = passed;
    std::ranges::copy(warned, std::back_inserter(all));
    return all;
  }
};

StepHosts hosts_of(const RunFile& step) {
  if (step.content == page::Content::Check) {
    const CheckedHosts hosts = hpl::hosts_of(*step.job.preflight);
    return {hosts.passed, hosts.warned, hosts.failed};
  }
  if (!step.fleet) return {};
  const auto names = [&](const std::string& list) { return expand_host_list(step.name, list); };
  return {names(step.fleet->pass_list), names(step.fleet->warn_list), names(step.fleet->fail_list)};
}

std::string lists_text(const StepHosts& hosts) {
  std::string text =
      "passed " + (hosts.passed.empty() ? std::string("none") : host_list(hosts.passed));
  if (!hosts.warned.empty()) text += ", warned " + host_list(hosts.warned);
  if (!hosts.failed.empty()) text += ", failed " + host_list(hosts.failed);
  return text;
}

/// "3 of 3 runs passed, best 160.9 TFLOP/s"
std::string runs_text(const JobReport& job) {
  double best = 0;
  for (const RunResult& run : job.runs)
    if (run_verdict(run) == Verdict::Passed) best = std::max(best, run.gflops);
  const Tally& tally = job.tally;
  const int all = tally.passed + tally.failed + tally.unchecked + tally.skipped + tally.stopped;
  std::string text =
      fmt::format("{} of {} {} passed", tally.passed, all, all == 1 ? "run" : "runs");
  if (best > 0) text += ", best " + hpl::rate_text(best);
  return text;
}

class Acceptance {
 public:
  explicit Acceptance(CampaignJob& job) : job_(job) {}

  ExitCode run() {
    const Words whole =
        joined({"run"}, job_.options.run_flags.value_or(Words{"--auto", "--repeat", "3"}));
    const Words check = joined({"check"}, job_.options.check_flags);
    job_.require_words("check", check);
    job_.require_words("fleet", fleet("device"));
    job_.require_words("whole", whole);
    if (hosts_step("check", check) && each_device() && each_node() && each_pair()) {
      const RunFile& file = step("whole", whole, {});
      describe(runs_text(file.job));
    }
    return finish();
  }

 private:
  Words fleet(const char* each) const { return joined({"fleet", each}, job_.options.fleet_flags); }

  // Whether hosts are left behind the step.
  bool each_device() {
    if (nodes_ * ranks_of_node_ > 1) return hosts_step("device", fleet("device"));
    return skip("device", "one device is the whole");
  }
  bool each_node() {
    if (ranks_of_node_ == 1) return skip("node", "a node has one rank, as a device");
    if (nodes_ > 1) return hosts_step("node", fleet("node"));
    return skip("node", "one node is the whole");
  }
  bool each_pair() {
    if (nodes_ > 2) return hosts_step("pair", fleet("pair"));
    return skip("pair", "needs three nodes, two are the whole");
  }

  /// The report of a step: of an earlier start, if that was undisturbed, otherwise made now.
  const RunFile& step(const std::string& name, const Words& words, const Words& outputs) {
    CampaignStep made = job_.step(name, words);
    const CampaignStep* const before = earlier(name);
    std::optional<RunFile> report;
    if (before != nullptr) report = job_.folder.finished(name);
    if (report && (before->command != made.command || job_.earlier->hosts != job_.report.hosts ||
                   job_.earlier->per_node != job_.report.per_node))
      throw ConfigError(
          "{} is of a campaign with other settings, see its {}; give another directory with -o",
          shown_text(job_.folder.path().string()), kCampaignFile);
    // Steps behind a check measure its figures again.
    if (report && (name == "check" || page::reservation(*report).empty())) {
      made = *before;
    } else {
      report = make(made, joined(words, outputs));
    }
    const RunFile& file = files_.emplace_back(std::move(*report));
    made.verdict = page::verdict_of(file);
    made.exit_code = static_cast<int>(*file.job.exit_code);
    made.document = name + ".json";
    made.reason = page::reservation(file);
    if (!made.reason.empty()) made.verdict = std::max(*made.verdict, Verdict::Repeat);
    step_ = std::move(made);
    return file;
  }

  RunFile make(CampaignStep& made, const Words& words) {
    CampaignJob::say(made.name + " ...");
    job_.folder.put_aside(made.name);
    const std::string document = job_.folder.file(made.name + ".json").string();
    const JobEnd end = job_.run(
        made.name, joined(joined(words, job_.options.flags), {"--json", document, "--verbose"}));
    made.seconds = end.seconds;
    made.exit_code = end.code;
    std::optional<RunFile> report = job_.folder.finished(made.name);
    if (!report) give_up(std::move(made));
    return std::move(*report);
  }

  /// The end of a step that came to none.
  [[noreturn]] void give_up(CampaignStep broken) {
    const std::string name = broken.name;
    if (broken.exit_code == static_cast<int>(ExitCode::BadInput)) job_.refuse(name);
    const std::string output = job_.folder.text(name + ".txt");
    for (const std::string& line : last_words(output))
      fmt::print(stderr, "{}\n", line);
    const Words blamed = blamed_hosts(output, job_.left);
    broken.verdict = Verdict::Broken;
    broken.reason = fmt::format(
        "{} did not come to its end, see {}; start again to go on{}", name,
        shown_text(job_.folder.file(name + ".txt").string()),
        blamed.empty() ? "" : ", without the host to blame by --deny " + host_list(blamed));
    const std::string reason = broken.reason;
    job_.report.steps.push_back(std::move(broken));
    throw RunError(reason);
  }

  /// A step that leaves lists of hosts, those for the next in `left`. Whether there is one.
  bool hosts_step(const std::string& name, const Words& words) {
    const auto list = [&](const char* kind) {
      return job_.folder.file(fmt::format("{}.{}", name, kind)).string();
    };
    const RunFile& file = step(
        name, words,
        {"--pass-list", list("pass"), "--warn-list", list("warn"), "--fail-list", list("fail")});
    if (file.content == page::Content::Check)
      ranks_of_node_ = file.job.preflight->rank_count / std::max(1, file.job.preflight->node_count);
    const StepHosts hosts = hosts_of(file);
    describe(lists_text(hosts));
    const Words good = without(hosts.good(), job_.report.denied);
    nodes_ = static_cast<int>(good.size());
    if (good.empty()) {
      skip("whole", "no host is left");
      return false;
    }
    if (job_.report.hosts.empty()) return true;
    // As they were given, unless the job knows them by other names.
    Words named = without(job_.left, without(job_.left, good));
    job_.left = named.size() == good.size() ? std::move(named) : good;
    return true;
  }

  bool skip(const std::string& name, const std::string& reason) {
    add_line(fmt::format("{:<7} skipped: {}", name, reason));
    job_.add({.name = name, .reason = reason}, reason);
    return true;
  }

  /// Adds the step at work to the document, with the first finding of a report that has not passed.
  void describe(std::string what) {
    if (step_.verdict != Verdict::Passed)
      if (const Words reasons = page::reasons_of(files_.back()); !reasons.empty())
        what += fmt::format(
            ": {}{}", one_line(reasons.front()),
            reasons.size() > 1 ? fmt::format(" (and {} more)", reasons.size() - 1) : "");
    add_line(fmt::format("{:<7} {}, {}", step_.name, word_of(step_.verdict), what));
    if (step_.verdict != Verdict::Passed && step_.reason.empty()) step_.reason = what;
    job_.add(std::move(step_), what);
  }

  void add_line(const std::string& line) { summary_ += line + "\n"; }

  const CampaignStep* earlier(const std::string& name) const {
    if (!job_.earlier) return nullptr;
    const auto found = std::ranges::find(job_.earlier->steps, name, &CampaignStep::name);
    return found == job_.earlier->steps.end() ? nullptr : &*found;
  }

  /// The verdict of all steps, its page and its summary.
  ExitCode finish() {
    CampaignReport& report = job_.report;
    if (!report.denied.empty())
      add_line(fmt::format("{:<7} {}, {}", "denied", to_string(Verdict::Failed),
                           host_list(report.denied)));
    page::PageOptions options{
        .title =
            "Campaign " + std::filesystem::weakly_canonical(job_.folder.path()).filename().string(),
        .sheet = true,
        .hosts = page::hosts_of_sheet(files_, report.denied)};
    report.verdict = page::verdict_of_sheet(files_, options);
    // Jobs that were asked not to check their solutions end with 0.
    const bool wrong = std::ranges::any_of(
        files_, [](const RunFile& file) { return file.job.exit_code == ExitCode::Failed; });
    report.exit_code = report.verdict == Verdict::Unchecked ? exit_code_of({.wrong = wrong})
                                                            : exit_code_of(*report.verdict);
    job_.save();
    const std::filesystem::path html = job_.folder.file("campaign.html");
    AtomicFile(html, "the page").write(page::build_page(files_, options));
    if (const std::string why = page::reservations(files_); !why.empty())
      add_line("reservations  " + why);
    const std::string verdict =
        fmt::format("Campaign: {}\n{}", to_string(*report.verdict), summary_);
    AtomicFile(job_.folder.file("verdict.txt"), "the verdict").write(verdict);
    fmt::print("\n{}page: {}\n", verdict, shown_text(html.string()));
    if (report.verdict == Verdict::Repeat)
      CampaignJob::say("start again when nothing else runs there: disturbed steps are made again");
    return *report.exit_code;
  }

  CampaignJob& job_;
  std::vector<RunFile> files_;  // of the steps that were made
  CampaignStep step_{};         // at work
  int ranks_of_node_ = 1;
  int nodes_ = 0;        // that passed the step before
  std::string summary_;  // a line a step
};

}  // namespace

ExitCode run_acceptance(CampaignJob& job) {
  return Acceptance(job).run();
}

}  // namespace hpl::campaign
