#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

class Mxp : public XhplTest {
 protected:
  nlohmann::json document() { return nlohmann::json::parse(read_file("run.json")); }
};

/// `xhpl mxp` on the CPU device.
std::vector<std::string> mxp(std::vector<std::string> more) {
  std::vector<std::string> words{"mxp",    "--device", "cpu", "--no-check", "--no-attainable",
                                 "--json", "run.json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(Mxp, SolvesOnEveryGridUnderALabelOfItsOwn) {
  const Outcome outcome =
      mpirun(4, mxp({"-N", "300", "--NB", "24", "-P", "1,2,2,4", "-Q", "1,1,2,1"}));
  EXPECT_TRUE(all_passed(outcome, 4));
  EXPECT_NE(outcome.output.find("\nMR11S32G"), std::string::npos) << describe(outcome);
  for (const char* const netlibs : {"\nW", "HPL_pdgesv"})
    EXPECT_EQ(outcome.output.find(netlibs), std::string::npos) << describe(outcome);
  EXPECT_NE(outcome.output.find("\n# arithmetic: HPL-MxP: FP32 products, FP32 storage, conforming "
                                "matrix, GMRES"),
            std::string::npos);
  EXPECT_NE(outcome.output.find("\n# LU alone: "), std::string::npos) << describe(outcome);
  for (const auto& run : document().at("runs")) {
    const auto& refinement = run.at("refinement");
    EXPECT_TRUE(refinement.at("converged"));
    EXPECT_NEAR(run.at("seconds").get<double>(),
                refinement.at("factorization_seconds").get<double>() +
                    refinement.at("refinement_seconds").get<double>(),
                1e-9);
    EXPECT_GE(refinement.at("iterations"), 1);
    EXPECT_LT(refinement.at("history").back(), 1);
    EXPECT_TRUE(run.at("efficiency_of_peak").is_null()) << "Rpeak is one of FP64";
  }
}

TEST_F(Mxp, SolvesEachMatrixInEachFormatByEachSolver) {
  for (const std::string matrix : {"conforming", "dominant:icl", "dominant:openmxp", "fasi-higham"})
    for (const std::string precision : {"fp16", "bf16", "fp32"})
      for (const std::string storage : {"16", "32"}) {
        if (precision == "fp32" && storage == "16") continue;
        for (const std::string solver : {"gmres", "plain"}) {
          const Outcome outcome =
              alone(mxp({"-N", "250", "--NB", "32", "--mxp-matrix", matrix, "--precision",
                         precision, "--storage", storage, "--solver", solver}));
          EXPECT_TRUE(all_passed(outcome, 1)) << matrix << " " << precision << " " << storage;
          const auto run = document().at("runs").at(0);
          EXPECT_EQ(run.at("spec").at("mixed").at("matrix"), matrix);
          EXPECT_EQ(run.at("spec").at("mixed").at("operands"), precision);
          EXPECT_EQ(outcome.output.find("for testing only") != std::string::npos,
                    matrix.starts_with("dominant"));
        }
      }
}

TEST_F(Mxp, NamesFieldsWithoutMeaningOnceAndMakesNoRunTwice) {
  write_dat({.orders = {100, 150}, .pfacts = {0, 1, 2}, .nbmins = {2, 4}, .rfacts = {0, 1}});
  const Outcome outcome = alone(mxp({}));
  EXPECT_TRUE(all_passed(outcome, 2));
  EXPECT_NE(outcome.output.find("# remark: without effect on HPL-MxP, whose panels have no pivots: "
                                "PFACT, NBMIN, NDIV, RFACT"),
            std::string::npos)
      << describe(outcome);
}

TEST_F(Mxp, FillsTheFormWithTheRateOfHplBesideIt) {
  ASSERT_TRUE(all_passed(alone(mxp({"-N", "200", "--NB", "32"})), 1));
  ASSERT_TRUE(all_passed(
      alone({"--no-attainable", "-N", "150", "--device", "cpu", "--json", "hpl.json"}), 1));
  const auto form = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {HPL_REPORT_PATH, "--mxp", "-o", "-"});
    return test::run({.words = std::move(words), .directory = directory(), .environment = {}});
  };
  const Outcome both = form({"run.json", "hpl.json"});
  EXPECT_EQ(both.exit_code, 0) << describe(both);
  EXPECT_NE(both.output.find("hpl.json, run 1, N = 150, native FP64, residual passed"),
            std::string::npos)
      << describe(both);
  EXPECT_NE(form({"run.json"}).output.find(" none  ("), std::string::npos);
  EXPECT_EQ(form({"hpl.json"}).exit_code, 2);
}

TEST_F(Mxp, IsPredictedByTheRatesOfItsOwnOperations) {
  constexpr int kSeconds = 300;
  const Outcome measured = mpirun(1,
                                  {"rates", "--mxp", "--device", "cpu", "--device-memory", "64M",
                                   "--threads", "1", "-o", "rates.json"},
                                  kSeconds);
  ASSERT_EQ(measured.exit_code, 0) << describe(measured);
  const auto rates = nlohmann::json::parse(read_file("rates.json"));
  EXPECT_EQ(rates.at("mixed").at("spec").at("operands"), "fp32");
  EXPECT_TRUE(rates.at("row_copy").is_null()) << "no rows are swapped";

  const std::vector<std::string> run{"--rates", "rates.json", "-N",        "600",
                                     "--NB",    "64",         "--threads", "1"};
  const Outcome compared = alone(mxp(run));
  EXPECT_TRUE(all_passed(compared, 1));
  EXPECT_NE(compared.output.find(" s by the simulated model, got "), std::string::npos)
      << describe(compared);
  EXPECT_GT(document().at("runs").at(0).at("expected").at("seconds"), 0);
  const Outcome predicted =
      test::run({.words = {HPL_PREDICT_PATH, "--mxp", "rates.json", "-N", "600", "--NB", "64"},
                 .directory = directory(),
                 .environment = {}});
  EXPECT_EQ(predicted.exit_code, 0) << describe(predicted);
  EXPECT_NE(predicted.output.find("HPL-MxP: FP32 products"), std::string::npos);

  std::vector<std::string> other = mxp(run);
  other.insert(other.end(), {"--precision", "fp16"});
  EXPECT_TRUE(refused(alone(other), "give xhpl rates and the run the same flags of HPL-MxP"));
}

TEST_F(Mxp, PlansWithItsOwnMemoryAndRefusesWhatItHasNot) {
  const Outcome plan = alone({"plan", "--mxp", "--device", "cpu", "-N", "1000", "--storage", "16"});
  EXPECT_EQ(plan.exit_code, 0) << describe(plan);
  EXPECT_NE(plan.output.find("MR11H16G"), std::string::npos) << describe(plan);
  const std::pair<std::vector<std::string>, const char*> refusals[] = {
      {{"--matrix", "host"}, "the matrix of HPL-MxP lives in the device's memory"},
      {{"--arithmetic", "emulated"}, "--precision is the format of HPL-MxP's products"},
      {{"--verify", "always"}, "--verify is no flag of xhpl mxp"},
      {{"--precision", "fp32", "--storage", "16"}, "products of FP32 need a matrix of 32 bits"}};
  for (const auto& [words, message] : refusals)
    EXPECT_TRUE(refused(alone(mxp(words)), message));
}

}  // namespace
}  // namespace hpl::test
