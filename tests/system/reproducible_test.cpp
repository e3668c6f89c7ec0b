#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using nlohmann::json;

class Reproducible : public XhplTest {
 protected:
  /// The report of a job that is to pass.
  json job(int ranks, const Words& arguments) {
    EXPECT_TRUE(ended_with(mpirun(ranks, arguments + "--json run.json"), 0));
    return json_file("run.json");
  }

  /// Hashes of the solutions, by grid.
  static std::map<std::string, std::string> hashes(const json& report) {
    std::map<std::string, std::string> found;
    for (const json& run : report.at("runs")) {
      const json& spec = run.at("spec");
      found[spec.at("grid_rows").dump() + " x " + spec.at("grid_columns").dump()] =
          run.at("solution_hash");
    }
    return found;
  }
};

TEST_F(Reproducible, SolutionsAreBitEqualFromJobToJobOnEveryGridAndInEveryPipeline) {
  write_dat({.orders = {400},
             .block_sizes = {24},
             .grid_rows = {1, 1, 2, 2},
             .grid_columns = {1, 2, 1, 2}});
  for (const std::string pipeline : {"fine", "coarse"})
    for (const std::string threads : {"1", "2"}) {
      const Words arguments = "--reproducible --pipeline " + pipeline + " --threads " + threads;
      const auto first = hashes(job(4, arguments));
      EXPECT_EQ(first.size(), 4U);
      EXPECT_EQ(hashes(job(4, arguments)), first) << pipeline << " " << threads;
    }
}

TEST_F(Reproducible, OneRankAloneIsBitEqualFromRunToRunAndFromJobToJob) {
  const Words arguments = "--reproducible -N 700 --NB 32 -P 1 -Q 1 --repeat 3";
  const json first = job(1, arguments), second = job(1, arguments);
  for (const json& report : {first, second})
    for (const json& run : report.at("runs"))
      EXPECT_EQ(run.at("solution_hash"), first.at("runs").at(0).at("solution_hash"));
}

TEST_F(Reproducible, AnotherSystemHasAnotherHash) {
  const Words words = "--NB 24 -P 1 -Q 1 -N";
  EXPECT_NE(hashes(job(1, words + "400")), hashes(job(1, words + "401")));
}

TEST_F(Reproducible, OnProcessorsNothingElseHasToBeGivenUpForIt) {
  write_dat({.orders = {300}, .block_sizes = {16}, .grid_rows = {1}, .grid_columns = {2}});
  const json with = job(2, "--device cpu --reproducible");
  const json without = job(2, "--device cpu");
  EXPECT_EQ(hashes(with), hashes(without));
  EXPECT_EQ(with.at("reproducible"), true);
  EXPECT_EQ(without.at("reproducible"), false);
}

TEST_F(Reproducible, TheReportSaysSo) {
  write_dat({});
  const Outcome outcome = mpirun(1, "--reproducible");
  ASSERT_TRUE(all_passed(outcome, 1));
  EXPECT_TRUE(shows(outcome, {": bit for bit, in every job of this input, grid and machine\n",
                              "\n# solution hash: "}));
}

TEST_F(Reproducible, WhatFollowsMeasurementsIsRefused) {
  write_dat({});
  for (const char* const choice : {"--auto", "--mem-fraction=0.01"})
    EXPECT_TRUE(refused(mpirun(1, {"--reproducible", choice}), "--reproducible needs N"));
}

TEST_F(Reproducible, APlanNamesTheEvenDistribution) {
  const Outcome outcome = mpirun(2, "plan --reproducible -N 500 -P 1 -Q 2");
  EXPECT_TRUE(shows(outcome, {"blocks distributed evenly"}));
}

}  // namespace
}  // namespace hpl::test
