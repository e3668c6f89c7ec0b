#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "failing_run.h"
#include "support/cpu_device.h"
#include "support/forwarding_device.h"
#include "support/whole_run.h"

namespace hpl {
namespace {

/// The ways in which the product of the tail update fails.
enum class Failure { WhenEnqueued, WhenRun };

/// A device whose `last`-th product fails.
class FailingDevice final : public test::ForwardingDevice {
 public:
  FailingDevice(hpcx::Device& device, Failure failure, int last)
      : ForwardingDevice(device), failure_(failure), left_(last) {}

 private:
  void gemm(hpcx::StreamRef stream, const hpcx::MatrixProduct& product) override {
    if (--left_ == 0) {
      if (failure_ == Failure::WhenEnqueued) throw std::runtime_error("the product fails");
      stream.host_task([] { throw std::runtime_error("the product fails"); });
    }
    ForwardingDevice::gemm(stream, product);
  }
  Failure failure_;
  std::atomic<int> left_;
};

class FailingRun : public testing::TestWithParam<PipelineKind> {
 protected:
  mpi::Communicator alone() const { return mpi::Communicator::world().split(world_.rank(), 0); }

  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_P(FailingRun, RethrowsWhatAStepCallbackThrows) {
  const mpi::Communicator self = alone();
  for (const std::int64_t step : {0, 5, 11}) {
    const auto device = test::open_cpu(2);
    const auto fail = [step](const StepRecord& record) {
      if (record.step == step) throw std::runtime_error("enough");
    };
    EXPECT_EQ(test::message_of([&] {
                test::run_whole(*device, self, test::small_run(1, 1),
                                {.pipeline = GetParam(), .on_step = fail});
              }),
              "enough");
  }
}

TEST_P(FailingRun, RethrowsWhatTheDeviceRefuses) {
  const mpi::Communicator self = alone();
  for (const int product : {1, 2, 10, 30}) {
    const auto device = test::open_cpu(2);
    FailingDevice failing(*device, Failure::WhenEnqueued, product);
    EXPECT_EQ(test::message_of([&] {
                test::run_whole(*device, self, test::small_run(1, 1),
                                {.pipeline = GetParam(), .factorizing_device = &failing});
              }),
              "the product fails");
  }
}

TEST_P(FailingRun, RethrowsWhatFailsLaterOnTheDevice) {
  const mpi::Communicator self = alone();
  for (const int product : {1, 2, 10, 30})
    for (const int threads : {1, 2}) {
      const auto device = test::open_cpu(threads);
      FailingDevice failing(*device, Failure::WhenRun, product);
      EXPECT_EQ(test::message_of([&] {
                  test::run_whole(*device, self, test::small_run(1, 1),
                                  {.pipeline = GetParam(), .factorizing_device = &failing});
                }),
                "the product fails");
    }
}

INSTANTIATE_TEST_SUITE_P(Pipelines, FailingRun,
                         testing::Values(PipelineKind::Coarse, PipelineKind::Fine),
                         [](const auto& test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace hpl
