#include "xhpl_fixture.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <system_error>

namespace hpl::test {

namespace fs = std::filesystem;

XhplTest::XhplTest() {
  std::string name = (fs::temp_directory_path() / "xhpl-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category());
  directory_ = name;
}

XhplTest::~XhplTest() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

void XhplTest::write_file(const std::string& name, const std::string& text) {
  std::ofstream file(directory_ / name, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + name);
}

void XhplTest::write_dat(const HplDat& dat) {
  write_file("HPL.dat", join_lines(lines_of(dat)));
}

std::string XhplTest::read_file(const std::string& name) const {
  std::ifstream file(directory_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Outcome XhplTest::start(std::vector<std::string> words, int seconds) {
  return run({.words = std::move(words),
              .directory = directory_,
              .environment = {},
              .timeout = std::chrono::seconds(seconds)});
}

Outcome XhplTest::mpirun(int ranks, const std::vector<std::string>& arguments, int seconds) {
  constexpr std::array kMeasuring{"run", "fleet", "tune", "plan"};
  std::vector<std::string> quick = arguments;
  const bool has_command = !quick.empty() && !quick.front().starts_with('-');
  if (!has_command || std::ranges::find(kMeasuring, quick.front()) != kMeasuring.end())
    quick.insert(quick.begin() + (has_command ? 1 : 0), "--no-attainable");
  return start_ranks(ranks, quick, seconds);
}

Outcome XhplTest::mpirun_measuring(int ranks, const std::vector<std::string>& arguments) {
  return start_ranks(ranks, arguments, 60);
}

Outcome XhplTest::start_ranks(int ranks, const std::vector<std::string>& arguments, int seconds) {
  std::vector<std::string> words{HPL_MPIEXEC, "-np", std::to_string(ranks), HPL_XHPL_PATH};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return start(std::move(words), seconds);
}

Outcome XhplTest::mpirun_words(const std::vector<std::string>& words, int seconds) {
  std::vector<std::string> all{HPL_MPIEXEC};
  all.insert(all.end(), words.begin(), words.end());
  return start(std::move(all), seconds);
}

Outcome XhplTest::on_terminal(const std::string& command) {
  return start({"script", "-qec", command, "/dev/null"}, 60);
}

Outcome XhplTest::launcher(const std::vector<std::string>& words) {
  std::vector<std::string> all{HPL_SCRIPTS_DIR "/launch/xhpl-mpirun", "--launcher", HPL_MPIEXEC,
                               "--xhpl", HPL_XHPL_PATH};
  all.insert(all.end(), words.begin(), words.end());
  return start(std::move(all), 60);
}

Outcome XhplTest::mpirun_each(const std::vector<std::vector<std::string>>& prefixes,
                              const std::vector<std::string>& arguments) {
  std::vector<std::string> words{HPL_MPIEXEC};
  for (const std::vector<std::string>& prefix : prefixes) {
    if (&prefix != &prefixes.front()) words.push_back(":");
    words.insert(words.end(), {"-np", "1"});
    words.insert(words.end(), prefix.begin(), prefix.end());
    words.push_back(HPL_XHPL_PATH);
    words.insert(words.end(), arguments.begin(), arguments.end());
  }
  return start(std::move(words), 60);
}

Outcome XhplTest::mpirun_limited(const std::string& limit,
                                 const std::vector<std::string>& arguments) {
  std::vector<std::string> prefix = under_limit(limit);
  prefix.insert(prefix.begin(), {"env", "UCX_TLS=self"});  // its shared memory is files
  return mpirun_each({prefix}, arguments);
}

Outcome XhplTest::alone(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{HPL_XHPL_PATH};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return start(std::move(words), 60);
}

std::vector<std::string> under_limit(const std::string& limit) {
  return {"sh", "-c", "ulimit " + limit + "; exec \"$0\" \"$@\""};
}

std::vector<std::string> narrow_search() {
  return {"--depth", "1",     "--chunk",      "256",   "--nbmin", "8",
          "--ndiv",  "2",     "--pfact",      "right", "--rfact", "right",
          "--bcast", "1ring", "--solve-rows", "96",    "--for",   "10m"};
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
