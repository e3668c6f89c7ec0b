#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hpcx/error.h"
#include "support/cpu_device.h"
#include "support/forwarding_device.h"
#include "support/whole_run.h"

namespace hpl {
namespace {

/// A device on which an element of a product of the tail update comes out wrong: that with this
/// number, none when it is negative.
class SpoilingDevice final : public test::ForwardingDevice {
 public:
  SpoilingDevice(hpcx::Device& device, int product) : ForwardingDevice(device), left_(product) {}

 private:
  void gemm(hpcx::StreamRef stream, const hpcx::MatrixProduct& product) override {
    ForwardingDevice::gemm(stream, product);
    if (product.alpha == -1.0 && left_-- == 0)
      stream.device().kernels().fill(stream, 100.0, product.c.block(3, 2, 1, 1));
  }

  int left_;
};

/// Every GPU back end against the CPU device. Ranks have a device each where there are enough, and
/// share them else: then the panel is the host's where there are several process rows.
class GpuSolution : public testing::TestWithParam<hpcx::Backend> {
 protected:
  void SetUp() override {
    const std::string reason = hpcx::why_unavailable(GetParam());
    if (!reason.empty()) GTEST_SKIP() << reason;
    const std::vector<hpcx::DeviceProperties> devices = hpcx::list_devices();
    const auto count = std::ranges::count(devices, GetParam(), &hpcx::DeviceProperties::backend);
    const int index = mpi::Communicator::world().rank() % static_cast<int>(count);
    gpu_ = hpcx::open_device({.backend = GetParam(), .index = index});
  }

  void expect_the_solution_of_the_cpu(bool device_panel, PipelineKind pipeline,
                                      std::int64_t solve_rows, bool pivots_by_host = false,
                                      std::optional<TransportKind> transport = {}) {
    const mpi::Communicator world = mpi::Communicator::world();
    for (const test::GridShape& shape : test::grids_of(world.size())) {
      const RunSpec spec{
          .order = 777, .block_size = 64, .grid_rows = shape.rows, .grid_columns = shape.columns};
      const test::RunSetup on_cpu{.pipeline = pipeline, .chunk_columns = 200};
      test::RunSetup on_gpu = on_cpu;
      on_gpu.solve_rows = solve_rows;
      on_gpu.host_device = cpu_.get();
      on_gpu.device_panel = device_panel;
      on_gpu.pivots_by_host = pivots_by_host;
      on_gpu.transport = transport;
      const test::RunOutcome expected = test::run_whole(*cpu_, world, spec, on_cpu);
      const test::RunOutcome outcome = test::run_whole(*gpu_, world, spec, on_gpu);
      EXPECT_TRUE(outcome.residual.passed) << shape.rows << " x " << shape.columns;
      EXPECT_LT(test::relative_distance(outcome.x, expected.x), 1e-10)
          << shape.rows << " x " << shape.columns;
    }
  }

  std::unique_ptr<hpcx::Device> cpu_ = test::open_cpu(1);
  std::unique_ptr<hpcx::Device> gpu_;
};

TEST_P(GpuSolution, AgreesWithTheCpusForTheDevicePanel) {
  expect_the_solution_of_the_cpu(true, PipelineKind::Fine, 48);
}

TEST_P(GpuSolution, AgreesWithTheCpusWherePivotsGoThroughHosts) {
  expect_the_solution_of_the_cpu(true, PipelineKind::Fine, 48, true);
  expect_the_solution_of_the_cpu(true, PipelineKind::Coarse, 48, true);
}

TEST_P(GpuSolution, AgreesWithTheCpusOutOfMappedMemory) {
  try {
    make_peer_transport(mpi::Communicator::world(), *gpu_);
  } catch (const hpcx::Error& refusal) {
    GTEST_SKIP() << refusal.what();
  }
  for (const PipelineKind pipeline : {PipelineKind::Fine, PipelineKind::Coarse})
    for (const bool device_panel : {true, false})
      expect_the_solution_of_the_cpu(device_panel, pipeline, 48, false, TransportKind::Peer);
}

TEST_P(GpuSolution, AgreesWithTheCpusForTheHostPanel) {
  expect_the_solution_of_the_cpu(false, PipelineKind::Fine, 48);
}

TEST_P(GpuSolution, AgreesWithTheCpusForTheCoarsePipelineAndTriangularSolve) {
  expect_the_solution_of_the_cpu(false, PipelineKind::Coarse, 0);
}

TEST_P(GpuSolution, HasChecksumsThatAgreeAndThatFindAWrongProduct) {
  const mpi::Communicator world = mpi::Communicator::world();
  for (const test::GridShape& shape : test::grids_of(world.size()))
    for (const bool wrong : {false, true}) {
      const RunSpec spec{.order = 777,
                         .block_size = 64,
                         .grid_rows = shape.rows,
                         .grid_columns = shape.columns,
                         .checksums = true};
      SpoilingDevice spoiling(*gpu_, wrong && world.rank() == 0 ? 0 : -1);
      const test::RunOutcome outcome = test::run_whole(*gpu_, world, spec,
                                                       {.chunk_columns = 200,
                                                        .solve_rows = 48,
                                                        .factorizing_device = &spoiling,
                                                        .host_device = cpu_.get()});
      if (wrong && world.rank() == 0) {
        ASSERT_TRUE(outcome.fault);
        EXPECT_EQ(outcome.fault->last_step, 0);
      } else if (outcome.fault) {
        EXPECT_TRUE(wrong) << outcome.fault->difference;
        EXPECT_GT(outcome.fault->last_step, 0);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(BackEnds, GpuSolution,
                         testing::Values(hpcx::Backend::Cuda, hpcx::Backend::Hip),
                         [](const auto& parameter) {
                           return std::string(hpcx::to_string(parameter.param));
                         });

}  // namespace
}  // namespace hpl
