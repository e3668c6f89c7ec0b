#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

class Mxp : public XhplTest {
 protected:
  nlohmann::json document() { return json_file("run.json"); }
};

/// `xhpl mxp` on the CPU device.
Words mxp(const Words& more) {
  return "mxp --device cpu --no-check --no-attainable --json run.json" + more;
}

TEST_F(Mxp, SolvesOnEveryGridUnderALabelOfItsOwn) {
  const Outcome outcome = mpirun(4, mxp("-N 300 --NB 24 -P 1,2,2,4 -Q 1,1,2,1"));
  EXPECT_TRUE(all_passed(outcome, 4));
  EXPECT_TRUE(shows(outcome, {"\nMR11S32G"}));
  for (const char* const netlibs : {"\nW", "HPL_pdgesv"})
    EXPECT_FALSE(shows(outcome, {netlibs}));
  EXPECT_TRUE(shows(outcome, {"\n# arithmetic: HPL-MxP: FP32 products, FP32 storage, conforming "
                              "matrix, GMRES",
                              "\n# LU alone: "}));
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
  // Mixed.SolvesEveryMatrixInEveryFormat has each with each.
  struct Job {
    std::string matrix, precision, storage, solver;
  };
  for (const auto& [matrix, precision, storage, solver] :
       {Job{"conforming", "fp16", "16", "plain"},
        {"dominant:icl", "bf16", "32", "gmres"},
        {"dominant:openmxp", "fp16", "32", "plain"},
        {"fasi-higham", "bf16", "16", "gmres"},
        {"fasi-higham", "fp32", "32", "plain"}}) {
    const Outcome outcome =
        alone(mxp({"-N", "250", "--NB", "32", "--mxp-matrix", matrix, "--precision", precision,
                   "--storage", storage, "--solver", solver}));
    EXPECT_TRUE(all_passed(outcome, 1)) << matrix << " " << precision << " " << storage;
    const auto mixed = document().at("runs").at(0).at("spec").at("mixed");
    EXPECT_EQ(mixed.at("matrix"), matrix);
    EXPECT_EQ(mixed.at("operands"), precision);
    EXPECT_EQ(outcome.output.find("for testing only") != std::string::npos,
              matrix.starts_with("dominant"));
  }
}

TEST_F(Mxp, NamesFieldsWithoutMeaningOnceAndMakesNoRunTwice) {
  write_dat({.orders = {100, 150}, .pfacts = {0, 1, 2}, .nbmins = {2, 4}, .rfacts = {0, 1}});
  const Outcome outcome = alone(mxp({}));
  EXPECT_TRUE(all_passed(outcome, 2));
  EXPECT_TRUE(shows(outcome, {"# remark: without effect on HPL-MxP, whose panels have no pivots: "
                              "PFACT, NBMIN, NDIV, RFACT"}));
}

TEST_F(Mxp, FillsTheFormWithTheRateOfHplBesideIt) {
  ASSERT_TRUE(all_passed(alone(mxp("-N 200 --NB 32")), 1));
  ASSERT_TRUE(all_passed(alone("--no-attainable -N 150 --device cpu --json hpl.json"), 1));
  const auto form = [&](const Words& files) { return report("--mxp -o -" + files); };
  const Outcome both = form("run.json hpl.json");
  EXPECT_TRUE(ended_with(both, 0, {"hpl.json, run 1, N = 150, native FP64, residual passed"}));
  EXPECT_NE(form("run.json").output.find(" none  ("), std::string::npos);
  EXPECT_EQ(form("hpl.json").exit_code, 2);
}

