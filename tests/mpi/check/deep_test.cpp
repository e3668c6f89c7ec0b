#include <map>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "hpl/check/deep/deep_check.h"
#include "support/cpu_device.h"
#include "support/forwarding_device.h"

namespace hpl {
namespace {

/// The host, which says that its memory is its own.
class PretendedDevice : public test::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  bool shares_host_memory() const override { return false; }
  hpcx::Buffer allocate(std::size_t bytes) override {
    if (fails) throw std::runtime_error("this memory is refused");
    return ForwardingDevice::allocate(bytes);
  }
  hpcx::StartTimes start_times() const override {
    return {.context = 0.25, .modules = 0.125, .first_allocation = 0.5};
  }

  bool fails = false;
};

/// Bytes for each probe.
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
    }
    return figures;
  }

  mpi::Communicator world_ = mpi::Communicator::world();
  mpi::Communicator node_ = world_.split_shared();
  std::unique_ptr<hpcx::Device> host_ = test::open_cpu(1);
  PretendedDevice device_{*host_};
};

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

TEST_F(DeepCheck, TheBeginIsThatOfHostAndDevice) {
  if (world_.size() > 4) GTEST_SKIP() << "each rank touches 256 MiB";
  const auto starts = by_key(measure_starts(setup()));
  EXPECT_DOUBLE_EQ(starts.at("device_context").value, 250);
  EXPECT_DOUBLE_EQ(starts.at("device_first_allocation").value, 500);
  EXPECT_TRUE(starts.contains("host_first_touch") && starts.contains("host_second_touch"));
}

TEST_F(DeepCheck, ARankThatFailsTellsWhyAndKeepsNobodyWaiting) {
  device_.fails = world_.rank() == world_.size() - 1;
  const DeepResult result = measure_copies(setup());
  if (device_.fails) {
    EXPECT_EQ(result.failed, "this memory is refused");
  } else {
    EXPECT_EQ(by_key(result).size(), 8U);
  }
}

TEST_F(DeepCheck, OfAHostWithoutADeviceLeavesTheDevicesPartsOut) {
  const DeepSetup host_alone{.device = *host_,
                             .host = *host_,
                             .world = world_,
                             .node = node_,
                             .seconds = 0.1,
                             .memory_bytes = kMemory};
  EXPECT_EQ(measure_copies(host_alone).skipped, "the device shares the host's memory");
  if (world_.size() > 4) return;  // each rank touches 256 MiB
  EXPECT_EQ(by_key(measure_starts(host_alone)).size(), 2U);
}

}  // namespace
}  // namespace hpl
