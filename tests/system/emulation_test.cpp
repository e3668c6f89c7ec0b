#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using Emulation = XhplTest;

TEST_F(Emulation, SolvesOnEveryGridUnderALabelOfItsOwn) {
  const Outcome outcome =
      mpirun(4, {"-N", "300", "--NB", "24", "-P", "1,2,2", "-Q", "1,1,2", "--arithmetic",
                 "emulated:14", "--device", "cpu", "--verify", "1", "--json", "run.json"});
  EXPECT_TRUE(all_passed(outcome, 3));
  EXPECT_NE(outcome.output.find("\nER11R2R4"), std::string::npos) << describe(outcome);
  EXPECT_EQ(outcome.output.find("\nWR"), std::string::npos) << describe(outcome);
  EXPECT_NE(outcome.output.find("\n# arithmetic: FP64 emulated by 14 INT8 products, Ozaki II"),
            std::string::npos)
      << describe(outcome);
  const auto report = nlohmann::json::parse(read_file("run.json"));
  for (const auto& run : report.at("runs")) {
    EXPECT_EQ(run.at("spec").at("variant"), "ER11R2R4");
    EXPECT_EQ(run.at("spec").at("emulated_moduli"), 14);
    EXPECT_EQ(run.at("spec").at("arithmetic"), "FP64 emulated by 14 INT8 products, Ozaki II");
  }
  // No form of the lists takes it, by itself or beside a slower run.
  const auto form = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {HPL_REPORT_PATH, "--top500", "-o", "form.json"});
    return test::run({.words = std::move(words), .directory = directory(), .environment = {}});
  };
  const Outcome none = form({"run.json"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.errors.find("found run.json: 3 runs, the fastest run "), std::string::npos)
      << none.errors;
  EXPECT_FALSE(std::filesystem::exists(directory() / "form.json"));
  ASSERT_TRUE(all_passed(alone({"--no-attainable", "-N", "20", "--json", "native.json"}), 1));
  ASSERT_EQ(form({"run.json", "native.json"}).exit_code, 0);
  const auto filled = nlohmann::json::parse(read_file("form.json"));
  EXPECT_EQ(filled.at("left_out").at(0).at("file"), "run.json");
  EXPECT_NE(read_file("form.json").find("native.json, run 1, residual passed"), std::string::npos);
}

TEST_F(Emulation, SolvesForWideRowsOfUByResiduesOfTheInverse) {
  const auto hash = [&](const char* solve_rows) {
    EXPECT_TRUE(all_passed(mpirun(4, {"-N", "640", "--NB", "512", "-P", "2", "-Q", "2",
                                      "--arithmetic", "emulated:14", "--solve-rows", solve_rows,
                                      "--device", "cpu", "--verify", "1", "--json", "run.json"}),
                           1));
    return nlohmann::json::parse(read_file("run.json")).at("runs").at(0).at("solution_hash");
  };
  EXPECT_NE(hash("50"), hash("0"));
}

TEST_F(Emulation, HasTheSameBitsInBothPipelinesAndWithTheMatrixInHostMemory) {
  const std::string common =
      "-N 1000 --NB 32 -P 1 -Q 2 --no-check --arithmetic emulated:12 --device cpu --json run.json";
  Outcome outcome;
  const auto hash = [&](std::vector<std::string> words) {
    std::istringstream more(common);
    for (std::string word; more >> word;)
      words.push_back(word);
    outcome = mpirun(2, words);
    EXPECT_TRUE(all_passed(outcome, 1));
    return nlohmann::json::parse(read_file("run.json")).at("runs").at(0).at("solution_hash");
  };
  const auto fine = hash({"--pipeline", "fine"});
  EXPECT_EQ(hash({"--pipeline", "coarse"}), fine);
  EXPECT_EQ(hash({"--matrix", "host", "--device-memory", "6M"}), fine);
  EXPECT_NE(outcome.output.find("# remark: matrix in host memory"), std::string::npos)
      << describe(outcome);
}

}  // namespace
}  // namespace hpl::test
