#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "failing_run.h"
#include "support/cpu_device.h"
#include "support/whole_run.h"

namespace hpl {
namespace {

/// How the product of the tail update fails.
enum class Failure { WhenEnqueued, WhenRun };

/// A device whose `last`-th product fails.
class FailingDevice final : public hpcx::Device, private hpcx::Blas {
 public:
  FailingDevice(hpcx::Device& device, Failure failure, int last)
      : device_(device), failure_(failure), left_(last) {}

  const hpcx::DeviceProperties& properties() const override { return device_.properties(); }
  hpcx::MemoryInfo memory() const override { return device_.memory(); }
  bool shares_host_memory() const override { return device_.shares_host_memory(); }
  hpcx::Buffer allocate(std::size_t bytes) override { return device_.allocate(bytes); }
  hpcx::Buffer allocate_pinned(std::size_t bytes) override {
    return device_.allocate_pinned(bytes);
  }
  hpcx::Stream create_stream(hpcx::Priority priority) override {
    return device_.create_stream(priority);
  }
  void synchronize() override { device_.synchronize(); }
  void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body) override {
    device_.parallel_for(count, body);
  }
  hpcx::Blas& blas() override { return *this; }
  hpcx::Kernels& kernels() override { return device_.kernels(); }
  hpcx::Telemetry& telemetry() override { return device_.telemetry(); }
  std::unique_ptr<hpcx::PanelSolver> create_panel_solver(
      const hpcx::PanelSolverSpec& spec) override {
    return device_.create_panel_solver(spec);
  }
  hpcx::Interconnect* interconnect() override { return device_.interconnect(); }

 private:
  void gemm(hpcx::StreamRef stream, double alpha, hpcx::ConstMatrixView a, hpcx::ConstMatrixView b,
            double beta, hpcx::MatrixView c) override {
    if (--left_ == 0) {
      if (failure_ == Failure::WhenEnqueued) throw std::runtime_error("the product fails");
      stream.host_task([] { throw std::runtime_error("the product fails"); });
    }
    device_.blas().gemm(stream, alpha, a, b, beta, c);
  }
  void trsm(hpcx::StreamRef stream, hpcx::Triangle triangle, hpcx::Diagonal diagonal,
            hpcx::ConstMatrixView t, hpcx::MatrixView b) override {
    device_.blas().trsm(stream, triangle, diagonal, t, b);
  }
  void gemv(hpcx::StreamRef stream, double alpha, hpcx::ConstMatrixView a, hpcx::ConstVectorView x,
            double beta, hpcx::VectorView y) override {
    device_.blas().gemv(stream, alpha, a, x, beta, y);
  }

  hpcx::Device& device_;
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
