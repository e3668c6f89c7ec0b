#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

// The panel's kernels as AMD's devices have them, compiled for the host.
#include "panel/exchange.h"
#include "panel/peers.h"
#include "panel/window.h"

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

/// Those of two members, of whom `owner` has the first rows; each has half of the others.
std::vector<Result> factorize_in_team(const Dense& whole, int owner, int most_blocks) {
  const std::int64_t cols = whole.cols, below = (whole.rows - cols) / 2;
  const RowSplit split = split_rows(static_cast<int>(cols + below), most_blocks);
  std::vector<Job> jobs;
  jobs.reserve(2);  // windows know where they are
  std::vector<std::vector<std::uint64_t>> mailboxes(
      2, std::vector<std::uint64_t>(team_mailbox_bytes(2, cols) / sizeof(std::uint64_t)));
  std::vector<PanelTeam> teams(2);
  std::vector<kernel_on_host::Kernel> kernels;
  for (int me = 0; me < 2; ++me) {
    Dense part(cols + below, cols);
    for (std::int64_t j = 0; j < cols; ++j) {
      for (std::int64_t i = 0; i < cols; ++i)
        part(i, j) = me == owner ? whole(i, j) : 0;
      for (std::int64_t i = cols; i < cols + below; ++i)
        part(i, j) = whole(i + me * below, j);
    }
    jobs.emplace_back(part, split);
    PanelTeam& team = teams[static_cast<std::size_t>(me)];
    team = {.mailboxes = {mailboxes[0].data(), mailboxes[1].data()}, .group_size = 2};
    team.me = me;
    team.owner = owner;
    team.most_rows = static_cast<int>(cols + below);
  }
  for (std::size_t me = 0; me < 2; ++me)
    kernels.emplace_back([&, me] {
      factorize(split.rows_per_thread, jobs[me].window, PeerExchange(jobs[me].window, teams[me]),
                jobs[me].shared_of_block());
    });
  kernel_on_host::launch_resident(kernels, static_cast<unsigned>(split.blocks), kPanelThreads);
  return {jobs[0].result, jobs[1].result};
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

TEST_P(PanelKernel, MembersOfATeamFindTheSameFactors) {
  constexpr int kOwner = 1;
  const std::int64_t cols = 33, below = 90;
  const Dense whole = hpl::test::random_dense(cols + 2 * below, cols, 16);
  const Result expected = reference(whole);
  const std::vector<Result> actual = factorize_in_team(whole, kOwner, 2);
  for (int me = 0; me < 2; ++me) {
    SCOPED_TRACE(::testing::Message() << "member " << me);
    Result part{Dense(cols + below, cols), expected.pivots, expected.zero_column};
    for (std::int64_t& row : part.pivots) {
      const int member = row < cols + below ? 0 : 1;
      row = panel_row_id({member, row - member * below}, cols,
                         {.owner = kOwner, .most_rows = cols + below});
    }
    for (std::int64_t j = 0; j < cols; ++j)
      for (std::int64_t i = 0; i < cols + below; ++i)
        part.matrix(i, j) = expected.matrix(i < cols ? i : i + me * below, j);
    expect_near(actual[static_cast<std::size_t>(me)], part);
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
