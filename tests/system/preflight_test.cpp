#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using nlohmann::json;

/// Makes any rate and any number of cores good enough: tests run on crowded machines.
const Words kAnyRate = "check --share-cores --tolerance 1000";

class Preflight : public XhplTest {
 protected:
  static inline const Words kSlowKernel = "env OPENBLAS_CORETYPE=Prescott";
  bool has_slow_kernel() {
    const Outcome plain = mpirun_each({{"env"}}, {"--version"});
    const Outcome slow = mpirun_each({kSlowKernel}, {"--version"});
    return slow.output.find("kernel Prescott") != std::string::npos &&
           plain.output.find("kernel Prescott") == std::string::npos;
  }

  /// A kernel at least as good as the usual one; empty if there is none.
  std::string other_kernel() {
    const auto kernel_of = [&](const std::string& word) {
      const std::string text = mpirun_each({{"env", word}}, {"--version"}).output;
      std::smatch found;
      return std::regex_search(text, found, std::regex(", kernel (\\w+)")) ? found[1].str()
                                                                           : std::string();
    };
    const std::string usual = kernel_of("-uOPENBLAS_CORETYPE");
    for (const std::string other : {"Zen", "Haswell"})
      if (!usual.empty() && other != usual && kernel_of("OPENBLAS_CORETYPE=" + other) == other)
        return other;
    return {};
  }

  /// The words before a rank on a host of four cores, whatever this machine has, where a product
  /// takes so many milliseconds.
  static Words rank_of_many_cores(int milliseconds) {
    return {"env", "HWLOC_SYNTHETIC=core:4 pu:1", "LD_PRELOAD=" HPL_SLOW_PRODUCTS,
            "XHPL_TEST_PRODUCT=" + std::to_string(milliseconds)};
  }

  /// The exit code by the findings of a check. The machine may have faults of its own.
  static int code_of(const json& check) {
    const auto has = [&](const char* severity) {
      return std::ranges::any_of(check.at("preflight").at("findings"), [&](const json& finding) {
        return finding.at("severity") == severity;
      });
    };
    return has("fault") ? 1 : has("slow") ? 4 : 0;
  }

  /// The first processor that this process may use.
  static std::string allowed_processor() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    int cpu = 0;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
      while (!CPU_ISSET(cpu, &allowed))
        ++cpu;
    return std::to_string(cpu);
  }
};

TEST_F(Preflight, NeedsNoInputAndEndsWithWhatItFound) {
  const Outcome outcome = mpirun(2, kAnyRate + "--json check.json");
  EXPECT_TRUE(shows(outcome, {"Pre-flight check of 2 ranks on 1 node"}));
  EXPECT_TRUE(parse_report(outcome.output).runs.empty());
  const json check = json_file("check.json");
  // The machine may have faults: a single core for both, errors of its memory.
  const bool sound = check.at("preflight").at("sound");
  EXPECT_EQ(sound, std::ranges::all_of(check.at("preflight").at("findings"),
                                       [](const json& one) { return one.at("kind") == "remark"; }));
  // It may also be disturbed.
  const bool passed =
      std::ranges::all_of(check.at("preflight").at("findings"),
                          [](const json& one) { return one.at("severity") == "remark"; });
  EXPECT_EQ(outcome.output.find("\nVerdict: sound") != std::string::npos, passed)
      << describe(outcome);
  EXPECT_EQ(outcome.exit_code, code_of(check)) << describe(outcome);
  EXPECT_EQ(check.at("exit_code"), outcome.exit_code);
  EXPECT_EQ(check.at("preflight").at("form").get<std::string>(), "full");
  ASSERT_EQ(check.at("ranks").size(), 2U);
  for (const char* const metric :
       {"host_dgemm", "device_memory", "row_bandwidth", "pair_latency", "free_memory"}) {
    const json& metrics = check.at("preflight").at("metrics");
    const auto found = std::find_if(metrics.begin(), metrics.end(),
                                    [&](const json& one) { return one.at("metric") == metric; });
    ASSERT_NE(found, metrics.end()) << metric;
    EXPECT_GT(found->at("minimum").get<double>(), 0) << metric;
  }
}

