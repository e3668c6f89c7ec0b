// Jobs of 64 to 256 ranks on the cores at hand. They take minutes and are a part of the long tests.
// Formulas: "Messages of a run" in the notebook's scale.md, "Memory" in docs/model.md.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>

#include "hpl/lu/matrix/step_geometry.h"
#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

constexpr std::int64_t kOrder = 320, kBlock = 8;

struct Grid {
  int rows, columns;
};

std::int64_t log2_of(int power_of_two) {
  return std::countr_zero(static_cast<unsigned>(power_of_two));
}

RunSpec spec_on(const Grid& grid) {
  return {
      .order = kOrder, .block_size = kBlock, .grid_rows = grid.rows, .grid_columns = grid.columns};
}

/// Messages of all ranks for panels, pivots and the back substitution; P and Q are powers of two.
std::int64_t messages_without_rows(const Grid& grid) {
  const std::int64_t steps = kOrder / kBlock, p = grid.rows, q = grid.columns;
  return steps * p * (q - 1) + kOrder * p * log2_of(grid.rows) + steps * (p - 1 + q - 1);
}

/// The most messages of a process column for the rows of a chunk of `columns` columns.
std::int64_t most_messages_of_rows(std::int64_t columns, int rows) {
  const std::int64_t pieces = std::min<std::int64_t>(rows, (columns + 15) / 16);
  const std::int64_t spread = std::min<std::int64_t>(rows, kBlock) * pieces;
  const std::int64_t displaced = std::min<std::int64_t>(rows - 1, kBlock);
  const std::int64_t roll = pieces * (rows - 1);
  return columns == 0 || rows == 1 ? 0 : spread + displaced + roll;
}

/// The same of a run. The columns of the next panel are a chunk of their own.
std::int64_t most_messages_of_rows(const Grid& grid) {
  std::int64_t sum = 0;
  for (int column = 0; column < grid.columns; ++column) {
    const LocalShape shape = local_shape(spec_on(grid), {.row = 0, .column = column});
    for (std::int64_t step = 0; step < step_count(shape); ++step) {
      const StepGeometry g = step_geometry(shape, step);
      const bool makes_next =
          step + 1 < step_count(shape) && step_geometry(shape, step + 1).on_owner_column;
      const std::int64_t next = makes_next ? kBlock : 0;
      sum += most_messages_of_rows(next, grid.rows) +
             most_messages_of_rows(g.tail_columns - next, grid.rows);
    }
  }
  return sum;
}

/// The most messages that a rank sends for the collectives around the steps of a run.
std::int64_t most_messages_of_collectives(int ranks) {
  return 100 * (1 + log2_of(ranks));
}

/// The most private memory of a rank, in kB: of the program, the libraries and their state by rank.
/// Rank 0 has the records of all ranks and makes the JSON document. Ranks of one host know the
/// others of their row and column, from whom they copy.
std::int64_t most_private_memory(int rank, const Grid& grid, bool one_host) {
  return 6144 + (rank == 0 ? 24 : 8) * grid.rows * grid.columns +
         (one_host ? 16 * (grid.rows + grid.columns) : 0);
}

class Scale : public XhplTest, public testing::WithParamInterface<Grid> {
 protected:
  static int ranks() { return GetParam().rows * GetParam().columns; }

  /// A job whose MPI places `ranks_per_host` ranks on each host.
  Outcome job(int ranks_per_host, const std::string& document) {
    const Words words = {"run",
                         "--no-attainable",
                         "--no-check",
                         "-N",
                         std::to_string(kOrder),
                         "--NB",
                         std::to_string(kBlock),
                         "-P",
                         std::to_string(GetParam().rows),
                         "-Q",
                         std::to_string(GetParam().columns),
                         "--json",
                         document};
    const std::string prefix = (directory() / "of").string();
    return program(Words{HPL_MPIEXEC, "-np", std::to_string(ranks()), "env",
                         "LD_PRELOAD=" HPL_BROKEN_MPI, HPL_XHPL_PATH} +
                       words + "--reproducible --threads 1 --progress never",
                   {{"XHPL_TEST_RANKS_PER_NODE", std::to_string(ranks_per_host)},
                    {"XHPL_TEST_MEMORY", prefix},
                    // Counts messages in Open MPI, those of its collectives apart.
                    {"OMPI_MCA_pml_monitoring_enable", "2"},
                    {"OMPI_MCA_pml_monitoring_enable_output", "3"},
                    {"OMPI_MCA_pml_monitoring_filename", prefix}},
                   900);
  }

