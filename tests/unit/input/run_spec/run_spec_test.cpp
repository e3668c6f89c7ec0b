#include "hpl/input/run_spec/run_spec.h"

#include <utility>

#include <gtest/gtest.h>

#include "hpl/base/text/text_value.h"

namespace hpl {
namespace {

TEST(VariantCode, IsNetlibs) {
  RunSpec spec;
  spec.recursive_variant = PanelVariant::Crout;
  EXPECT_EQ(variant_code(spec), "WR11C2R4");
  spec.rank_order = RankOrder::ColumnMajor;
  spec.depth = 0;
  spec.broadcast = BroadcastVariant::LongM;
  spec.recursive_variant = PanelVariant::Left;
  spec.recursion_divisor = 3;
  spec.panel_variant = PanelVariant::Crout;
  spec.recursion_stop = 16;
  EXPECT_EQ(variant_code(spec), "WC05L3C16");
}

TEST(VariantCode, OfAnEmulatedRunIsNotTakenForNetlibs) {
  RunSpec spec;
  EXPECT_EQ(arithmetic_text(spec), "FP64");
  spec.emulated_moduli = 14;
  EXPECT_EQ(variant_code(spec), "ER11R2R4");
  EXPECT_EQ(arithmetic_text(spec), "FP64 emulated by 14 INT8 products, Ozaki II");
  EXPECT_TRUE(describe_variant(spec).ends_with(
      "(right-looking), tail update in FP64 emulated by 14 INT8 products, Ozaki II"));
}

TEST(DescribeVariant, SaysWhatTheLettersMean) {
  RunSpec spec;
  spec.recursive_variant = PanelVariant::Crout;
  EXPECT_EQ(describe_variant(spec),
            "row-major ranks, look-ahead of depth 1, 1ringM broadcast, panels split recursively in "
            "2 (Crout-looking) down to 4 columns (right-looking)");
}

TEST(ModeLabel, NamesEveryArithmeticThatIsNotPlain) {
  RunSpec spec;
  EXPECT_EQ(mode_label(spec), "");
  spec.emulated_moduli = 14;
  EXPECT_EQ(mode_label(spec),
            "FP64 emulated by 14 INT8 products, Ozaki II (tail update; all else FP64)");
}

MixedSpec dominant_of_bf16() {
  return {.entries = MixedEntries::DominantIcl,
          .operands = hpcx::Precision::Bf16,
          .storage = hpcx::Precision::Fp32,
          .solver = MixedSolver::Plain};
}

TEST(MixedRun, HasACodeThatNoScriptTakesForNetlibs) {
  EXPECT_EQ(variant_code(make_mixed({}, {})), "MR11H16G");
  EXPECT_EQ(variant_code(
                make_mixed({.rank_order = RankOrder::ColumnMajor, .depth = 2}, dominant_of_bf16())),
            "MC21B32P");
}

TEST(MixedRun, IsLabelledWithFormatsMatrixAndSolver) {
  EXPECT_EQ(mode_label(make_mixed({}, {})),
            "HPL-MxP: FP16 products, FP16 storage, conforming matrix, GMRES");
  EXPECT_EQ(mode_label(make_mixed({}, {.diagonal = 0.5})),
            "HPL-MxP: FP16 products, FP16 storage, conforming matrix with c = 0.5, GMRES");
  const RunSpec other = make_mixed({}, dominant_of_bf16());
  EXPECT_EQ(mode_label(other),
            "HPL-MxP: BF16 (not IEEE) products, FP32 storage, dominant:icl matrix (for testing "
            "only), plain refinement");
  EXPECT_EQ(arithmetic_text(other), mode_label(other));
  EXPECT_EQ(describe_variant(other),
            "row-major ranks, look-ahead of depth 1, 1ringM broadcast, " + mode_label(other));
}

TEST(MixedRun, IsAnotherThanOneOfHplOrOfOtherFormats) {
  const RunSpec hpl{.order = 2000};
  const RunSpec mixed = make_mixed(hpl, {});
  for (const RunSpec& other :
       {hpl, make_mixed(hpl, {.entries = MixedEntries::FasiHigham}),
        make_mixed(hpl, {.diagonal = 2}), make_mixed(hpl, {.operands = hpcx::Precision::Bf16}),
        make_mixed(hpl, {.storage = hpcx::Precision::Fp32}),
        make_mixed(hpl, {.solver = MixedSolver::Plain})}) {
    const auto difference = run_difference(mixed, other);
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->one, "arithmetic " + mode_label(mixed));
    EXPECT_EQ(difference->other, "arithmetic " + arithmetic_text(other));
  }
}

TEST(MixedRun, LeavesNoTraceOfFieldsWithoutMeaning) {
  const RunSpec odd{.recursive_variant = PanelVariant::Crout,
                    .recursion_divisor = 3,
                    .panel_variant = PanelVariant::Left,
                    .recursion_stop = 9,
                    .swap = SwapVariant::BinaryExchange,
                    .swap_threshold = 1,
                    .transposed_l1 = false,
                    .transposed_u = false,
                    .equilibrate = false};
  EXPECT_FALSE(run_difference(make_mixed({}, {}), make_mixed(odd, {})));
}

TEST(RunDifference, NamesThePropertyAsEachRunHasIt) {
  const RunSpec run{.order = 2000};
  EXPECT_FALSE(run_difference(run, run));
  const auto difference = run_difference(run, {.order = 3000});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->one, "N = 2000");
  EXPECT_EQ(difference->other, "N = 3000");
}