TEST_F(Preflight, TheDeepFormMeasuresStartsAndSaysWhyThereAreNoCopies) {
  const Outcome outcome = mpirun(2, kAnyRate + "--device cpu --deep=0.3s -v --json check.json");
  EXPECT_TRUE(shows(outcome, {"\ndeep figure",
                              "not measured: copies one by one and at once: the "
                              "device shares the host's memory"}));
  const json check = json_file("check.json");
  const json& preflight = check.at("preflight");
  EXPECT_EQ(preflight.at("form"), "deep");
  std::set<std::string> figures;
  for (const json& one : preflight.at("deep")) {
    figures.insert(one.at("figure"));
    EXPECT_EQ(one.at("count"), 2) << one;
    EXPECT_GT(one.at("minimum").get<double>(), 0) << one;
  }
  EXPECT_EQ(figures, (std::set<std::string>{"host_first_touch", "host_second_touch"}));
  for (const json& rank : check.at("ranks"))
    EXPECT_TRUE(rank.at("failed").empty()) << rank.at("failed");
}

/// Other processes of a crowded machine excuse it.
TEST_F(Preflight, ASlowRankIsNamedAndEndsTheCheckWith4) {
  const Outcome outcome =
      mpirun_each({rank_of_many_cores(2), rank_of_many_cores(40), rank_of_many_cores(2)},
                  "check --no-bind --threads 1 --tolerance 45 --json check.json");
  const json check = json_file("check.json");
  EXPECT_EQ(check.at("exit_code"), outcome.exit_code);
  bool named = false;
  for (const json& finding : check.at("preflight").at("findings")) {
    if (finding.at("metric") != "host_dgemm") continue;
    named = true;
    EXPECT_EQ(finding.at("rank"), 1) << finding;
    EXPECT_EQ(finding.at("severity"), finding.at("basis") == "disturbed" ? "warning" : "slow");
  }
  EXPECT_TRUE(named) << describe(outcome);
  EXPECT_EQ(outcome.exit_code, code_of(check)) << describe(outcome);
  EXPECT_TRUE(shows(outcome, {"host DGEMM, a core", "  rank 1 on "}));
}

TEST_F(Preflight, OfTwoRanksNoneIsTheSlowOne) {
  const Outcome outcome =
      mpirun_each({rank_of_many_cores(2), rank_of_many_cores(40)},
                  "check --no-bind --threads 1 --tolerance 0.001 --json check.json");
  const json check = json_file("check.json");
  for (const json& finding : check.at("preflight").at("findings"))
    EXPECT_NE(finding.at("kind"), "outlier") << finding;
  EXPECT_TRUE(shows(outcome, {"\nnot compared: kinds with fewer than 3 values\n"}));
}

TEST_F(Preflight, ABlasForAnotherMachineIsAFault) {
  if (!has_slow_kernel()) GTEST_SKIP() << "this BLAS has no slower kernel to offer";
  const Outcome outcome = mpirun_each({{"env"}, kSlowKernel}, kAnyRate + "--json check.json");
  EXPECT_EQ(outcome.exit_code, 1) << describe(outcome);
  EXPECT_TRUE(std::ranges::any_of(json_file("check.json").at("preflight").at("findings"),
                                  [](const json& finding) {
                                    return finding.at("rank") == 1 &&
                                           finding.at("kind") == "fault" &&
                                           finding.at("what").get<std::string>().find("Prescott") !=
                                               std::string::npos;
                                  }))
      << describe(outcome);
}

