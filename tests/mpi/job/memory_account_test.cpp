#include "hpl/machine/decide/run_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "support/counting_device.h"
#include "support/cpu_device.h"
#include "support/whole_run.h"

namespace hpl {
namespace {

struct Case {
  std::string name;
  RunSpec spec;  ///< but for the grid
  test::RunSetup setup;
};

std::vector<Case> cases() {
  return {
      {"coarse", {.order = 301, .block_size = 24}, {.pipeline = PipelineKind::Coarse}},
      {"checksums", {.order = 301, .block_size = 24, .checksums = true}, {}},
      {"without look-ahead", {.order = 301, .block_size = 24, .depth = 0}, {.solve_rows = 16}},
      {"look-ahead of three",
       {.order = 301, .block_size = 24, .depth = 3, .checksums = true},
       {.pipeline = PipelineKind::Coarse}},
      {"one wide chunk", {.order = 301, .block_size = 24}, {.chunk_columns = 100'000}},
      {"a leading dimension of its own", {.order = 255, .block_size = 32, .alignment = 64}, {}},
      {"columns in host memory",
       {.order = 301, .block_size = 24, .checksums = true},
       {.visits = {.resident_columns = 70, .steps = 3, .columns = 12}}},
      {"host that takes part",
       {.order = 301, .block_size = 24},
       {.visits = {.resident_columns = 70, .steps = 2}, .host_share = HostShare{0.3, false}}},
      {"emulated products", {.order = 301, .block_size = 24, .emulated_moduli = 14}, {}},
      {"emulated products for wide rows of U",
       {.order = 640, .block_size = 512, .emulated_moduli = 14},
       {.solve_rows = 50}},
      {"ranks that own nothing", {.order = 20, .block_size = 16, .checksums = true}, {}},
      {"one block wider than the matrix", {.order = 20, .block_size = 64}, {}},
      {"binary exchange",
       {.order = 64, .block_size = 8, .swap = SwapVariant::BinaryExchange, .equilibrate = false},
       {}},
  };
}

/// The largest allocation from the generation of the matrix to the solution, against the account of
/// each rank.
void expect_the_account(hpcx::Device& inner, hpcx::Device& host,
                        std::optional<bool> shares_host_memory, bool device_panel) {
  const mpi::Communicator world = mpi::Communicator::world();
  for (const test::GridShape& shape : test::grids_of(world.size()))
    for (const auto& [name, blank, made_for] : cases()) {
      const testing::ScopedTrace trace(
          __FILE__, __LINE__,
          name + " on " + std::to_string(shape.rows) + " x " + std::to_string(shape.columns));
      RunSpec spec = blank;
      spec.grid_rows = shape.rows;
      spec.grid_columns = shape.columns;
      test::CountingDevice device(inner, shares_host_memory);
      MemoryBytes most;
      test::RunSetup setup = made_for;
      setup.device_panel = device_panel;
      setup.host_device = device.shares_host_memory() ? nullptr : &host;
      // Pieces of another length than the program's are counted apart, below.
      setup.transport =
          inner.shares_host_memory() ? TransportKind::MpiDevice : TransportKind::MpiHost;
      setup.on_solved = [&] { most = device.most(); };
      EXPECT_TRUE(test::run_whole(device, world, spec, setup).residual.passed);
      EXPECT_EQ(device.live(), MemoryBytes{});

      RunSettings settings;
      settings.stages.device_panel = device_panel;
      settings.stages.emulated_moduli = spec.emulated_moduli;
      settings.stages.solve_rows = setup.solve_rows;
      settings.stages.schedule.look_ahead = spec.depth;
      settings.stages.schedule.chunk_columns = setup.chunk_columns;
      settings.stages.schedule.visits = setup.visits;
      settings.stages.schedule.host_takes_part = setup.host_share.has_value();
      const ProcessGrid grid(world, shape.rows, shape.columns, spec.rank_order);
      MemoryAccount account =
          memory_account(spec, local_shape(spec, grid.position()), settings, facts_of(device));
      account.staging.host = inner.shares_host_memory() ? 0 : 2 * 3 * setup.piece_bytes;
      // These the back end allocates for itself, not through the device that counts; of the panel
      // solver's at most the mailboxes, through which devices of a process column work together.
      const MemoryBytes solver = account.panel_solver;
      account.panel_solver = account.blas_workspace = {};
      account.matrix.host = 0;  // nor does the device allocate host memory for a matrix
      const bool with_mailboxes = device_panel && shape.rows > 1;
      EXPECT_GE(most.device, account.allocated().device);
      EXPECT_LE(most.device, account.allocated().device + (with_mailboxes ? solver.device : 0));
      EXPECT_EQ(most.host, account.allocated().host);
    }
}

TEST(MemoryAccount, IsWhatARunAllocatesOnTheHost) {
  const auto cpu = test::open_cpu(1);
  expect_the_account(*cpu, *cpu, std::nullopt, false);
}

TEST(MemoryAccount, IsWhatARunAllocatesOnADeviceWithMemoryOfItsOwn) {
  const auto device = test::open_cpu(1), host = test::open_cpu(1);
  expect_the_account(*device, *host, false, false);
}

/// On every kind of GPU, with either kind of panel.
class MemoryAccountOfAGpu : public testing::TestWithParam<hpcx::Backend> {};

TEST_P(MemoryAccountOfAGpu, IsWhatARunAllocates) {
  const std::string reason = hpcx::why_unavailable(GetParam());
  if (!reason.empty()) GTEST_SKIP() << reason;
  const std::vector<hpcx::DeviceProperties> devices = hpcx::list_devices();
  const auto count = std::ranges::count(devices, GetParam(), &hpcx::DeviceProperties::backend);
  const int ranks = mpi::Communicator::world().size();
  if (ranks > count) GTEST_SKIP() << "a device for each rank is needed";
  const auto gpu =
      hpcx::open_device({.backend = GetParam(), .index = mpi::Communicator::world().rank()});
  const auto host = test::open_cpu(1);
  expect_the_account(*gpu, *host, std::nullopt, false);
  expect_the_account(*gpu, *host, std::nullopt, true);
}

INSTANTIATE_TEST_SUITE_P(BackEnds, MemoryAccountOfAGpu,
                         testing::Values(hpcx::Backend::Cuda, hpcx::Backend::Hip),
                         [](const auto& parameter) {
                           return std::string(hpcx::to_string(parameter.param));
                         });

}  // namespace
}  // namespace hpl
