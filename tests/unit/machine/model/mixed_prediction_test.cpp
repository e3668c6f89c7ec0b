#include <string>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/machine/model/machine_sheet.h"
#include "hpl/machine/model/prediction.h"
#include "made_up_machine.h"
#include "support/message_of.h"

namespace hpl {
namespace {

using hpcx::Precision;
using test::spec_of;

/// Products alone take time, as those of HPL-MxP in these formats.
Rates only_mixed_products(const MixedSpec& mixed) {
  Rates rates = test::only_products();
  rates.mixed = MixedRates{.spec = mixed,
                           .iterations = 3,
                           .factor_gelements = test::always(2, test::kNoLimit),
                           .matrix_gelements = test::kNoLimit};
  rates.row_copy_gbytes = {};
  return rates;
}

/// In one thread, so that all tasks add up.
Prediction serial(ModelKind kind, const RunSpec& spec, const Rates& rates) {
  return predict(kind, decided_run(spec, rates, {.pipeline = PipelineKind::Serial}), rates);
}

std::string refusal(ModelKind kind, const RunSpec& spec, const Rates& rates) {
  return test::message_of<ConfigError>([&] { serial(kind, spec, rates); });
}

// N = 2048, NB = 1024, 1000 GFLOP/s: the only product has C of 1024 x 1024, and takes 2.147483648
// ms.
TEST(MixedPrediction, AddsUpTheTasksOfARun) {
  const MixedSpec mixed;
  Rates rates = only_mixed_products(mixed);
  rates.device_panel->seconds = test::always(2, 0.01);
  rates.solve_gflops = test::always(2, 1000);
  rates.memory_gbytes = 1;  // 4 bytes for an element of L21 on its way back
  rates.mixed->factor_gelements = test::always(2, 1);
  rates.mixed->matrix_gelements = 2;
  const RunSpec spec = make_mixed(spec_of(2048, 1024), mixed);
  const Prediction run = serial(ModelKind::Simulated, spec, rates);
  EXPECT_NEAR(run.busy[Phase::Multiply], 2.147483648e-3, 1e-9);
  EXPECT_NEAR(run.busy[Phase::PanelFactorization], 2 * 0.01, 1e-9);
  EXPECT_NEAR(run.busy[Phase::Solve], 1.073741824e-3, 1e-9);
  EXPECT_NEAR(run.busy[Phase::RowSwap], 0, 1e-9);
  EXPECT_EQ(run.busy[Phase::BackSubstitution], 0);
  // Three iterations, and the residual behind them.
  const double factors = 4.194304e-3, product = 2.097152e-3;
  EXPECT_NEAR(run.busy[Phase::Refinement], 3 * (factors + product) + product, 1e-9);
  EXPECT_NEAR(run.seconds,
              2.147483648e-3 + 0.02 + 1.073741824e-3 + 4.194304e-3 + 3 * factors + 4 * product,
              1e-8);
  EXPECT_EQ(serial(ModelKind::Sampled, spec, rates).seconds, run.seconds);
}

TEST(MixedPrediction, ConvertsPanelsOfAMatrixInMoreBits) {
  const MixedSpec mixed{.storage = Precision::Fp32};
  Rates rates = only_mixed_products(mixed);
  const RunSpec spec = make_mixed(spec_of(2048, 1024), mixed);
  const double before = serial(ModelKind::Simulated, spec, rates).seconds;
  rates.memory_gbytes = 1;
  // Panels of 2048 and 1024 rows, then L21 of 1024: 6 bytes for each element.
  EXPECT_NEAR(serial(ModelKind::Simulated, spec, rates).seconds - before,
              6e-9 * (2048 + 1024 + 1024) * 1024, 1e-8);
}

TEST(MixedPrediction, SendsFewBitsDownTheColumns) {
  const MixedSpec mixed{.solver = MixedSolver::Plain};
  Rates rates = only_mixed_products(mixed);
  for (LinkRates& link : rates.links)  // 1 GB/s, without latency
    link.seconds = {{{1, 1e12}}, {1e-9, 1e3}};
  const Prediction run =
      serial(ModelKind::Simulated, make_mixed(spec_of(2048, 1024, 2, 1), mixed), rates);
  // Two bytes an element: an inverse in each step, U12 in the first.
  EXPECT_NEAR(run.busy[Phase::PanelFactorization], 2 * 2.097152e-3, 1e-8);
  EXPECT_NEAR(run.busy[Phase::RowSwap], 2.097152e-3, 1e-8);
}

// Without compute time. An iteration has one product and one solution by the factors, in two steps
// for each triangle.
TEST(MixedPrediction, PricesTheMessagesOfTheVectorsOfARefinement) {
  const MixedSpec mixed{.solver = MixedSolver::Plain};
  Rates rates = only_mixed_products(mixed);
  for (LinkRates& link : rates.links)  // 1 GB/s, without latency
    link.seconds = {{{1, 1e12}}, {1e-9, 1e3}};
  const auto refinement = [&](int rows, int columns) {
    return serial(ModelKind::Simulated, make_mixed(spec_of(2048, 1024, rows, columns), mixed),
                  rates)
        .busy[Phase::Refinement];
  };
  // A column: half of x for the product; pieces of FP32 down two levels of its tree with four
  // processes; three numbers.
  EXPECT_NEAR(refinement(2, 1), 3e-9 * (8 * 1024 + 4 * 4 * 1024 + 3 * 8), 1e-9);
  EXPECT_NEAR(refinement(4, 1), 3e-9 * (8 * 1536 + 2 * 4 * 4 * 1024 + 2 * 3 * 8), 1e-9);
  // A row: A x there and back, the solution to all; pieces of FP64.
  EXPECT_NEAR(refinement(1, 2), 3e-9 * (3 * 8 * 1024 + 4 * 8 * 1024), 1e-9);
  EXPECT_NEAR(refinement(1, 4), 3e-9 * (3 * 8 * 1536 + 2 * 4 * 8 * 1024), 1e-9);
}

TEST(MixedPrediction, SharesTheFactorsAmongProcessColumns) {
  const MixedSpec mixed{.solver = MixedSolver::Plain};
  Rates rates = only_mixed_products(mixed);
  for (LinkRates& link : rates.links)  // almost nothing
    link.seconds = {{{1, 1e12}}, {1e-15, 1e-15}};
  rates.mixed->factor_gelements = test::always(2, 1);
  const auto refinement = [&](int columns, std::int64_t block) {
    return serial(ModelKind::Simulated, make_mixed(spec_of(16384, block, 1, columns), mixed), rates)
        .busy[Phase::Refinement];
  };
  EXPECT_NEAR(refinement(1, 1024), 3e-9 * 16384 * 16384, 1e-9);
  // Each process column has half of the columns; each step waits for one block of rows.
  EXPECT_NEAR(refinement(2, 1024), 3e-9 * 16384 * (8192 + 2 * 1024), 1e-9);
  // With few steps they work one after another.
  EXPECT_NEAR(refinement(4, 8192), 3e-9 * 16384 * 16384, 1e-9);
}

TEST(MixedPrediction, IsRefusedByRatesOfAnotherBenchmark) {
  const MixedSpec half, single{.operands = Precision::Fp32, .storage = Precision::Fp32};
  const RunSpec hpl = spec_of(2048, 1024), mxp = make_mixed(hpl, half);
  const Rates of_hpl = test::only_products(), of_mxp = only_mixed_products(half);
  EXPECT_EQ(refusal(ModelKind::Simulated, mxp, of_mxp), "no error");
  EXPECT_EQ(refusal(ModelKind::Simulated, mxp, of_hpl),
            "the rates of made up are those of HPL, and the run is one of HPL-MxP (FP16 products, "
            "FP16 storage, conforming matrix, GMRES); give xhpl rates and the run the same flags "
            "of HPL-MxP, or none");
  for (const auto& [spec, rates] :
       {std::pair(hpl, of_mxp), std::pair(make_mixed(hpl, single), of_mxp)})
    EXPECT_NE(refusal(ModelKind::Sampled, spec, rates).find("are those of HPL-MxP (FP16"),
              std::string::npos);
}

}  // namespace
}  // namespace hpl
