#include "hpl/machine/decide/run_memory.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "facts.h"
#include "hpcx/device.h"
#include "hpl/base/error/error.h"
#include "support/holds.h"
#include "support/message_of.h"

namespace hpl {
namespace {

using test::cpu_facts;
using test::gpu_facts;
using test::in_host_memory;
using test::kGigabyte;
using test::with_memory;
using testing::HasSubstr;

/// As decide() chooses for one GPU.
RunSettings gpu_settings() {
  return decide({.order = 65536, .block_size = 1024}, gpu_facts(), {});
}
MemoryAccount gpu_account(const RunSpec& spec) {
  return memory_account(spec, gpu_settings(), gpu_facts());
}
VisitPolicy visits_of(const RunSpec& spec, const Facts& facts, const Wishes& wishes) {
  return decide(spec, facts, wishes).stages.schedule.visits;
}

TEST(RunMemory, OfOneGpuIsTheMatrixAndItsWorkspaces) {
  const RunSpec spec{.order = 65536, .block_size = 1024};
  const MemoryAccount account = decide(spec, gpu_facts(), {}).memory;
  constexpr std::int64_t kColumns = 65552;  // with b, a multiple of 16
  EXPECT_EQ(account.matrix.device, 8 * std::int64_t{65536} * kColumns);
  // Two panels of N rows, whose columns are not a multiple of 256 long; L11; five lists of rows.
  EXPECT_EQ(account.panels.device,
            2 * (8 * (65552 * 1024 + 1024 * 1024 + 5 * 1024) + (8 * 1025 + 255) / 256 * 256));
  EXPECT_EQ(account.exchange.device, std::int64_t{3} * 8 * 1024 * 32768);
  EXPECT_EQ(account.panel_solver.device,
            2 * hpcx::gpu_panel_solver_bytes({.max_cols = 1024}));  // a narrow and a wide one
  EXPECT_EQ(account.solution.device, 8 * (65536 + 65536));
  EXPECT_EQ(account.staging, MemoryBytes{});
  EXPECT_EQ(account.blas_workspace.device, 5 * gpu_facts().stream_bytes);
  EXPECT_GT(account.reserve.device, 0);
}

TEST(RunMemory, OfSeveralThreadsHasThePackedOperandsOfTheLargestProduct) {
  const auto packed = [](const RunSpec& spec, int threads) {
    return decide(spec, cpu_facts(threads), {}).memory.blas_workspace.device;
  };
  // Rows, and columns of the widest chunk, in groups of 96.
  RunSpec spec{.order = 20000, .block_size = 192};
  EXPECT_EQ(packed(spec, 4), 8 * 192 * 96 * (209 + 42));
  EXPECT_EQ(packed(spec, 3), 0);
  spec.emulated_moduli = 15;
  EXPECT_EQ(packed(spec, 4), 0);
  // A part at a time.
  EXPECT_EQ(packed({.order = 200000, .block_size = 1024}, 8), 8 * 384 * 96 * (342 + 43));
}

TEST(RunMemory, HasWhatTransportsHaveTakenInPlaceOfAnEstimateForEachCommunicator) {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  RunSpec spec{.order = 65536, .block_size = 1024};
  Facts facts = gpu_facts();
  const auto reserve = [&](int rows, int columns) {
    spec.grid_rows = rows;
    spec.grid_columns = columns;
    return memory_account(spec, gpu_settings(), facts).reserve.device;
  };
  EXPECT_EQ(reserve(1, 4), (256 + 1024) * kMiB);
  EXPECT_EQ(reserve(2, 2), (256 + 2 * 1024) * kMiB);
  facts.link_bytes = 300 * kMiB;
  EXPECT_EQ(reserve(1, 4), (256 + 300) * kMiB);
  EXPECT_EQ(reserve(2, 2), (256 + 300) * kMiB);
}

TEST(RunMemory, HasAPanelWorkspaceForEachPanelAheadAndTwoAtLeast) {
  const RunSpec spec{.order = 65536, .block_size = 1024};
  RunSettings settings = gpu_settings();
  const auto panels = [&](int look_ahead) {
    settings.stages.schedule.look_ahead = look_ahead;
    return memory_account(spec, settings, gpu_facts()).panels;
  };
  EXPECT_EQ(panels(0), panels(1));
  EXPECT_EQ(2 * panels(2), 3 * panels(1));
  EXPECT_EQ(2 * panels(3), 4 * panels(1));
}

TEST(RunMemory, HasMessagesInTheExchangeBuffersWhereThereAreSeveralProcessRows) {
  const RunSpec alone{.order = 65536, .block_size = 1024, .grid_columns = 2};
  RunSpec rows = alone;
  rows.grid_rows = 2;
  rows.grid_columns = 1;
  // U, and three times as much for messages.
  EXPECT_EQ(gpu_account(rows).exchange.device, 4 * gpu_account(alone).exchange.device);
  // The solvers of a team have mailboxes for each other.
  EXPECT_GT(gpu_account(rows).panel_solver.device, gpu_account(alone).panel_solver.device);
}

TEST(RunMemory, PinsTheMessagesOfPanelSolversWhateverTheNumberOfProcessRows) {
  RunSpec spec{.order = 65536, .block_size = 1024, .grid_columns = 2};
  EXPECT_EQ(gpu_account(spec).panel_solver.host, 0);
  spec.grid_rows = 32;
  // A narrow and a wide solver; for each 64 moved rows that leave and 64 that arrive. The rest are
  // candidates of pivots and flags.
  const std::int64_t rows = 8 * std::int64_t{64} * 1024;
  const std::int64_t pinned = gpu_account(spec).panel_solver.host;
  EXPECT_GT(pinned, 2 * 2 * rows);
  EXPECT_LT(pinned, 2 * 2 * rows + 32768);
  spec.grid_rows = 2;
  EXPECT_EQ(gpu_account(spec).panel_solver.host, pinned);
}

TEST(RunMemory, ThroughTheHostIsItsOwnWhereTheDeviceHasMemoryOfItsOwn) {
  const RunSpec spec{.order = 4000, .block_size = 192, .grid_rows = 2, .grid_columns = 2};
  RunSettings settings;
  EXPECT_EQ(memory_account(spec, settings, cpu_facts()).staging, MemoryBytes{});
  settings.staged_messages = true;
  const MemoryBytes shared = memory_account(spec, settings, cpu_facts()).staging;
  EXPECT_GT(shared.device, 0);
  EXPECT_EQ(shared.host, 0);
  EXPECT_EQ(memory_account(spec, settings, gpu_facts()).staging, (MemoryBytes{0, shared.device}));
  EXPECT_EQ(memory_account(spec, settings, cpu_facts()).total().host, 0);
}

TEST(RunMemory, PinsPanelsInTheHostsMemoryWhereTheHostFactorizesThem) {
  const RunSpec spec{.order = 4000, .block_size = 192};
  RunSettings settings = gpu_settings();
  const MemoryBytes by_device = memory_account(spec, settings, gpu_facts()).panels;
  settings.stages.device_panel = false;
  const MemoryBytes by_host = memory_account(spec, settings, gpu_facts()).panels;
  EXPECT_EQ(by_host.device, by_device.device);
  EXPECT_GT(by_host.host, 100 * by_device.host);
}

TEST(RunMemory, OfARunIsThatOfTheProcessWhichNeedsMost) {
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
          const RunSettings settings = decide(spec, gpu_facts(), {});
          std::int64_t most = 0;
          for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column)
              most = std::max(most, memory_account(spec, local_shape(spec, {row, column}), settings,
                                                   gpu_facts())
                                        .total()
                                        .device);
          EXPECT_EQ(settings.memory.total().device, most)
              << "N = " << order << ", " << rows << " x " << columns
              << (weights.empty() ? " round-robin" : " by weights");
        }
}