TEST(RunDifference, EveryPropertyCounts) {
  const RunSpec run{.order = 2000};
  const std::pair<RunSpec, const char*> others[] = {
      {{.order = 2000, .emulated_moduli = 14},
       "arithmetic FP64 emulated by 14 INT8 products, "
       "Ozaki II"},
      {{.order = 2000, .checksums = true}, "checksums"},
      {{.order = 2000, .matrix = MatrixRequest::Host}, "--matrix host"},
      {{.order = 2000, .device_memory = 1 << 30}, "--device-memory 1073741824"},
      {{.order = 2000, .threshold = 1e300}, "threshold 1e+300"},
      {{.order = 2000, .threshold = 0}, "threshold 0"},
      {{.order = 2000, .block_size = 64}, "NB = 64"},
      {{.order = 2000, .grid_rows = 2}, "2 x 1"},
      {{.order = 2000, .depth = 0}, "variant WR01R2R4"},
      {{.order = 2000, .swap = SwapVariant::Mix}, "SWAP mix"},
      {{.order = 2000, .swap_threshold = 1}, "swap threshold 1"},
      {{.order = 2000, .transposed_l1 = false}, "L1 plain"},
      {{.order = 2000, .transposed_u = false}, "U plain"},
      {{.order = 2000, .equilibrate = false}, "equilibration no"},
      {{.order = 2000, .alignment = 16}, "alignment 16"},
  };
  for (const auto& [other, text] : others) {
    const auto difference = run_difference(run, other);
    ASSERT_TRUE(difference) << text;
    EXPECT_EQ(difference->other, text);
  }
}

TEST(RunDifference, NoCheckIsTheSameHoweverItWasAskedFor) {
  EXPECT_FALSE(run_difference({.threshold = 0}, {.threshold = -1}));
}

TEST(ToString, NamesEveryVariant) {
  EXPECT_EQ(to_string(PanelVariant::Left), "left");
  EXPECT_EQ(to_string(PanelVariant::Crout), "Crout");
  EXPECT_EQ(to_string(PanelVariant::Right), "right");
  EXPECT_EQ(to_string(BroadcastVariant::Ring1), "1ring");
  EXPECT_EQ(to_string(BroadcastVariant::Ring1M), "1ringM");
  EXPECT_EQ(to_string(BroadcastVariant::Ring2), "2ring");
  EXPECT_EQ(to_string(BroadcastVariant::Ring2M), "2ringM");
  EXPECT_EQ(to_string(BroadcastVariant::Long), "long");
  EXPECT_EQ(to_string(BroadcastVariant::LongM), "longM");
  EXPECT_EQ(to_string(SwapVariant::BinaryExchange), "binary-exchange");
  EXPECT_EQ(to_string(SwapVariant::SpreadRoll), "spread-roll");
  EXPECT_EQ(to_string(SwapVariant::Mix), "mix");
  EXPECT_EQ(to_string(RankOrder::RowMajor), "row-major");
  EXPECT_EQ(to_string(RankOrder::ColumnMajor), "column-major");
}

TEST(ParseInteger, TakesWholeNumbersOnly) {
  EXPECT_EQ(parse_integer("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_integer("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(parse_integer("+7"), 7);
  EXPECT_EQ(parse_integer("007"), 7);
  for (const auto* text : {"", "+", "-", "+-7", "++7", "9223372036854775808", "7.", " 7", "7 "}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  }
}

TEST(ParseReal, TakesFiniteDecimalsOnly) {
  EXPECT_EQ(parse_real("+1.5E+1"), 15.0);
  EXPECT_EQ(parse_real("-.5"), -0.5);
  for (const auto* text : {"", "nan", "-inf", "infinity", "1e400", "1d3", "1,5", "0x1p3"}) {
    EXPECT_EQ(parse_real(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace hpl
