#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

// The panel's kernels as AMD's devices have them, compiled for the host.
#include "panel/exchange.h"
#include "panel/groups.h"
#include "panel/peers.h"
#include "panel/proxy.h"
#include "panel/window.h"

#include "support/carried_messages.h"
#include "support/cpu_device.h"
#include "support/reference_lu.h"

namespace hpcx::gpu_hip {
namespace {

using hpl::test::Dense;

struct Result {
  Dense matrix{0, 0};
  std::vector<std::int64_t> pivots;
  std::int64_t zero_column = -7;

  bool operator==(const Result& other) const {
    return matrix.data == other.matrix.data && pivots == other.pivots &&
           zero_column == other.zero_column;
  }
};

/// A panel, or a member's part of one, and what its kernel needs.
struct Job {
  Job(const Dense& matrix, const RowSplit& split)
      : result{matrix, std::vector<std::int64_t>(static_cast<std::size_t>(matrix.cols), -7)},
        exchange(kExchangeBytes / sizeof(std::uint64_t)),
        shared(static_cast<std::size_t>(split.blocks)) {
    window.a = result.matrix.data.data();
    window.ld = matrix.rows;
    window.rows = static_cast<int>(matrix.rows);
    window.cols = window.last = static_cast<int>(matrix.cols);
    window.width = window_width(window.cols, 0);
    window.rows_per_block = split.rows_per_block;
    window.block_factor = block_factor(split.rows_per_block);
    window.pivots = result.pivots.data();
    window.zero_column = &result.zero_column;
    window.exchange = exchange.data();
  }
  PanelShared& shared_of_block() { return shared[blockIdx.x]; }

  Result result;
  std::vector<std::uint64_t> exchange;
  std::vector<PanelShared> shared;
  PanelWindow window;
};

template <class Exchange>
void factorize(int rows_per_thread, const PanelWindow& window, const Exchange& exchange,
               PanelShared& shared) {
  switch (rows_per_thread) {
    case 2:
      return factorize_columns<2>(window, exchange, shared);
    case 4:
      return factorize_columns<4>(window, exchange, shared);
    case 8:
      return factorize_columns<8>(window, exchange, shared);
  }
  FAIL() << rows_per_thread;
}

/// The factors of a panel by at most so many blocks.
Result factorize_alone(const Dense& matrix, int most_blocks) {
  const RowSplit split = split_rows(static_cast<int>(matrix.rows), most_blocks);
  Job job(matrix, split);
  const auto kernel = [&] {
    factorize(split.rows_per_thread, job.window, GridExchange(job.window), job.shared_of_block());
  };
  kernel_on_host::launch_resident({kernel}, static_cast<unsigned>(split.blocks), kPanelThreads);
  return std::move(job.result);
}

/// Members in groups that reach each other's memory. `owner` has the panel's first rows; each has
/// as many of the others.
struct Team {
  std::vector<int> groups;
  int owner, most_blocks;