TEST_F(Mxp, IsPredictedByTheRatesOfItsOwnOperations) {
  constexpr int kSeconds = 300;
  const Outcome measured =
      mpirun(1, "rates --mxp --device cpu --device-memory 64M --threads 1 -o rates.json", kSeconds);
  ASSERT_EQ(measured.exit_code, 0) << describe(measured);
  const auto rates = json_file("rates.json");
  EXPECT_EQ(rates.at("mixed").at("spec").at("operands"), "fp32");
  EXPECT_TRUE(rates.at("row_copy").is_null()) << "no rows are swapped";

  const Words run = "--rates rates.json -N 600 --NB 64 --threads 1";
  const Outcome compared = alone(mxp(run));
  EXPECT_TRUE(all_passed(compared, 1));
  EXPECT_TRUE(shows(compared, {" s by the simulated model, got "}));
  EXPECT_GT(document().at("runs").at(0).at("expected").at("seconds"), 0);
  const Outcome predicted = program(Words{HPL_PREDICT_PATH} + "--mxp rates.json -N 600 --NB 64");
  EXPECT_TRUE(ended_with(predicted, 0, {"HPL-MxP: FP32 products"}));

  EXPECT_TRUE(refused(alone(mxp(run) + "--precision fp16"),
                      "give xhpl rates and the run the same flags of HPL-MxP"));
}

TEST_F(Mxp, PlansWithItsOwnMemory) {
  const Outcome plan = alone("plan --mxp --device cpu -N 1000 --storage 16");
  EXPECT_TRUE(ended_with(plan, 0, {"MR11H16G"}));
}

using Emulation = XhplTest;

TEST_F(Emulation, SolvesOnEveryGridUnderALabelOfItsOwn) {
  const Outcome outcome = mpirun(4,
                                 "-N 300 --NB 24 -P 1,2,2 -Q 1,1,2 --arithmetic emulated:14 "
                                 "--device cpu --verify 1 --json run.json");
  EXPECT_TRUE(all_passed(outcome, 3));
  EXPECT_TRUE(shows(outcome,
                    {"\nER11R2R4", "\n# arithmetic: FP64 emulated by 14 INT8 products, Ozaki II"}));
  EXPECT_FALSE(shows(outcome, {"\nWR"}));
  const auto document = json_file("run.json");
  for (const auto& run : document.at("runs")) {
    EXPECT_EQ(run.at("spec").at("variant"), "ER11R2R4");
    EXPECT_EQ(run.at("spec").at("emulated_moduli"), 14);
    EXPECT_EQ(run.at("spec").at("arithmetic"), "FP64 emulated by 14 INT8 products, Ozaki II");
  }
  // No form of the lists takes it, by itself or beside a slower run.
  const auto form = [&](const Words& files) { return report("--top500 -o form.json" + files); };
  const Outcome none = form("run.json");
  EXPECT_TRUE(ended_with(none, 2, {"found run.json: 3 runs, the fastest run "}));
  EXPECT_FALSE(std::filesystem::exists(directory() / "form.json"));
  ASSERT_TRUE(all_passed(alone("--no-attainable -N 20 --json native.json"), 1));
  ASSERT_EQ(form("run.json native.json").exit_code, 0);
  const auto filled = json_file("form.json");
  EXPECT_EQ(filled.at("left_out").at(0).at("file"), "run.json");
  EXPECT_NE(read_file("form.json").find("native.json, run 1, residual passed"), std::string::npos);
}

TEST_F(Emulation, SolvesForWideRowsOfUByResiduesOfTheInverse) {
  const auto hash = [&](const char* solve_rows) {
    const Words words =
        "-N 640 --NB 512 -P 2 -Q 2 --arithmetic emulated:14 --device cpu --verify 1 "
        "--json run.json --solve-rows";
    EXPECT_TRUE(all_passed(mpirun(4, words + solve_rows), 1));
    return json_file("run.json").at("runs").at(0).at("solution_hash");
  };
  EXPECT_NE(hash("50"), hash("0"));
}

TEST_F(Emulation, HasTheSameBitsInBothPipelinesAndWithTheMatrixInHostMemory) {
  const Words common =
      "-N 1000 --NB 32 -P 1 -Q 2 --no-check --arithmetic emulated:12 --device cpu --json run.json";
  Outcome outcome;
  const auto hash = [&](const Words& words) {
    outcome = mpirun(2, words + common);
    EXPECT_TRUE(all_passed(outcome, 1));
    return json_file("run.json").at("runs").at(0).at("solution_hash");
  };
  const auto fine = hash("--pipeline fine");
  EXPECT_EQ(hash("--pipeline coarse"), fine);
  EXPECT_EQ(hash("--matrix host --device-memory 6M"), fine);
  EXPECT_TRUE(shows(outcome, {"# remark: matrix in host memory"}));
}

}  // namespace
}  // namespace hpl::test
