#include "hpl/job/setup/run_memory.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu_like_device.h"
#include "hpl/base/error/error.h"

namespace hpl {
namespace {

using test::gpu_settings;
using testing::HasSubstr;

class RunMemory : public testing::Test {
 protected:
  test::GpuLikeDevice gpu_;
  std::unique_ptr<hpcx::Device> cpu_ = test::open_cpu(1);
};

TEST_F(RunMemory, OfOneGpuIsTheMatrixAndItsWorkspaces) {
  const RunSpec spec{.order = 65536, .block_size = 1024};
  const MemoryAccount account = memory_account(spec, gpu_settings(), gpu_);
  constexpr std::int64_t kColumns = 65552;  // with b, a multiple of 16
  EXPECT_EQ(account.matrix.device, 8 * std::int64_t{65536} * kColumns);
  // Two panels of N rows, whose columns are not a multiple of 256 long; L11; five lists of rows.
  EXPECT_EQ(account.panels.device,
            2 * (8 * (65552 * 1024 + 1024 * 1024 + 5 * 1024) + (8 * 1025 + 255) / 256 * 256));
  EXPECT_EQ(account.exchange.device, std::int64_t{3} * 8 * 1024 * 32768);
  EXPECT_EQ(account.panel_solver.device, 2 * (1024 + 1024) * 1024);  // a narrow and a wide one
  EXPECT_EQ(account.solution.device, 8 * (65536 + 65536));
  EXPECT_EQ(account.staging, MemoryBytes{});
  EXPECT_EQ(account.blas_workspace.device, 5 * gpu_.stream_bytes());
  EXPECT_GT(account.reserve.device, 0);
}

TEST_F(RunMemory, HasAPanelWorkspaceForEachPanelAheadAndTwoAtLeast) {
  const RunSpec spec{.order = 65536, .block_size = 1024};
  RunSettings settings = gpu_settings();
  const auto panels = [&](int look_ahead) {
    settings.stages.schedule.look_ahead = look_ahead;
    return memory_account(spec, settings, gpu_).panels;
  };
  EXPECT_EQ(panels(0), panels(1));
  EXPECT_EQ(2 * panels(2), 3 * panels(1));
  EXPECT_EQ(2 * panels(3), 4 * panels(1));
}

TEST_F(RunMemory, HasMessagesInTheExchangeBuffersWhereThereAreSeveralProcessRows) {
  const RunSpec alone{.order = 65536, .block_size = 1024, .grid_columns = 2};
  RunSpec rows = alone;
  rows.grid_rows = 2;
  rows.grid_columns = 1;
  // U, and three times as much for messages.
  EXPECT_EQ(memory_account(rows, gpu_settings(), gpu_).exchange.device,
            4 * memory_account(alone, gpu_settings(), gpu_).exchange.device);
  // The solvers of a team have mailboxes for each other.
  EXPECT_GT(memory_account(rows, gpu_settings(), gpu_).panel_solver.device,
            memory_account(alone, gpu_settings(), gpu_).panel_solver.device);
}

TEST_F(RunMemory, ThroughTheHostIsItsOwnWhereTheDeviceHasMemoryOfItsOwn) {
  const RunSpec spec{.order = 4000, .block_size = 192, .grid_rows = 2, .grid_columns = 2};
  RunSettings settings;
  EXPECT_EQ(memory_account(spec, settings, *cpu_).staging, MemoryBytes{});
  settings.staged_messages = true;
  const MemoryBytes shared = memory_account(spec, settings, *cpu_).staging;
  EXPECT_GT(shared.device, 0);
  EXPECT_EQ(shared.host, 0);
  EXPECT_EQ(memory_account(spec, settings, gpu_).staging, (MemoryBytes{0, shared.device}));
  EXPECT_EQ(memory_account(spec, settings, *cpu_).total().host, 0);
}

TEST_F(RunMemory, PinsPanelsInTheHostsMemoryWhereTheHostFactorizesThem) {
  const RunSpec spec{.order = 4000, .block_size = 192};
  RunSettings settings = gpu_settings();
  const MemoryBytes by_device = memory_account(spec, settings, gpu_).panels;
  settings.stages.device_panel = false;
  const MemoryBytes by_host = memory_account(spec, settings, gpu_).panels;
  EXPECT_EQ(by_host.device, by_device.device);
  EXPECT_GT(by_host.host, 100 * by_device.host);
}

TEST_F(RunMemory, OfARunIsThatOfTheProcessWhichNeedsMost) {
  for (const std::int64_t order : {1, 100, 1000, 1024, 1025, 3000})
    for (const int rows : {1, 2, 3, 4})
      for (const int columns : {1, 2, 5})
        for (const std::vector<double>& weights :
             {std::vector<double>{}, {1, 1, 1, 1}, {1, 2, 4, 3}}) {
          RunSpec spec{.order = order,
                       .block_size = 64,
                       .grid_rows = rows,
                       .grid_columns = columns,
                       .checksums = true};
          if (!weights.empty()) {
            spec.row_weights.assign(weights.begin(), weights.begin() + rows);
            spec.column_weights.assign(static_cast<std::size_t>(columns), 1.0);
          }
          std::int64_t most = 0;
          for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column)
              most = std::max(
                  most, memory_account(spec, local_shape(spec, {row, column}), gpu_settings(), gpu_)
                            .total()
                            .device);
          EXPECT_EQ(bytes_per_rank(spec, gpu_settings(), gpu_), most)
              << "N = " << order << ", " << rows << " x " << columns
              << (weights.empty() ? " round-robin" : " by weights");
        }
}

TEST_F(RunMemory, OfAnEmptyMatrixIsNothing) {
  EXPECT_EQ(memory_account({.order = 0}, gpu_settings(), gpu_), MemoryAccount{});
}

TEST_F(RunMemory, OfTheHostReservesLittleForSmallRuns) {
  const RunSpec small{.order = 100, .block_size = 32};
  const MemoryAccount account = memory_account(small, {}, *cpu_);
  EXPECT_LE(4 * account.reserve.device, account.allocated().device);
  const RunSpec large{.order = 50'000, .block_size = 192};
  EXPECT_LT(memory_account(large, {}, *cpu_).reserve.device, std::int64_t{100} << 20);
}

RunSettings in_host_memory(RunSettings settings) {
  settings.matrix = MatrixRequest::Host;
  return settings;
}

TEST_F(RunMemory, OfAMatrixInHostMemoryFitsIntoBoth) {
  const std::int64_t gigabyte = 1'000'000'000;
  for (const std::int64_t device : {12, 25, 50, 90})
    for (const std::int64_t host : {20, 60, 130}) {
      const MemoryBounds memory{{device * gigabyte, "device"}, {host * gigabyte, "host"}};
      for (const int rows : {1, 2}) {
        RunSpec spec{.order = 400'000, .block_size = 1024, .grid_rows = rows};
        RunSettings settings = in_host_memory(gpu_settings());
        spec.order = largest_order(spec, settings, gpu_, memory, 1024);
        place_matrix(spec, settings, gpu_, memory);
        const MemoryAccount account = memory_account(spec, settings, gpu_);
        EXPECT_LE(account.total().device, memory.device.bytes);
        EXPECT_LE(account.total().host, memory.host.bytes);
        // The process and its libraries need host memory too, but do not pin it.
        const std::int64_t pinned = account.allocated().host;
        EXPECT_GE(account.total().host, pinned + 2 * gigabyte);
        EXPECT_THAT(describe(account),
                    HasSubstr("pinned in the host's memory " + bytes_text(pinned)));
        EXPECT_NO_THROW(check_memory({spec}, {settings}, gpu_, memory));
        // More than either alone would hold.
        const double bytes =
            8.0 * static_cast<double>(spec.order) * static_cast<double>(spec.order);
        EXPECT_GT(bytes / rows, 0.8 * static_cast<double>(memory.host.bytes - 4 * gigabyte));
        spec.order += 1024;
        place_matrix(spec, settings, gpu_, memory);
        EXPECT_THROW(check_memory({spec}, {settings}, gpu_, memory), ConfigError);
      }
    }
}

TEST_F(RunMemory, OfAHostThatIsTheDeviceIsRefusedWithAllThatIsNeededOfIt) {
  const RunSpec spec{.order = 50'000, .block_size = 256};
  RunSettings settings = in_host_memory({});
  const MemoryBound device{3'000'000'000, "--device-memory"};
  const auto complaint = [&](std::int64_t bytes) -> std::string {
    const MemoryBounds memory{device, {bytes, "host"}};
    place_matrix(spec, settings, *cpu_, memory);
    try {
      check_memory({spec}, {settings}, *cpu_, memory);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return {};
  };
  place_matrix(spec, settings, *cpu_, {device, {40'000'000'000, "host"}});
  const MemoryBytes needed = memory_account(spec, settings, *cpu_).total();
  const std::int64_t sum = needed.host + needed.device;
  EXPECT_EQ(complaint(sum), "");
  // Enough for the part in host memory, not for the device's beside it.
  EXPECT_THAT(complaint(sum - 1),
              HasSubstr(fmt::format("needs {} of host memory on a rank, but", bytes_text(sum))));
}

TEST_F(RunMemory, KeepsOnTheDeviceWhatFitsThere) {
  const RunSpec spec{.order = 100'000, .block_size = 2048};
  const MemoryBound host{200'000'000'000, "host"};
  std::int64_t before = 0;
  for (const std::int64_t device : {30, 50, 70, 90}) {
    RunSettings settings = in_host_memory(gpu_settings());
    place_matrix(spec, settings, gpu_, {{device * 1'000'000'000, "device"}, host});
    const VisitPolicy visits = settings.stages.schedule.visits;
    EXPECT_GT(visits.resident_columns, before) << device;
    before = visits.resident_columns;
  }
  RunSettings settings = in_host_memory(gpu_settings());
  place_matrix(spec, settings, gpu_, {{100'000'000'000, "device"}, host});
  EXPECT_EQ(memory_account(spec, settings, gpu_).matrix.host, 0) << "all of it";
}

TEST_F(RunMemory, KeepsPanelsInHostMemoryWhereTheHostTakesPart) {
  const RunSpec spec{.order = 100'000, .block_size = 2048};
  const MemoryBound host{200'000'000'000, "host"};
  RunSettings alone = in_host_memory(gpu_settings());
  RunSettings together = alone;
  together.host_takes_part = true;
  for (RunSettings* const settings : {&alone, &together})
    place_matrix(spec, *settings, gpu_, {{50'000'000'000, "device"}, host});
  EXPECT_FALSE(alone.stages.schedule.host_takes_part);
  EXPECT_TRUE(together.stages.schedule.host_takes_part);
  const MemoryAccount without = memory_account(spec, alone, gpu_);
  const MemoryAccount with = memory_account(spec, together, gpu_);
  EXPECT_EQ(with.total().device, without.total().device);
  const int panels = panel_workspaces(together.stages.schedule);
  EXPECT_GT(with.panels.host, without.panels.host + panels * std::int64_t{8} * 99'000 * 2048);
  EXPECT_GT(with.reserve.host, without.reserve.host);
  // Nothing is held where the device has all of the matrix.
  place_matrix(spec, together, gpu_, {{100'000'000'000, "device"}, host});
  EXPECT_FALSE(together.stages.schedule.host_takes_part);
}

TEST_F(RunMemory, MakesVisitsOfMoreStepsWhereLessStaysOnTheDevice) {
  const RunSpec spec{.order = 110'592, .block_size = 1024};
  const MemoryBound host{200'000'000'000, "host"};
  const auto steps = [&](std::int64_t device) {
    RunSettings settings = in_host_memory(gpu_settings());
    place_matrix(spec, settings, gpu_, {{device * 1'000'000'000, "device"}, host});
    return settings.stages.schedule.visits.steps;
  };
  EXPECT_GT(steps(20), steps(50));
  EXPECT_GT(steps(50), steps(90));
  RunSettings three_stage = in_host_memory(gpu_settings());
  three_stage.host_schedule = HostSchedule::ThreeStage;
  place_matrix(spec, three_stage, gpu_, {{50'000'000'000, "device"}, host});
  EXPECT_EQ(three_stage.stages.schedule.visits.steps, 1);
  EXPECT_EQ(three_stage.stages.schedule.visits.resident_columns, 0);
}

TEST_F(RunMemory, NamesTheBlockSizeAndTheMemoryThatHideCopies) {
  RunSettings settings = gpu_settings();
  settings.matrix = MatrixRequest::Host;
  RunSpec spec{.order = 110592, .block_size = 2048};
  const MemoryBounds memory{{12'230'000'000, "test"}, {200'000'000'000, "test"}};
  const std::string advice = advice_on_copies(spec, settings, gpu_, memory);
  EXPECT_THAT(advice, HasSubstr("NB = 1"));
  EXPECT_THAT(advice, HasSubstr("of device memory"));
  spec.block_size = 1024;
  EXPECT_EQ(advice_on_copies(spec, settings, gpu_, memory), "");
  settings.matrix = MatrixRequest::Device;
  EXPECT_EQ(advice_on_copies(spec, settings, gpu_, memory), "");
}

TEST_F(RunMemory, ChunksStandBetweenVisitsUnlessTheirWidthIsAskedFor) {
  const RunSpec spec{.order = 100'000, .block_size = 1024};
  const MemoryBounds memory{{30'000'000'000, "device"}, {200'000'000'000, "host"}};
  RunSettings settings = in_host_memory(gpu_settings());
  settings.stages.schedule.chunk_columns = 32768;
  RunSettings given = settings;
  given.chunk_is_given = true;
  place_matrix(spec, settings, gpu_, memory);
  place_matrix(spec, given, gpu_, memory);
  EXPECT_EQ(settings.stages.schedule.chunk_columns, 4096);
  EXPECT_EQ(given.stages.schedule.chunk_columns, 32768);
}

TEST_F(RunMemory, LargestOrderIsTheLastThatFits) {
  for (const std::int64_t step : {1, 7, 64})
    for (const std::int64_t bytes : {2'000'000, 5'000'000, 20'000'000}) {
      const RunSpec spec{.order = 1500, .block_size = 64, .grid_columns = 2};
      const auto needs = [&](std::int64_t order) {
        RunSpec candidate = spec;
        candidate.order = order;
        return bytes_per_rank(candidate, {}, *cpu_);
      };
      const std::int64_t order =
          largest_order(spec, {}, *cpu_, {{bytes, "test"}, {bytes, "test"}}, step);
      EXPECT_EQ(order % step, 0);
      EXPECT_LE(needs(order), bytes);
      for (std::int64_t more = order + step; more <= spec.order; more += step)
        ASSERT_GT(needs(more), bytes) << more << " fits as well, not only " << order;
    }
}

TEST_F(RunMemory, LargestOrderIsZeroWhereNothingFits) {
  EXPECT_EQ(largest_order({.order = 5000, .block_size = 64}, {}, *cpu_,
                          {{1000, "test"}, {1000, "test"}}, 64),
            0);
}

TEST_F(RunMemory, OfTheLargestOrdersIsRefusedWhateverItsWorkspaces) {
  const MemoryBound petabyte{std::int64_t{1} << 50, "a petabyte"};
  const MemoryBounds memory{petabyte, petabyte};
  RunSettings settings = gpu_settings();
  settings.stages.schedule.chunk_columns = 1'000'000'000;
  for (const std::int64_t block_size : {1'000, 250'000'000, 500'000'000, 1'000'000'000})
    for (const int rows : {1, 4}) {
      const RunSpec spec{.order = 1'000'000'000, .block_size = block_size, .grid_rows = rows};
      EXPECT_THROW(check_memory({spec}, {settings}, gpu_, memory), ConfigError) << block_size;
    }
}

TEST_F(RunMemory, ThatIsNotThereIsRefusedByItsPartsAndWithWhatFits) {
  const RunSpec spec{.order = 188416, .block_size = 2048, .grid_rows = 2, .grid_columns = 1};
  const MemoryBounds memory{{149'550'000'000, "free memory of the device"}, {0, "none"}};
  try {
    check_memory({spec}, {gpu_settings()}, gpu_, memory);
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    EXPECT_THAT(text, HasSubstr("N = 188416 on a 2 x 1 grid needs 153."));
    EXPECT_THAT(text, HasSubstr("(matrix 142.01 GB, panel workspaces 3.2"));
    EXPECT_THAT(text, HasSubstr("149.55 GB are available (free memory of the device)"));
    const std::int64_t fits = largest_order(spec, gpu_settings(), gpu_, memory, spec.block_size);
    EXPECT_THAT(text,
                HasSubstr("the largest N that fits with NB = 2048 is " + std::to_string(fits)));
    RunSpec smaller = spec;
    smaller.order = fits;
    EXPECT_NO_THROW(check_memory({smaller}, {gpu_settings()}, gpu_, memory));
  }
}

TEST_F(RunMemory, OfRanksThatShareAGpuFitsIntoItTogether) {
  const RunSpec spec{.order = 65536, .block_size = 1024, .grid_rows = 2};
  const std::int64_t needed = bytes_per_rank(spec, gpu_settings(), gpu_);
  const auto check = [&](std::int64_t free_bytes, int ranks) {
    check_memory({spec}, {gpu_settings()}, gpu_,
                 {device_memory_per_rank(free_bytes, ranks), {0, "none"}});
  };
  EXPECT_NO_THROW(check(needed, 1));
  EXPECT_THROW(check(needed, 2), ConfigError);
  EXPECT_THROW(check(2 * needed - 1, 2), ConfigError);
  EXPECT_NO_THROW(check(2 * needed, 2));
}

}  // namespace
}  // namespace hpl