  int members() const { return std::accumulate(groups.begin(), groups.end(), 0); }
};

/// A member's part of a panel, without rows of others.
Dense part_of(const Dense& whole, const Team& team, int me) {
  const std::int64_t cols = whole.cols, below = (whole.rows - cols) / team.members();
  Dense part(cols + below, cols);
  for (std::int64_t j = 0; j < cols; ++j) {
    for (std::int64_t i = 0; i < cols; ++i)
      part(i, j) = me == team.owner ? whole(i, j) : 0;
    for (std::int64_t i = cols; i < cols + below; ++i)
      part(i, j) = whole(i + me * below, j);
  }
  return part;
}

/// The members' factors of a panel. One more kernel plays the hosts, which carry messages between
/// groups.
std::vector<Result> factorize_in_team(const Dense& whole, const Team& team) {
  const auto members = static_cast<std::size_t>(team.members());
  const std::int64_t cols = whole.cols, below = (whole.rows - cols) / team.members();
  const RowSplit split = split_rows(static_cast<int>(cols + below), team.most_blocks);
  const auto cpu = hpl::test::open_cpu(1);
  std::vector<Job> jobs;
  jobs.reserve(members);  // windows know where they are
  std::vector<std::vector<std::uint64_t>> mailboxes;
  std::vector<PanelTeam> teams(members);
  std::deque<GpuPanelProxy> proxies;
  std::vector<PanelProxy*> carried;
  std::vector<kernel_on_host::Kernel> kernels;
  int first = 0;
  for (const int size : team.groups) {
    for (int me = first; me < first + size; ++me) {
      jobs.emplace_back(part_of(whole, team, me), split);
      mailboxes.emplace_back(team_mailbox_bytes(size, cols) / sizeof(std::uint64_t));
      PanelTeam& member = teams[static_cast<std::size_t>(me)];
      member.group_size = size;
      member.group_begin = first;
      member.me = me;
      member.owner = team.owner;
      member.most_rows = static_cast<int>(cols + below);
      if (team.groups.size() == 1) continue;
      proxies.emplace_back(*cpu, PanelConnection{.me = me, .groups = team.groups}, cols);
      proxies.back().expect(jobs.back().window, split, team.owner);
      carried.push_back(&proxies.back());
      member.outbox = proxies.back().outbox();
      member.inbox = proxies.back().inbox();
    }
    first += size;
  }
  for (std::size_t me = 0; me < members; ++me) {
    PanelTeam& member = teams[me];
    for (int i = 0; i < member.group_size; ++i)
      member.mailboxes[i] = mailboxes[static_cast<std::size_t>(member.group_begin + i)].data();
    for (std::size_t other = 0; other < carried.size(); ++other)
      member.group_of[other] =
          static_cast<unsigned char>(carried[me]->group_of(static_cast<int>(other)));
    kernels.emplace_back([&, me] {
      Job& job = jobs[me];
      if (carried.empty())
        factorize(split.rows_per_thread, job.window, PeerExchange(job.window, teams[me]),
                  job.shared_of_block());
      else
        factorize(split.rows_per_thread, job.window, GroupExchange(job.window, teams[me]),
                  job.shared_of_block());
    });
  }
  kernels.emplace_back([&] {
    if (blockIdx.x == 0 && threadIdx.x == 0) carry_messages(carried, kernel_on_host::go_on);
  });
  kernel_on_host::launch_resident(kernels, static_cast<unsigned>(split.blocks), kPanelThreads);
  std::vector<Result> results;
  for (Job& job : jobs)
    results.push_back(std::move(job.result));
  return results;
}

/// Unblocked elimination.
Result reference(Dense matrix) {
  const hpl::test::Pivots pivots = eliminate(matrix, matrix.cols);
  return {matrix, pivots.rows, pivots.zero_column};
}

void expect_near(const Result& actual, const Result& expected) {
  EXPECT_EQ(actual.pivots, expected.pivots);
  EXPECT_EQ(actual.zero_column, expected.zero_column);
  for (std::size_t i = 0; i < expected.matrix.data.size(); ++i)
    ASSERT_NEAR(actual.matrix.data[i], expected.matrix.data[i], 1e-11) << i;
}

class PanelKernel : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override { hip_on_host::wavefront = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(OfLanes, PanelKernel, ::testing::Values(32u, 64u),
                         ::testing::PrintToStringParamName());

TEST_P(PanelKernel, GivesTheFactorsOfUnblockedElimination) {
  struct Case {
    std::int64_t rows, cols;
    int most_blocks;
  };
  for (const Case& c : {Case{33, 33, 1}, Case{400, 37, 3}, Case{600, 35, 1}, Case{1100, 34, 1}}) {
    SCOPED_TRACE(::testing::Message() << c.rows << " x " << c.cols);
    const Dense matrix = hpl::test::random_dense(c.rows, c.cols, 11);
    expect_near(factorize_alone(matrix, c.most_blocks), reference(matrix));
  }
}

TEST_P(PanelKernel, TakesTheFirstOfEqualCandidates) {
  Dense matrix = hpl::test::random_dense(500, 3, 14);
  for (std::int64_t i = 0; i < matrix.rows; ++i)
    matrix(i, 0) = i < 47 ? 0.25 : i % 2 == 0 ? 1.0 : -1.0;
  const Result result = factorize_alone(matrix, 2);
  EXPECT_EQ(result.pivots[0], 47);
  EXPECT_EQ(result.matrix(0, 0), -1.0);
}

TEST_P(PanelKernel, NamesTheFirstColumnWithoutPivot) {
  Dense matrix = hpl::test::random_dense(200, 36, 15);
  for (std::int64_t i = 0; i < matrix.rows; ++i)
    matrix(i, 33) = 0;
  EXPECT_EQ(factorize_alone(matrix, 2).zero_column, 33);
}

/// Every member has the pivots of the whole panel, and its rows of the factors.
void expect_reference(const std::vector<Result>& actual, const Dense& whole, const Team& team) {
  const Result expected = reference(whole);
  const std::int64_t cols = whole.cols, below = (whole.rows - cols) / team.members();
  for (int me = 0; me < team.members(); ++me) {
    SCOPED_TRACE(::testing::Message() << "member " << me);
    Result part{Dense(cols + below, cols), expected.pivots, expected.zero_column};
    for (std::int64_t& row : part.pivots) {
      const int member = row < cols ? 0 : static_cast<int>((row - cols) / below);
      row = panel_row_id({member, row - member * below}, cols,
                         {.owner = team.owner, .most_rows = cols + below});
    }
    for (std::int64_t j = 0; j < cols; ++j)
      for (std::int64_t i = 0; i < cols + below; ++i)
        part.matrix(i, j) = expected.matrix(i < cols ? i : i + me * below, j);
    expect_near(actual[static_cast<std::size_t>(me)], part);
  }
}

TEST_P(PanelKernel, MembersOfATeamFindTheSameFactors) {
  const Dense whole = hpl::test::random_dense(33 + 2 * 90, 33, 16);
  const Team team{.groups = {2}, .owner = 1, .most_blocks = 2};
  expect_reference(factorize_in_team(whole, team), whole, team);
}

// Equal candidates, so that the bits depend on the choice among them.
TEST(PanelKernels, GroupsFindTheBitsOfOneGroup) {
  hip_on_host::wavefront = 32;
  struct Case {
    Team team;
    std::int64_t below;
  };
  for (const Case& c : {Case{{.groups = {1, 2, 1}, .owner = 1, .most_blocks = 1}, 560},
                        Case{{.groups = {1, 1}, .owner = 1, .most_blocks = 2}, 100}}) {
    const int members = c.team.members();
    SCOPED_TRACE(::testing::Message() << c.team.groups.size() << " groups of " << members);
    Dense whole = hpl::test::random_dense(34 + members * c.below, 34, 18);
    for (std::int64_t i = 0; i < whole.rows; ++i)
      whole(i, 0) = i < 40 ? 0.25 : i % 2 == 0 ? 1.0 : -1.0;
    const std::vector<Result> actual = factorize_in_team(whole, c.team);
    expect_reference(actual, whole, c.team);
    const Team one_group{{members}, c.team.owner, c.team.most_blocks};
    EXPECT_TRUE(actual == factorize_in_team(whole, one_group));
  }
}

TEST(PanelKernels, WavefrontsOf32And64LanesMakeTheSameBits) {
  const Dense matrix = hpl::test::random_dense(300, 40, 17);
  std::vector<Result> results;
  for (const unsigned lanes : {32u, 64u}) {
    hip_on_host::wavefront = lanes;
    results.push_back(factorize_alone(matrix, 3));
  }
  EXPECT_TRUE(results[0] == results[1]);
}

}  // namespace
}  // namespace hpcx::gpu_hip