TEST(RunMemory, OfAnEmptyMatrixIsNothing) {
  EXPECT_EQ(gpu_account({.order = 0}), MemoryAccount{});
}

TEST(RunMemory, OfTheHostReservesLittleForSmallRuns) {
  const RunSpec small{.order = 100, .block_size = 32};
  const MemoryAccount account = decide(small, cpu_facts(), {}).memory;
  EXPECT_LE(4 * account.reserve.device, account.allocated().device);
  const RunSpec large{.order = 50'000, .block_size = 192};
  EXPECT_LT(decide(large, cpu_facts(), {}).memory.reserve.device, std::int64_t{100} << 20);
}

TEST(RunMemory, OfAMatrixInHostMemoryFitsIntoBoth) {
  for (const std::int64_t device : {12, 25, 50, 90})
    for (const std::int64_t host : {20, 60, 130}) {
      const Facts facts = with_memory(gpu_facts(), device * kGigabyte, host * kGigabyte);
      for (const int rows : {1, 2}) {
        RunSpec spec{.order = 400'000, .block_size = 1024, .grid_rows = rows};
        const auto check = [&] {
          check_memory(spec, decide(spec, facts, in_host_memory()), facts, in_host_memory());
        };
        spec.order = largest_order(spec, facts, in_host_memory(), 1024);
        const MemoryAccount account = decide(spec, facts, in_host_memory()).memory;
        EXPECT_LE(account.total().device, facts.memory.device.bytes);
        EXPECT_LE(account.total().host, facts.memory.host.bytes);
        // The process and its libraries need host memory too, but do not pin it.
        const std::int64_t pinned = account.allocated().host;
        EXPECT_GE(account.total().host, pinned + 2 * kGigabyte);
        EXPECT_THAT(describe(account),
                    HasSubstr("pinned in the host's memory " + bytes_text(pinned)));
        EXPECT_NO_THROW(check());
        // More than either alone would hold.
        const double bytes =
            8.0 * static_cast<double>(spec.order) * static_cast<double>(spec.order);
        EXPECT_GT(bytes / rows, 0.8 * static_cast<double>(facts.memory.host.bytes - 4 * kGigabyte));
        spec.order += 1024;
        EXPECT_THROW(check(), ConfigError);
      }
    }
}

TEST(RunMemory, OfAHostThatIsTheDeviceIsRefusedWithAllThatIsNeededOfIt) {
  const RunSpec spec{.order = 50'000, .block_size = 256};
  const auto complaint = [&](std::int64_t bytes) -> std::string {
    const Facts facts = with_memory(cpu_facts(), 3 * kGigabyte, bytes);
    return test::message_of<ConfigError>([&] {
      check_memory(spec, decide(spec, facts, in_host_memory()), facts, in_host_memory());
    });
  };
  const MemoryBytes needed =
      decide(spec, with_memory(cpu_facts(), 3 * kGigabyte, 40 * kGigabyte), in_host_memory())
          .memory.total();
  const std::int64_t sum = needed.host + needed.device;
  EXPECT_EQ(complaint(sum), "no error");
  // Enough for the part in host memory, not for the device's beside it.
  EXPECT_THAT(complaint(sum - 1),
              HasSubstr(fmt::format("needs {} of host memory on a rank, but", bytes_text(sum))));
}

TEST(RunMemory, KeepsOnTheDeviceWhatFitsThere) {
  const RunSpec spec{.order = 100'000, .block_size = 2048};
  std::int64_t before = 0;
  for (const std::int64_t device : {30, 50, 70, 90}) {
    const Facts facts = with_memory(gpu_facts(), device * kGigabyte, 200 * kGigabyte);
    const std::int64_t resident = visits_of(spec, facts, in_host_memory()).resident_columns;
    EXPECT_GT(resident, before) << device;
    before = resident;
  }
  const Facts large = with_memory(gpu_facts(), 100 * kGigabyte, 200 * kGigabyte);
  EXPECT_EQ(decide(spec, large, in_host_memory()).memory.matrix.host, 0) << "all of it";
}

TEST(RunMemory, KeepsPanelsInHostMemoryWhereTheHostTakesPart) {
  const RunSpec spec{.order = 100'000, .block_size = 2048};
  const auto settings = [&](std::int64_t device, std::optional<double> share) {
    return decide(spec, with_memory(gpu_facts(), device * kGigabyte, 200 * kGigabyte),
                  {.matrix = MatrixRequest::Host, .host_share = share});
  };
  const RunSettings alone = settings(50, 0.0), together = settings(50, std::nullopt);
  EXPECT_FALSE(alone.stages.schedule.host_takes_part);
  EXPECT_TRUE(together.stages.schedule.host_takes_part);
  EXPECT_EQ(together.memory.total().device, alone.memory.total().device);
  const int panels = panel_workspaces(together.stages.schedule);
  EXPECT_GT(together.memory.panels.host,
            alone.memory.panels.host + panels * std::int64_t{8} * 99'000 * 2048);
  EXPECT_GT(together.memory.reserve.host, alone.memory.reserve.host);
  // Nothing is held where the device has all of the matrix.
  EXPECT_FALSE(settings(100, std::nullopt).stages.schedule.host_takes_part);
}

TEST(RunMemory, MakesVisitsOfMoreStepsWhereLessStaysOnTheDevice) {
  const RunSpec spec{.order = 110'592, .block_size = 1024};
  Wishes wishes = in_host_memory();
  const auto visits = [&](std::int64_t device) {
    return visits_of(spec, with_memory(gpu_facts(), device * kGigabyte, 200 * kGigabyte), wishes);
  };
  EXPECT_GT(visits(20).steps, visits(50).steps);
  EXPECT_GT(visits(50).steps, visits(90).steps);
  wishes.host_schedule = HostSchedule::ThreeStage;
  EXPECT_EQ(visits(50).steps, 1);
  EXPECT_EQ(visits(50).resident_columns, 0);
}

TEST(RunMemory, NamesTheBlockSizeAndTheMemoryThatHideCopies) {
  RunSpec spec{.order = 110592, .block_size = 2048};
  const Facts facts = with_memory(gpu_facts(), 12'230'000'000, 200 * kGigabyte);
  const auto advice = [&](const Wishes& wishes) -> std::string {
    for (const Remark& remark : decide(spec, facts, wishes).remarks)
      if (remark.about == "host memory") return remark.text;
    return {};
  };
  EXPECT_THAT(advice(in_host_memory()), HasSubstr("NB = 1"));
  EXPECT_THAT(advice(in_host_memory()), HasSubstr("of device memory"));
  spec.block_size = 1024;
  EXPECT_EQ(advice(in_host_memory()), "");
  EXPECT_EQ(advice({}), "");
}

TEST(RunMemory, ChunksStandBetweenVisitsUnlessTheirWidthIsAskedFor) {
  const RunSpec spec{.order = 100'000, .block_size = 1024};
  const Facts facts = with_memory(gpu_facts(), 30 * kGigabyte, 200 * kGigabyte);
  Wishes wishes = in_host_memory();
  EXPECT_EQ(decide(spec, facts, wishes).stages.schedule.chunk_columns, 4096);
  wishes.chunk = 32768;
  EXPECT_EQ(decide(spec, facts, wishes).stages.schedule.chunk_columns, 32768);
}

TEST(RunMemory, LargestOrderIsTheLastThatFits) {
  for (const std::int64_t step : {1, 7, 64})
    for (const std::int64_t bytes : {2'000'000, 5'000'000, 20'000'000}) {
      const RunSpec spec{.order = 1500, .block_size = 64, .grid_columns = 2};
      const auto needs = [&](std::int64_t order) {
        RunSpec candidate = spec;
        candidate.order = order;
        return decide(candidate, cpu_facts(), {}).memory.total().device;
      };
      const std::int64_t order =
          largest_order(spec, with_memory(cpu_facts(), bytes, bytes), {}, step);
      EXPECT_EQ(order % step, 0);
      EXPECT_LE(needs(order), bytes);
      for (std::int64_t more = order + step; more <= spec.order; more += step)
        ASSERT_GT(needs(more), bytes) << more << " fits as well, not only " << order;
    }
}

TEST(RunMemory, OfHplMxpIsThatOfItsStorage) {
  Facts facts = gpu_facts();
  facts.memory.device.bytes = 80'000'000'000;
  const RunSpec hpl{.order = 40'000, .block_size = 1024};
  const auto account = [&](const RunSpec& spec) { return decide(spec, facts, {}).memory; };
  const RunSpec narrow = make_mixed(hpl, {});
  const RunSpec wide = make_mixed(hpl, {.storage = hpcx::Precision::Fp32});
  EXPECT_NEAR(static_cast<double>(account(narrow).matrix.device), 2 * 40e3 * 40e3, 2e7);
  EXPECT_NEAR(static_cast<double>(account(wide).matrix.device), 4 * 40e3 * 40e3, 4e7);
  EXPECT_EQ(account(narrow).panel_solver.host, 0);
  RunSpec largest = narrow;
  largest.order = 10'000'000;
  const std::int64_t order = largest_order(largest, facts, {}, 1024);
  EXPECT_GT(order, largest_order({.order = 10'000'000, .block_size = 1024}, facts, {}, 1024));
  largest.order = order;
  EXPECT_TRUE(fits(largest, decide(largest, facts, {}), facts));
}

TEST(RunMemory, LargestOrderIsZeroWhereNothingFits) {
  EXPECT_EQ(largest_order({.order = 5000, .block_size = 64}, with_memory(cpu_facts(), 1000, 1000),
                          {}, 64),
            0);
}

/// Throws as check_memory() does where the run does not fit.
void check(const RunSpec& spec, const Facts& facts, const Wishes& wishes = {}) {
  check_memory(spec, decide(spec, facts, wishes), facts, wishes);
}

TEST(RunMemory, OfTheLargestOrdersIsRefusedWhateverItsWorkspaces) {
  constexpr std::int64_t kPetabyte = std::int64_t{1} << 50;
  const Facts facts = with_memory(gpu_facts(), kPetabyte, kPetabyte);
  for (const std::int64_t block_size : {1'000, 250'000'000, 500'000'000, 1'000'000'000})
    for (const int rows : {1, 4}) {
      const RunSpec spec{.order = 1'000'000'000, .block_size = block_size, .grid_rows = rows};
      EXPECT_THROW(check(spec, facts, {.chunk = 1'000'000'000}), ConfigError) << block_size;
    }
}

TEST(RunMemory, ThatIsNotThereIsRefusedByItsPartsAndWithWhatFits) {
  const RunSpec spec{.order = 188416, .block_size = 2048, .grid_rows = 2, .grid_columns = 1};
  const Facts facts = with_memory(gpu_facts(), 149'550'000'000, 0);
  RunSpec smaller = spec;
  smaller.order = largest_order(spec, facts, {}, spec.block_size);
  EXPECT_NO_THROW(check(smaller, facts));
  EXPECT_TRUE(test::holds(
      test::message_of<ConfigError>([&] { check(spec, facts); }),
      {"N = 188416 on a 2 x 1 grid needs 153.", "(matrix 142.01 GB, panel workspaces 3.2",
       "149.55 GB are available (free memory of the device)",
       "the largest N that fits with NB = 2048 is " + std::to_string(smaller.order)}));
}

TEST(RunMemory, OfRanksThatShareAGpuFitsIntoItTogether) {
  const RunSpec spec{.order = 65536, .block_size = 1024, .grid_rows = 2};
  const std::int64_t needed = decide(spec, gpu_facts(), {}).memory.total().device;
  const auto of_shared = [&](std::int64_t free_bytes, int ranks) {
    Facts facts = gpu_facts();
    facts.memory.device = device_memory_per_rank(free_bytes, ranks);
    check(spec, facts);
  };
  EXPECT_NO_THROW(of_shared(needed, 1));
  EXPECT_THROW(of_shared(needed, 2), ConfigError);
  EXPECT_THROW(of_shared(2 * needed - 1, 2), ConfigError);
  EXPECT_NO_THROW(of_shared(2 * needed, 2));
}

}  // namespace
}  // namespace hpl
