#include "xhpl_fixture.h"

#include <algorithm>
#include <array>
#include <regex>

namespace hpl::test {

void XhplTest::write_dat(const HplDat& dat) {
  write_file("HPL.dat", join_lines(lines_of(dat)));
}

void XhplTest::write_program(const std::string& name, const std::string& text) {
  write_file(name, text);
  std::filesystem::permissions(directory() / name, std::filesystem::perms::owner_all);
}

Outcome XhplTest::mpirun(int ranks, const Words& arguments, int seconds) {
  constexpr std::array kMeasuring{"run", "fleet", "tune", "plan"};
  Words quick = arguments;
  const bool has_command = !quick.empty() && !quick.front().starts_with('-');
  if (!has_command || std::ranges::find(kMeasuring, quick.front()) != kMeasuring.end())
    quick.insert(quick.begin() + (has_command ? 1 : 0), "--no-attainable");
  return mpirun_measuring(ranks, quick, seconds);
}

Outcome XhplTest::mpirun_measuring(int ranks, const Words& arguments, int seconds) {
  return mpirun_words(Words{"-np", std::to_string(ranks), HPL_XHPL_PATH} + arguments, seconds);
}

Outcome XhplTest::mpirun_words(const Words& words, int seconds) {
  return program(Words{HPL_MPIEXEC} + words, {}, seconds);
}

Outcome XhplTest::on_terminal(const std::string& command) {
  return program({"script", "-qec", command, "/dev/null"});
}

Outcome XhplTest::launcher(const Words& words) {
  return program(Words{HPL_SCRIPTS_DIR "/launch/xhpl-mpirun", "--launcher", HPL_MPIEXEC, "--xhpl",
                       HPL_XHPL_PATH} +
                 words);
}

Outcome XhplTest::mpirun_each(const std::vector<Words>& prefixes, const Words& arguments) {
  // Several programs of one job are more than some launchers of Open MPI 5 can start.
  std::string script = "case " + kShellRank + " in\n";
  for (std::size_t rank = 0; rank < prefixes.size(); ++rank) {
    script += std::to_string(rank) + ") exec";
    for (const std::string& word : prefixes[rank] + Words{HPL_XHPL_PATH})
      script += " '" + std::regex_replace(word, std::regex("'"), "'\\''") + "'";
    script += " \"$@\" ;;\n";
  }
  write_file("each", script + "esac\n");
  return mpirun_words(Words{"-np", std::to_string(prefixes.size()), "sh", "each"} + arguments);
}

Outcome XhplTest::mpirun_limited(const std::string& limit, const Words& arguments) {
  // The shared memory of UCX is files.
  return mpirun_each({"env UCX_TLS=self" + under_limit(limit)}, arguments);
}

Outcome XhplTest::alone(const Words& arguments, const Variables& environment) {
  return program(Words{HPL_XHPL_PATH} + arguments, environment);
}

Outcome XhplTest::report(const Words& arguments) {
  return program(Words{HPL_REPORT_PATH} + arguments);
}

Outcome XhplTest::program(const Words& words, const Variables& environment, int seconds) {
  return run({.words = words,
              .directory = directory(),
              .environment = environment,
              .timeout = std::chrono::seconds(seconds)});
}

Outcome XhplTest::shell(const std::string& script, const Words& words) {
  return program(Words{"bash", "-c", script} + words);
}

Words under_limit(const std::string& limit) {
  return {"sh", "-c", "ulimit " + limit + "; exec \"$0\" \"$@\""};
}

Words narrow_search() {
  return "--depth 1 --chunk 256 --nbmin 8 --ndiv 2 --pfact right --rfact right --bcast 1ring "
         "--solve-rows 96 --for 10m";
}

std::string unfolded(std::string text) {
  const std::string fold = "\n#   ";
  for (auto at = text.find(fold); at != text.npos; at = text.find(fold, at))
    text.replace(at, fold.size(), " ");
  return text;
}

testing::AssertionResult shows(const Outcome& outcome, std::initializer_list<std::string> parts) {
  const std::string all = unfolded(outcome.output + outcome.errors);
  for (const std::string& part : parts)
    if (all.find(part) == std::string::npos)
      return testing::AssertionFailure() << "no '" << part << "'; " << describe(outcome);
  return testing::AssertionSuccess() << "found; " << describe(outcome);
}

testing::AssertionResult ended_with(const Outcome& outcome, int exit_code,
                                    std::initializer_list<std::string> parts) {
  if (outcome.timed_out || outcome.exit_code != exit_code)
    return testing::AssertionFailure()
           << "wanted exit code " << exit_code << "; " << describe(outcome);
  return shows(outcome, parts);
}

testing::AssertionResult all_passed(const Outcome& outcome, int runs) {
  const Report report = parse_report(outcome.output);
  const auto count = static_cast<std::size_t>(runs);
  const auto fail = [&outcome](const std::string& what) {
    return testing::AssertionFailure() << what << "; " << describe(outcome);
  };
  if (outcome.timed_out) return fail("it did not end in time");
  if (outcome.exit_code != 0) return fail("the exit code is not 0");
  if (report.runs.size() != count) {
    return fail("it made " + std::to_string(report.runs.size()) + " runs");
  }
  if (report.passed_residuals.size() != count) return fail("not every run has a PASSED line");
  if (report.finished != runs || report.passed != runs) return fail("the closing counts differ");
  if (report.failed != 0 || report.skipped != 0) return fail("something failed or was skipped");
  if (!report.complete) return fail("the report has no end");
  return testing::AssertionSuccess();
}

testing::AssertionResult refused(const Outcome& outcome, const std::string& fragment) {
  const auto fail = [&outcome](const std::string& what) {
    return testing::AssertionFailure() << what << "; " << describe(outcome);
  };
  if (outcome.timed_out) return fail("it did not end in time");
  if (outcome.exit_code != 2) return fail("the exit code is not 2");
  if (!parse_report(outcome.output).runs.empty()) return fail("a run was made");
  const std::regex pattern(fragment, std::regex::icase);
  const std::vector<std::string> lines = split_lines(outcome.output + outcome.errors);
  const auto mentions = std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return std::regex_search(line, pattern);
  });
  if (mentions != 1) {
    return fail("'" + fragment + "' is in " + std::to_string(mentions) + " lines, not in one");
  }
  return testing::AssertionSuccess();
}

}  // namespace hpl::test
