#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "hpl/check/deep/deep_check.h"
#include "support/cpu_device.h"
#include "support/forwarding_device.h"

namespace hpl {
namespace {

/// Rungs of a device, multiplied by those of the host.
class PretendedLadder : public hpcx::Ladder {
 public:
  explicit PretendedLadder(hpcx::Ladder& host) : host_(host) {}

  std::vector<hpcx::LadderRung> rungs() const override {
    return {{hpcx::LadderKind::Elements, 4},
            {hpcx::LadderKind::Tiles, 1},
            {hpcx::LadderKind::Tiles, 2},
            {hpcx::LadderKind::Library, 0}};
  }
  void multiply(hpcx::StreamRef stream, hpcx::LadderRung rung,
                const hpcx::LadderProduct& product) override {
    const bool in_fp64 = std::holds_alternative<hpcx::BasicProduct<double>>(product);
    if (in_fp64 && fails) throw std::runtime_error("this product is refused");
    if (in_fp64 && rung.kind == idle) return;
    host_.multiply(stream, {hpcx::LadderKind::Simd, 0}, product);
  }
  void tall_skinny_r(hpcx::StreamRef stream, hpcx::ConstMatrixView a, double* work,
                     hpcx::MatrixView r) override {
    host_.tall_skinny_r(stream, a, work, r);
  }

  bool fails = false;
  hpcx::LadderKind idle = hpcx::LadderKind::Loops;  ///< in FP64

 private:
  hpcx::Ladder& host_;
};

/// The host, which says that its memory is its own.
class PretendedDevice : public test::ForwardingDevice {
 public:
  explicit PretendedDevice(hpcx::Device& host) : ForwardingDevice(host), products(*host.ladder()) {}
  bool shares_host_memory() const override { return false; }
  hpcx::Ladder* ladder() override { return &products; }
  hpcx::StartTimes start_times() const override {
    return {.context = 0.25, .modules = 0.125, .first_allocation = 0.5};
  }

  PretendedLadder products;
};

/// Bytes for each probe: enough for a few panels. The largest product that fits is made first.
constexpr std::int64_t kMemory = std::int64_t{4} << 20;

class DeepCheck : public testing::Test {
 protected:
  DeepSetup setup() {
    return {.device = device_,
            .host = *host_,
            .world = world_,
            .node = node_,
            .seconds = 0.2,
            .memory_bytes = kMemory};
  }
  static std::map<std::string, DeepFigure> by_key(const DeepResult& result) {
    EXPECT_EQ(result.failed, "");
    EXPECT_EQ(result.skipped, "");
    std::map<std::string, DeepFigure> figures;
    for (const DeepFigure& figure : result.figures) {
      EXPECT_TRUE(figures.emplace(figure.key, figure).second) << figure.key;
      EXPECT_GT(figure.value, 0) << figure.key;
      if (figure.error) {
        EXPECT_LE(*figure.error, 1) << figure.key;
      }
    }
    return figures;
  }

  mpi::Communicator world_ = mpi::Communicator::world();
  mpi::Communicator node_ = world_.split_shared();
  std::unique_ptr<hpcx::Device> host_ = test::open_cpu(1);
  PretendedDevice device_{*host_};
};

TEST_F(DeepCheck, HasARateABoundAndAnErrorForEveryRungOfADevice) {
  const auto figures = by_key(measure_device_products(setup()));
  EXPECT_EQ(figures.size(), 9U);
  for (const char* const rung : {"elements_4", "tiles_1", "tiles_2", "library"})
    for (const char* const precision : {"fp64", "fp32"}) {
      const auto found = figures.find(std::string("device_") + rung + "_" + precision);
      ASSERT_NE(found, figures.end()) << rung << " " << precision;
      EXPECT_TRUE(found->second.of_device);
      EXPECT_TRUE(found->second.bound.has_value());
      EXPECT_TRUE(found->second.error.has_value());
    }
  EXPECT_DOUBLE_EQ(figures.at("device_library_fp64").share.value(), 1);
}

TEST_F(DeepCheck, ProductsThroughStreamsAreRight) {
  const auto figures = by_key(measure_streams(setup()));
  EXPECT_EQ(figures.size(), 10U);
  EXPECT_TRUE(figures.at("device_streams_6_fp32").error.has_value());
}

TEST_F(DeepCheck, CopiesAreMeasuredAloneAndTogetherOneWayAndBothWays) {
  const auto figures = by_key(measure_copies(setup()));
  for (const char* const when : {"alone", "together"})
    for (const char* const direction : {"in", "out", "both_in", "both_out"})
      EXPECT_TRUE(figures.contains(std::string("copy_") + direction + "_" + when)) << direction;
  EXPECT_EQ(figures.size(), 8U);
  EXPECT_FALSE(figures.at("copy_in_alone").share);
  EXPECT_TRUE(figures.at("copy_both_out_alone").share);
  EXPECT_TRUE(figures.at("copy_in_together").share);
}

TEST_F(DeepCheck, TallMatricesAreThoseOfHostAndDevice) {
  const auto tall = by_key(measure_tall_skinny(setup()));
  EXPECT_TRUE(tall.contains("host_tall_skinny") && tall.contains("device_tall_skinny"));
}

TEST_F(DeepCheck, TheBeginIsThatOfHostAndDevice) {
  if (world_.size() > 4) GTEST_SKIP() << "each rank touches 256 MiB";
  const auto starts = by_key(measure_starts(setup()));
  EXPECT_DOUBLE_EQ(starts.at("device_context").value, 250);
  EXPECT_DOUBLE_EQ(starts.at("device_first_allocation").value, 500);
  EXPECT_TRUE(starts.contains("host_first_touch") && starts.contains("host_second_touch"));
}

TEST_F(DeepCheck, ARungThatDoesNothingIsFoundWrong) {
  device_.products.idle = hpcx::LadderKind::Tiles;
  for (const DeepFigure& figure : measure_device_products(setup()).figures)
    if (figure.error) {
      EXPECT_EQ(*figure.error > 1,
                figure.key.starts_with("device_tiles") && figure.key.ends_with("fp64"))
          << figure.key;
    }
}

TEST_F(DeepCheck, ARankThatFailsTellsWhyAndKeepsNobodyWaiting) {
  device_.products.fails = world_.rank() == world_.size() - 1;
  const DeepResult result = measure_device_products(setup());
  if (device_.products.fails) {
    EXPECT_EQ(result.failed, "this product is refused");
  } else {
    EXPECT_EQ(by_key(result).size(), 9U);
  }
}

TEST_F(DeepCheck, OfAHostWithoutADeviceLeavesTheDevicesPartsOut) {
  const DeepSetup host_alone{.device = *host_,
                             .host = *host_,
                             .world = world_,
                             .node = node_,
                             .seconds = 0.1,
                             .memory_bytes = kMemory};
  EXPECT_EQ(measure_device_products(host_alone).skipped, "the device is the host's processor");
  EXPECT_EQ(measure_streams(host_alone).skipped, "the device is the host's processor");
  EXPECT_EQ(measure_copies(host_alone).skipped, "the device shares the host's memory");
  const auto latencies = by_key(measure_latency(host_alone));
  EXPECT_TRUE(latencies.contains("chase_8192"));
}

}  // namespace
}  // namespace hpl