TEST_F(Preflight, TwoRanksOnOneCoreAreAFaultOfTheLaunch) {
  const Words pinned = "taskset -c " + allowed_processor();
  EXPECT_TRUE(refused(mpirun_each({pinned, pinned}, {"check"}),
                      ": ranks 0 and 1 share core [0-9]+: start with --bind-to none or fewer "
                      "ranks"));
  const Outcome shared = mpirun_each(
      {pinned, pinned}, "check --share-cores --tolerance 0.001 --warn-list warn --json check.json");
  EXPECT_TRUE(shows(shared, {"\nnot compared: ranks share cores\n", ": two ranks on core "}));
  EXPECT_EQ(read_file("warn"), "") << "no host is listed for it";
}

TEST_F(Preflight, ARunThatDoesNotFitIsAFault) {
  const Outcome outcome = mpirun(1, kAnyRate + "-N 10000000");
  EXPECT_TRUE(ended_with(outcome, 1, {": too little memory: the run needs "}));
}

TEST_F(Preflight, TheTableGoesToAFileOnRequest) {
  // It is for other ranks, and none of this check's business.
  write_dat({.orders = {10'000'000}, .grid_rows = {40}, .grid_columns = {50}});
  const Outcome outcome = mpirun(1, kAnyRate + "--output check.txt --progress always");
  EXPECT_TRUE(shows(outcome, {"# measuring host DGEMM\n"}));
  EXPECT_TRUE(outcome.output.empty()) << describe(outcome);
  EXPECT_NE(read_file("check.txt").find("\nVerdict: "), std::string::npos);
  EXPECT_EQ(read_file("check.txt").find("too little memory"), std::string::npos);
}

TEST_F(Preflight, ATargetThatCannotBeWrittenIsRefusedBeforeAnythingIsMeasured) {
  EXPECT_TRUE(refused(mpirun(2, kAnyRate + "--json none/check.json"), "none/check.json"));
}

/// Free memory is the figure that hardly changes on a crowded machine. Four times the tolerance of
/// 10 % is a warning, twice that fails; the others may be a hundredth of the reference.
TEST_F(Preflight, AnEarlierCheckIsTheNormOfTheSameRank) {
  mpirun(1, "check --json may.json");
  const json may = json_file("may.json");
  const auto check_with = [&](double times_the_memory, const Words& flags) {
    json reference = may;
    for (json& measured : reference.at("ranks").at(0).at("measurements")) {
      const double value = measured.at("value");
      measured["value"] =
          value * (measured.at("metric") == "free_memory" ? times_the_memory : 0.01);
    }
    write_file("edited.json", reference.dump());
    return mpirun(1,
                  Words("check --tolerance 10 --reference edited.json --json june.json") + flags);
  };
  const auto outliers = [&] {
    json found = json::array();
    const json june = json_file("june.json");
    for (const json& finding : june.at("preflight").at("findings"))
      if (finding.at("basis") == "reference") found.push_back(finding);
    return found;
  };
  const bool faulty = code_of(may) == 1;
  const std::string line = "  rank 0 on ", words = ": free memory, a rank ";

  Outcome outcome = check_with(1, "");
  EXPECT_EQ(outcome.exit_code, code_of(json_file("june.json"))) << describe(outcome);
  EXPECT_TRUE(outliers().empty()) << describe(outcome);
  EXPECT_TRUE(shows(outcome, {"\ncompared with edited.json as well, of 20"}));
  EXPECT_EQ(json_file("june.json").at("preflight").at("reference").at("source"), "edited.json");

  outcome = check_with(2.5, "--warn-list warned.txt");
  ASSERT_EQ(outliers().size(), 1U) << describe(outcome);
  EXPECT_EQ(outliers()[0].at("severity"), "warning");
  EXPECT_TRUE(shows(outcome, {line, words, " in edited.json"}));
  EXPECT_EQ(report("june.json --format junit").output.find("<failure") != std::string::npos,
            faulty);
  if (faulty) return;
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_TRUE(shows(outcome, {"\nVerdict: warned: 0 faults, 1 outlier"}));
  EXPECT_NE(read_file("warned.txt"), "");
  EXPECT_EQ(check_with(2.5, "--strict").exit_code, 4);

  outcome = check_with(20, "--fail-list failed.txt");
  EXPECT_EQ(outcome.exit_code, 4) << describe(outcome);
  EXPECT_EQ(outliers().at(0).at("severity"), "slow");
  EXPECT_TRUE(
      shows(outcome, {"\nOutliers that fail", words, "\nVerdict: slow: 0 faults, 1 outlier"}));
  EXPECT_NE(read_file("failed.txt"), "");
  EXPECT_NE(report("june.json --format junit").output.find("<failure"), std::string::npos);
}

