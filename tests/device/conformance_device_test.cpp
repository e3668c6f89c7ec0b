#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "device_fixture.h"
#include "hpcx/error.h"
#include "support/message_of.h"

namespace hpcx::conformance {
namespace {

class DeviceItself : public DeviceTest {};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(DeviceItself);

TEST_P(DeviceItself, NamesItselfAsListed) {
  EXPECT_EQ(device_->properties().backend, GetParam().backend);
  EXPECT_EQ(device_->properties().index, GetParam().index);
  EXPECT_FALSE(device_->properties().name.empty());
  EXPECT_GE(device_->properties().compute_units, 1);
  EXPECT_TRUE(why_unavailable(GetParam().backend).empty());
}

TEST_P(DeviceItself, KnowsItsMemory) {
  const MemoryInfo memory = device_->memory();
  EXPECT_GT(memory.total, std::int64_t{1} << 28);
  EXPECT_GT(memory.free, 0);
  EXPECT_LE(memory.free, memory.total);
}

TEST_P(DeviceItself, AlignsItsMemoryAndTheStreamKnowsItsDevice) {
  for (const std::size_t bytes : {1u, 8u, 1000u, 100001u}) {
    const Buffer buffer = device_->allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.as<void>()) % 256, 0u);
    EXPECT_EQ(buffer.bytes(), bytes);
  }
  EXPECT_EQ(device_->allocate(0).bytes(), 0u);
  EXPECT_EQ(device_->allocate_pinned(0).bytes(), 0u);
  EXPECT_EQ(&stream_.ref().device(), device_.get());
}

TEST_P(DeviceItself, SaysOutOfMemoryAndGoesOn) {
  EXPECT_THROW(static_cast<void>(device_->allocate(std::size_t{1} << 56)), OutOfMemory);
  const Buffer small = device_->allocate(800);
  device_->kernels().fill(stream_, 3.0, {small.as<double>(), 100, 1, 100});
  EXPECT_EQ(download<double>(small, 100)[99], 3.0);
}

TEST_P(DeviceItself, RunsEveryIterationOfAParallelLoopOnce) {
  std::vector<std::atomic<int>> runs(1000);
  device_->parallel_for(1000, [&](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
  EXPECT_TRUE(std::all_of(runs.begin(), runs.end(), [](const auto& n) { return n == 1; }));
  device_->parallel_for(0, [&](std::int64_t) { FAIL() << "there is nothing to run"; });
}

TEST_P(DeviceItself, RunsAParallelLoopInsideAHostTask) {
  std::atomic<std::int64_t> sum = 0;
  stream_.ref().host_task([&] { device_->parallel_for(100, [&](std::int64_t i) { sum += i; }); });
  stream_.ref().synchronize();
  EXPECT_EQ(sum, 4950);
}

TEST_P(DeviceItself, AParallelLoopThrowsWhatItsBodyThrew) {
  EXPECT_THROW(device_->parallel_for(10,
                                     [](std::int64_t i) {
                                       if (i == 3) throw std::runtime_error("iteration 3");
                                     }),
               std::runtime_error);
}

/// A sensor that is not there says nothing; one that is reads neither nothing nor nonsense.
void expect_between(const char* what, const std::optional<double>& value, double least,
                    double most) {
  if (!value) return;
  EXPECT_GT(*value, least) << what;
  EXPECT_LT(*value, most) << what;
}

TEST_P(DeviceItself, ReadsItsSensorsWithoutHarm) {
  const TelemetrySample first = device_->telemetry().sample();
  const TelemetrySample second = device_->telemetry().sample();
  for (const TelemetrySample& sample : {first, second}) {
    expect_between("clock, MHz", sample.clock_mhz, 0, 1e5);
    expect_between("temperature, degrees Celsius", sample.temperature_celsius, -273, 150);
    expect_between("power, W", sample.power_watts, -1e-9, 1e5);
    for (const std::string& reason : sample.throttle_reasons)
      EXPECT_FALSE(reason.empty());
  }
  EXPECT_EQ(first.clock_mhz.has_value(), second.clock_mhz.has_value());
  EXPECT_EQ(first.temperature_celsius.has_value(), second.temperature_celsius.has_value());
}

TEST_P(DeviceItself, TellsItsConditionWithoutHarm) {
  const DeviceHealth health = device_->telemetry().health();
  EXPECT_EQ(health.pci_address.empty(), GetParam().backend == Backend::Cpu);
  expect_between("highest clock, MHz", health.maximum_clock_mhz, 0, 1e5);
  expect_between("power limit, W", health.power_limit_watts, 0, 1e5);
  expect_between("power limit of the maker, W", health.default_power_limit_watts, 0, 1e5);
  if (health.uncorrected_errors && health.uncorrected_errors_ever) {
    EXPECT_GE(*health.uncorrected_errors, 0);
    EXPECT_LE(*health.uncorrected_errors, *health.uncorrected_errors_ever);
  }
  // Of one device: what was told once is told again.
  EXPECT_EQ(device_->telemetry().health().pci_address, health.pci_address);
}

TEST_P(DeviceItself, RefusesAnIndexThatIsNotThere) {
  if (GetParam().backend == Backend::Cpu) GTEST_SKIP() << "the host has one CPU device";
  EXPECT_THROW(open_device({.backend = GetParam().backend, .index = 1000, .cpu = {}}), Error);
  EXPECT_THROW(open_device({.backend = GetParam().backend, .index = -1, .cpu = {}}), Error);
}

class AbsentBackend : public testing::TestWithParam<Backend> {};

std::vector<Backend> absent_backends() {
  std::vector<Backend> absent;
  for (const auto& [backend, name] : kBackends)
    if (!why_unavailable(backend).empty()) absent.push_back(backend);
  return absent;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AbsentBackend);
INSTANTIATE_TEST_SUITE_P(Of, AbsentBackend, testing::ValuesIn(absent_backends()),
                         [](const auto& absent) { return std::string(to_string(absent.param)); });

TEST_P(AbsentBackend, IsRefusedWithItsReason) {
  const std::string reason = why_unavailable(GetParam());
  EXPECT_EQ(hpl::test::message_of<Error>(
                [&] { open_device({.backend = GetParam(), .index = 0, .cpu = {}}); }),
            reason);
  for (const DeviceProperties& device : list_devices())
    EXPECT_NE(device.backend, GetParam());
  GTEST_SKIP() << "no " << to_string(GetParam()) << " device is tested: " << reason;
}

TEST(ListOfDevices, AlwaysHasTheCpu) {
  const auto devices = list_devices();
  EXPECT_TRUE(std::any_of(devices.begin(), devices.end(),
                          [](const auto& device) { return device.backend == Backend::Cpu; }));
}

}  // namespace
}  // namespace hpcx::conformance
