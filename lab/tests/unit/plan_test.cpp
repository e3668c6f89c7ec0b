#include "gemm/plan/plan.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "support/message_of.h"

namespace hpl::gemm {
namespace {

constexpr std::int64_t kMegabyte = 1 << 20;

std::vector<PlanSpec> cases() {
  std::vector<PlanSpec> all;
  for (const Shape shape :
       {Shape{1, 1, 1}, {100, 100, 100}, {1000, 700, 300}, {333, 2000, 65}, {64, 64, 5000}})
    for (const Variant variant : choice_values(kVariants))
      for (const std::int64_t bytes : {kMegabyte / 8, kMegabyte, 64 * kMegabyte})
        for (const int streams : {1, 3})
          all.push_back({.shape = shape,
                         .variant = variant,
                         .loads_c = streams == 1,
                         .device_bytes = bytes,
                         .least_piece = 64,
                         .streams = streams});
  return all;
}

std::string text(const Plan& plan) {
  const PlanSpec& spec = plan.spec;
  return std::string(to_string(spec.variant)) + " " + std::to_string(spec.shape.rows) + " x " +
         std::to_string(spec.shape.cols) + " x " + std::to_string(spec.shape.depth) + " in " +
         std::to_string(spec.device_bytes) + " bytes";
}

/// Goes through the steps and follows what lies where.
void follow(const Plan& plan) {
  SCOPED_TRACE(text(plan));
  using Piece = std::pair<std::int64_t, std::int64_t>;
  std::map<int, Piece> a, b;                     // by slot
  std::map<int, std::int64_t> a_read, b_read;    // last step that read the slot
  std::map<int, std::int64_t> c_stored;          // last store from the buffer
  std::map<Piece, std::set<std::int64_t>> done;  // pieces of depth that a block has
  std::int64_t open = -1;                        // block being computed
  for (std::int64_t s = 0; s < static_cast<std::int64_t>(plan.steps.size()); ++s) {
    const Step& step = plan.steps[static_cast<std::size_t>(s)];
    const Piece of_a{step.row, step.depth}, of_b{step.depth, step.col};
    ASSERT_TRUE(step.a_slot >= 0 && step.a_slot < plan.a_slots);
    ASSERT_TRUE(step.b_slot >= 0 && step.b_slot < plan.b_slots);
    ASSERT_TRUE(step.c_buffer >= 0 && step.c_buffer < plan.c_buffers);
    if (step.load_a) {
      EXPECT_EQ(step.a_after, a_read.contains(step.a_slot) ? a_read[step.a_slot] : -1) << s;
      a[step.a_slot] = of_a;
    }
    if (step.load_b) {
      EXPECT_EQ(step.b_after, b_read.contains(step.b_slot) ? b_read[step.b_slot] : -1) << s;
      b[step.b_slot] = of_b;
    }
    ASSERT_EQ(a[step.a_slot], of_a) << "step " << s << " reads another piece of A";
    ASSERT_EQ(b[step.b_slot], of_b) << "step " << s << " reads another piece of B";
    a_read[step.a_slot] = b_read[step.b_slot] = s;
    EXPECT_EQ(step.first, open != step.block);
    EXPECT_EQ(step.load_c, step.first && plan.spec.loads_c);
    if (step.first) {
      EXPECT_EQ(step.block, open + 1);
      EXPECT_EQ(s, plan.first_step_of(step.block));
      EXPECT_EQ(step.c_after, c_stored.contains(step.c_buffer) ? c_stored[step.c_buffer] : -1) << s;
      open = step.block;
    }
    const Piece of_c{step.row, step.col};
    EXPECT_TRUE(done[of_c].insert(step.depth).second);
    if (step.last) {
      EXPECT_EQ(s, plan.last_step_of(step.block));
      EXPECT_EQ(static_cast<std::int64_t>(done[of_c].size()), plan.depth.count);
      c_stored[step.c_buffer] = s;
    }
  }
  EXPECT_EQ(static_cast<std::int64_t>(done.size()), plan.blocks());
}

TEST(Plan, ReadsNothingThatIsNotThereAndOverwritesNothingThatIsStillRead) {
  for (const PlanSpec& spec : cases())
    follow(make_plan(spec));
}

TEST(Plan, StaysInTheMemoryThatItMayUse) {
  for (const PlanSpec& spec : cases()) {
    const Plan plan = make_plan(spec);
    EXPECT_LE(plan.device_bytes(), spec.device_bytes) << text(plan);
  }
}

TEST(Plan, LoadsTwoStripsAUnitAndWithDataReuseOneMoreThanUnits) {
  PlanSpec spec{.shape = {4096, 4096, 512},
                .variant = Variant::DoubleBuffering,
                .device_bytes = 14 * kMegabyte,
                .piece = 256};
  const Plan without = make_plan(spec);
  spec.variant = Variant::DataReuse;
  const Plan with = make_plan(spec);
  const std::int64_t units = with.units_down * with.units_across;
  ASSERT_GT(with.units_down, 1);
  ASSERT_GT(with.units_across, 1);
  ASSERT_EQ(without.units_down * without.units_across, units);
  const auto strip = [&](std::int64_t pieces, std::int64_t count) {
    return 8 * spec.shape.depth * 256 * ((pieces + count - 1) / count);
  };
  const std::int64_t a = strip(with.rows.count, with.units_down);
  const std::int64_t b = strip(with.cols.count, with.units_across);
  EXPECT_LE(with.traffic().a, with.units_down * a);
  EXPECT_LE(with.traffic().b, (units - with.units_down + 1) * b);
  // Without, every unit loads both; strips at the edge may be shorter.
  EXPECT_EQ(without.traffic().a, with.units_across * least_traffic(spec.shape, true).a);
  EXPECT_EQ(without.traffic().b, with.units_down * least_traffic(spec.shape, true).b);
}

TEST(Plan, LoadsEverythingOnceWhereAStripOfOneSideFits) {
  for (const Shape shape : {Shape{4096, 1024, 512}, {1024, 4096, 512}, {2048, 2048, 512}}) {
    const Plan plan = make_plan({.shape = shape,
                                 .variant = Variant::DataPlacement,
                                 .device_bytes = 16 * kMegabyte,
                                 .piece = 256});
    const Traffic least = least_traffic(shape, true);
    EXPECT_EQ(plan.traffic().in(), least.in()) << text(plan);
    EXPECT_EQ(plan.traffic().c_out, least.c_out) << text(plan);
  }
}

TEST(Plan, CutsTheDepthWhereAPieceWouldNotFit) {
  const Plan plan = make_plan({.shape = {256, 256, 100000}, .device_bytes = 8 * kMegabyte});
  EXPECT_GT(plan.depth.count, 1);
  EXPECT_GE(plan.depth.longest(), plan.rows.longest());
  follow(plan);
}

TEST(Plan, HasABufferForEachBlockOnItsWay) {
  const auto buffers = [](Variant variant, std::int64_t bytes) {
    return make_plan({.shape = {2048, 2048, 128},
                      .variant = variant,
                      .device_bytes = bytes,
                      .piece = 256,
                      .streams = 3})
        .c_buffers;
  };
  EXPECT_EQ(buffers(Variant::Plain, 64 * kMegabyte), 1);
  EXPECT_EQ(buffers(Variant::DoubleBuffering, 64 * kMegabyte), 2);
  EXPECT_EQ(buffers(Variant::DataReuse, 64 * kMegabyte), 2);
  EXPECT_EQ(buffers(Variant::DataPlacement, 8 * kMegabyte), 5);
  EXPECT_EQ(buffers(Variant::DataPlacement, 64 * kMegabyte), 7) << "room to run ahead";
}

TEST(Plan, CutsLargeMatricesIntoMultiplesOfTheTilesOfKernels) {
  const Plan plan = make_plan(
      {.shape = {65536, 40000, 4096}, .device_bytes = std::int64_t{64} << 30, .least_piece = 2048});
  EXPECT_EQ(plan.rows.longest() % 256, 0);
  EXPECT_EQ(plan.cols.longest() % 256, 0);
  EXPECT_EQ(plan.traffic().in(), least_traffic(plan.spec.shape, true).in());
  follow(plan);
}

TEST(Plan, SaysHowMuchMemoryIsNeededAtLeast) {
  EXPECT_EQ(test::message_of<ConfigError>([&] {
              make_plan({.shape = {4096, 4096, 4096}, .device_bytes = kMegabyte, .piece = 1024});
            }),
            "1.0 MB of device memory hold no product of 1024 x 1024 blocks of C: 34 MB are "
            "needed at least");
  EXPECT_THROW(make_plan({.shape = {4096, 4096, 4096}, .device_bytes = 100}), ConfigError);
  EXPECT_THROW(
      make_plan({.shape = {1 << 20, 1 << 20, 16}, .device_bytes = 64 * kMegabyte, .piece = 16}),
      ConfigError);
}

TEST(Pieces, AreEvenAndCoverTheDimension) {
  for (const std::int64_t size : {1, 16, 100, 1000, 4099})
    for (const std::int64_t longest : {16, 48, 256, 5000}) {
      const Pieces pieces = Pieces::of(size, longest, 16);
      std::int64_t end = 0;
      for (std::int64_t i = 0; i < pieces.count; ++i) {
        EXPECT_EQ(pieces.begin(i), end);
        EXPECT_GT(pieces.length(i), 0) << size << " in pieces of " << longest;
        EXPECT_LE(pieces.length(i), pieces.longest());
        end += pieces.length(i);
      }
      EXPECT_EQ(end, size);
      EXPECT_LE(pieces.longest(), std::max(longest, std::int64_t{16}));
    }
}

}  // namespace
}  // namespace hpl::gemm