TEST_F(Preflight, AReferenceOfSomethingElseIsRefusedBeforeAnythingIsMeasured) {
  mpirun(1, kAnyRate + "--json may.json");
  const auto refuses = [&](int ranks, const std::string& file, const std::string& message) {
    const Outcome outcome = mpirun(ranks, kAnyRate + "--progress always --reference" + file);
    EXPECT_EQ(outcome.errors.find("# measuring"), std::string::npos) << describe(outcome);
    return refused(outcome, message);
  };
  EXPECT_TRUE(refuses(2, "may.json",
                      "--reference may.json must be of 2 ranks on 1 host, found 1 "
                      "rank on 1 host"));
  json other = json_file("may.json");
  other.at("ranks").at(0)["processor"] = "Another";
  write_file("other.json", other.dump());
  EXPECT_TRUE(refuses(1, "other.json", "--reference other.json must be of .*, found .*Another"));
  std::filesystem::create_directory(directory() / "june");
  EXPECT_TRUE(refuses(1, "june",
                      "june must be the document of a check \\(xhpl check --json\\), "
                      "found a folder"));
  EXPECT_TRUE(refuses(1, "none.json", "none.json: cannot be read"));
  ASSERT_TRUE(all_passed(mpirun(1, "-N 100 --json run.json"), 1));
  EXPECT_TRUE(refuses(1, "run.json", "run.json must be the document of a check"));
}

TEST_F(Preflight, ItsShortFormIsPartOfARun) {
  const Outcome outcome = mpirun(1, "-N 1000 --json run.json");
  ASSERT_TRUE(all_passed(outcome, 1));
  EXPECT_TRUE(shows(outcome, {"\n# pre-flight"}));
  const json preflight = json_file("run.json").at("preflight");
  EXPECT_EQ(preflight.at("form").get<std::string>(), "short");
  EXPECT_EQ(preflight.at("metrics").at(0).at("metric").get<std::string>(), "host_dgemm");
}

TEST_F(Preflight, ItsShortFormOnlyWarns) {
  const std::string kernel = other_kernel();
  if (kernel.empty()) GTEST_SKIP() << "this BLAS has no other kernel to offer";
  const Words other = "env OPENBLAS_CORETYPE=" + kernel;
  const Outcome outcome = mpirun_each({"env -uOPENBLAS_CORETYPE", other, "env -uOPENBLAS_CORETYPE"},
                                      {"--no-attainable", "-N", "1000", "-P", "1", "-Q", "3"});
  ASSERT_TRUE(all_passed(outcome, 1));
  EXPECT_TRUE(shows(outcome, {"\n# remark: pre-flight: rank 1 on "}));
}

TEST_F(Preflight, ItsShortFormCanBeLeftOutAndIsLeftOutOfSmallRuns) {
  for (const Words arguments : {"-N 1000 --no-check", "-N 900"}) {
    ASSERT_TRUE(all_passed(mpirun(1, arguments + "--json run.json"), 1));
    EXPECT_TRUE(json_file("run.json").at("preflight").is_null());
  }
}

}  // namespace
}  // namespace hpl::test