  std::string hash(const std::string& document) const {
    return json_file(document).at("runs").at(0).at("solution_hash");
  }

  /// Messages that `rank` sent: "E" by calls of the program, "I" inside of collectives.
  std::map<std::string, std::int64_t> messages(int rank) const {
    std::map<std::string, std::int64_t> sent;
    std::istringstream lines(read_file("of." + std::to_string(rank) + ".prof"));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string kind, unit;
      std::int64_t from = 0, to = 0, bytes = 0, count = 0;
      if (words >> kind >> from >> to >> bytes >> unit >> count) sent[kind] += count;
    }
    return sent;
  }

  /// Private memory in the last job, in kB: of rank 0, the most of another rank.
  std::array<std::int64_t, 2> private_memory(bool one_host) const {
    std::array<std::int64_t, 2> most{};
    for (int rank = 0; rank < ranks(); ++rank) {
      auto& of_rank = most[std::min(rank, 1)];
      of_rank = std::max<std::int64_t>(of_rank, std::stol(read_file("of." + std::to_string(rank))));
    }
    EXPECT_LE(most[0], most_private_memory(0, GetParam(), one_host));
    EXPECT_LE(most[1], most_private_memory(1, GetParam(), one_host));
    return most;
  }
};

TEST_P(Scale, PassesWithOneHashAndTheMessagesAndMemoryOfTheFormulas) {
  if (kHydra) GTEST_SKIP() << "Open MPI counts the messages";
  // On one host ranks copy panels and rows from each other. Between hosts these are messages.
  ASSERT_TRUE(all_passed(job(ranks(), "one_host.json"), 1));
  const auto on_one_host = private_memory(true);
  ASSERT_TRUE(all_passed(job(1, "hosts.json"), 1));
  EXPECT_EQ(hash("hosts.json"), hash("one_host.json"));

  std::int64_t of_program = 0, of_collectives = 0, most = 0;
  for (int rank = 0; rank < ranks(); ++rank) {
    auto sent = messages(rank);
    of_program += sent["E"];
    of_collectives += sent["I"];
    most = std::max(most, sent["I"]);
  }
  const auto memory = private_memory(false);
  const std::int64_t least = messages_without_rows(GetParam());
  EXPECT_GE(of_program, least);
  EXPECT_LE(of_program, least + most_messages_of_rows(GetParam()));
  EXPECT_LE(most, most_messages_of_collectives(ranks()));
  // Grid, ranks and messages beside their bounds; memory of rank 0 and of another, on one host and
  // on several, each beside its bound.
  std::printf("| %d x %d | %d | %ld | %ld | %ld | %ld | %ld | %ld", GetParam().rows,
              GetParam().columns, ranks(), of_collectives, most,
              most_messages_of_collectives(ranks()), of_program, least,
              least + most_messages_of_rows(GetParam()));
  for (const int rank : {0, 1})
    std::printf(" | %ld | %ld | %ld | %ld", on_one_host[rank],
                most_private_memory(rank, GetParam(), true), memory[rank],
                most_private_memory(rank, GetParam(), false));
  std::printf(" |\n");
}

INSTANTIATE_TEST_SUITE_P(Grids, Scale,
                         testing::Values(Grid{8, 8}, Grid{128, 1}, Grid{1, 128}, Grid{16, 16},
                                         Grid{8, 32}),
                         [](const auto& grid) {
                           return std::to_string(grid.param.rows) + "x" +
                                  std::to_string(grid.param.columns);
                         });

}  // namespace
}  // namespace hpl::test
