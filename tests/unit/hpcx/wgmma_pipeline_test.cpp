#include "cuda/wgmma_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "hpcx/emulation.h"

// The pipeline of the kernel for Hopper, run on a model of the chip after the PTX ISA: barriers
// with arrivals and bytes, a copy engine that takes its time and swizzles, products that read
// shared memory as late as they may. The thread sanitizer sees what the barriers do not order.

namespace hpcx::gpu_cuda::emulation {
namespace {

// --- Order of tiles ------------------------------------------------------------------------------

TEST(TilesOfBlocks, EveryTileOfEveryModulusIsTakenOnce) {
  for (const std::uint32_t tall : {1U, 2U, 16U, 17U, 40U})
    for (const std::uint32_t wide : {1U, 3U, 32U})
      for (const std::uint32_t moduli : {1U, 15U})
        for (const std::uint32_t resident : {1U, 7U, 66U})
          for (const std::uint32_t run : {1U, 4U, 256U}) {
            const std::uint32_t tiles = tall * wide * moduli;
            std::vector<int> taken(tiles);
            const std::uint32_t blocks = blocks_of_tiles(resident, run, tiles);
            for (std::uint32_t block = 0; block < blocks; ++block) {
              const TileRange range = tiles_of_block(block, resident, run, tiles);
              EXPECT_LT(range.first, range.end) << "a block without work";
              std::uint32_t count = 0;
              for (std::uint32_t t = range.first; t < range.end; t += range.stride, ++count) {
                const TilePlace at = tile_place(t, tall, wide);
                ASSERT_LT(at.row, tall);
                ASSERT_LT(at.column, wide);
                ASSERT_LT(at.modulus, moduli);
                ++taken[(at.modulus * tall + at.row) * wide + at.column];
              }
              EXPECT_LE(count, run);
            }
            EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), std::ssize(taken))
                << tall << " x " << wide << " x " << moduli << ", " << resident << " at a time, "
                << run << " each";
          }
}

TEST(TilesOfBlocks, NumbersUpToTheLargestLaunchDoNotOverflow) {
  constexpr std::uint32_t kTall = 46341, kWide = 46340, kTiles = kTall * kWide;
  const TilePlace last = tile_place(kTiles - 1, kTall, kWide);
  EXPECT_EQ(last.row, kTall - 1);
  EXPECT_EQ(last.column, kWide - 1);
  const std::uint32_t blocks = blocks_of_tiles(66, 256, kTiles);
  EXPECT_EQ(tiles_of_block(blocks - 1, 66, 256, kTiles).end, kTiles);
}

// --- Where things lie ----------------------------------------------------------------------------

constexpr int kPiece = 16;  // bytes, of what the swizzle exchanges

/// The place of a byte in the 128-byte swizzle: the pieces of a line change places by its number.
unsigned swizzled(unsigned address) {
  return address ^ ((address >> 7 & 7) << 4);
}

TEST(MatrixDescriptor, HasTheFieldsOfThePtxIsa) {
  for (const unsigned address : {1024U, 49152U, 231424U - 1024U}) {
    const std::uint64_t d = advanced(matrix_descriptor(address), 96);
    EXPECT_EQ((d & 0x3fff) << 4, address + 96);
    EXPECT_EQ(d >> 32 & 0x3fff, 1024U >> 4);
    EXPECT_EQ(d >> 49 & 7, 0U);  // base offset: none for patterns that begin at multiples of 1024
    EXPECT_EQ(d >> 62, 1U);      // 128-byte swizzle
  }
}

/// Register i of a thread as PTX distributes an accumulator of 64 rows.
unsigned row_of(unsigned thread, unsigned i) {
  return thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
}
unsigned column_of(unsigned thread, unsigned i) {
  return i / 4 * 8 + thread % 4 * 2 + i % 2;
}

/// Stores a warpgroup's sums: put(row, column, byte), for a quad of lanes at a time.
template <int kColumns, class Sum, class Put>
void store_by_quads(std::int32_t modulus, std::int32_t reciprocal, Sum sum, Put put) {
  for (unsigned first = 0; first < 128; first += 4)
    for (int j = 0; j < kColumns / 8; j += 4)
      for (int half = 0; half < 2; ++half) {
        QuadPart parts[4];
        for (unsigned q = 0; q < 4; ++q) {
          std::int32_t sums[kColumns / 2] = {}, values[8];
          for (unsigned i = 4 * unsigned(j); i < 4 * unsigned(j) + 16; ++i)  // four groups
            sums[i] = sum(row_of(first + q, i), column_of(first + q, i));
          sums_of_groups(sums, j, half, values);
          parts[q] = quad_part(values, modulus, reciprocal);
        }
        QuadGroups groups[4];
        for (unsigned q = 0; q < 4; ++q)
          groups[q] = quad_groups(q, parts[q], first_sent(q ^ 2, parts[q ^ 2]));
        for (unsigned q = 0; q < 4; ++q) {
          const EightBytes bytes = quad_bytes(q, groups[q], second_sent(q ^ 1, groups[q ^ 1]));
          const LaneRows lane = lane_rows(first + q);
          for (unsigned i = 0; i < 8; ++i)
            put(lane.row + 8U * static_cast<unsigned>(half), lane.column + 8U * unsigned(j) + i,
                static_cast<std::int8_t>((i < 4 ? bytes.low : bytes.high) >> 8 * (i % 4)));
        }
      }
}

TEST(StoreOfAWarpgroup, PutsEverySumWhereItBelongs) {
  const Moduli moduli = moduli_of(kFewestModuli);
  for (const bool rows : {false, true}) {
    std::vector<int> stored(64 * 256);
    store_by_quads<256>(
        moduli.modulus[0], moduli.reciprocal[0],
        [rows](unsigned row, unsigned column) {
          return static_cast<int>(rows ? row : column) - 128 + 256 * static_cast<int>(column);
        },
        [&](unsigned row, unsigned column, std::int8_t byte) {
          ++stored[row * 256 + column];
          ASSERT_EQ(byte, static_cast<int>(rows ? row : column) - 128) << row << ", " << column;
        });
    EXPECT_EQ(std::count(stored.begin(), stored.end(), 1), std::ssize(stored));
  }
}

// --- The pipeline --------------------------------------------------------------------------------

struct Stuck : std::runtime_error {
  Stuck() : std::runtime_error("the pipeline is stuck") {}
};

/// Residues of both operands, line by line, and what comes out.
struct Problem {
  std::int64_t rows, columns, depth;
  int moduli;
  std::vector<std::int8_t> a{}, b{}, out{};
  std::vector<int> written{};

  std::int64_t depth_pitch() const { return (depth + 15) / 16 * 16; }
  std::int64_t pitch() const { return (columns + 15) / 16 * 16; }
  std::int64_t plane() const { return rows * pitch(); }
  std::int64_t lines(Operand operand) const { return operand == Operand::A ? rows : columns; }
  /// Zero outside, as the copy engine has it; k is a multiple of kPiece.
  const std::int8_t* piece(Operand operand, std::int64_t k, std::int64_t line,
                           std::int64_t of_plane) const {
    static constexpr std::int8_t kZeros[kPiece] = {};
    if (line >= lines(operand) || k >= depth_pitch()) return kZeros;
    const auto& data = operand == Operand::A ? a : b;
    return &data[static_cast<std::size_t>((of_plane * lines(operand) + line) * depth_pitch() + k)];
  }
};

/// A cluster of blocks with their shared memory.
class Cluster {
 public:
  Cluster(const Problem& problem, int blocks, int bytes, unsigned seed)
      : problem_(problem),
        memory_(static_cast<std::size_t>(blocks),
                std::vector<std::int8_t>(static_cast<std::size_t>(bytes), 99)),
        barriers_(static_cast<std::size_t>(blocks)),
        random_(seed) {}

  void init(unsigned barrier, unsigned arrivals) {
    for (auto& of_block : barriers_)
      of_block[barrier] = {.expected = arrivals, .pending = arrivals};
  }
  void arrive(unsigned block, unsigned barrier, std::int64_t bytes = 0) {
    const std::lock_guard lock(mutex_);
    Barrier& b = barriers_[block].at(barrier);
    if (b.pending == 0) throw std::logic_error("more arrivals than a phase has");
    b.bytes += bytes;
    --b.pending;
    settle(b);
  }
  void await(unsigned block, unsigned barrier, unsigned parity) {
    std::unique_lock lock(mutex_);
    const Barrier& b = barriers_[block].at(barrier);
    if (!changed_.wait_for(lock, std::chrono::seconds(20),
                           [&] { return (b.phase & 1) != parity || failed_; }) ||
        failed_) {
      failed_ = true;
      changed_.notify_all();
      throw Stuck();
    }
  }
  /// Into the same place of every block in `blocks`.
  struct Copy {
    unsigned to, barrier, blocks;
    Operand from;
    int lines, k, line, plane;
  };
  void enqueue(const Copy& copy) {
    const std::lock_guard lock(mutex_);
    copies_.push_back(copy);
    changed_.notify_all();
  }
  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }
  void finish() {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_all();
  }
  /// The copy engine: any copy that is waiting, the first or a later one.
  void copy_all() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !copies_.empty() || finished_ || failed_; });
      if (copies_.empty() || failed_) return;
      const auto chosen = copies_.begin() + static_cast<std::ptrdiff_t>(random_() % copies_.size());
      const Copy copy = *chosen;
      copies_.erase(chosen);
      lock.unlock();
      if (random_() % 4 == 0) std::this_thread::yield();
      for (unsigned block = 0; block < barriers_.size(); ++block)
        if ((copy.blocks >> block & 1) != 0) carry_out(copy, block);
    }
  }
  const std::int8_t* piece(unsigned block, unsigned address) const {
    return &memory_[block].at(address);
  }
  const Problem& problem() const { return problem_; }

 private:
  struct Barrier {
    unsigned expected = 0, pending = 0;
    std::int64_t bytes = 0;
    unsigned phase = 0;
  };
  void settle(Barrier& b) {
    if (b.pending > 0 || b.bytes != 0) return;
    b.pending = b.expected;
    ++b.phase;
    changed_.notify_all();
  }
  void carry_out(const Copy& copy, unsigned block) {
    for (int line = 0; line < copy.lines; ++line)
      for (int k = 0; k < kStepBytes; k += kPiece)
        std::memcpy(
            &memory_[block].at(swizzled(copy.to + static_cast<unsigned>(line * kStepBytes + k))),
            problem_.piece(copy.from, copy.k + k, copy.line + line, copy.plane), kPiece);
    const std::lock_guard lock(mutex_);
    Barrier& b = barriers_[block].at(copy.barrier);
    b.bytes -= std::int64_t{copy.lines} * kStepBytes;
    settle(b);
  }

  const Problem& problem_;
  std::vector<std::vector<std::int8_t>> memory_;
  std::vector<std::map<unsigned, Barrier>> barriers_;
  std::mt19937 random_;  // of the copy engine's thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Copy> copies_;
  bool finished_ = false, failed_ = false;
};

/// Rows of a warpgroup whose products are made; the others are left out for time's sake.
constexpr unsigned kSampledRows[] = {0, 29, 63};

/// The instructions as one warpgroup, or the loading thread, of a block calls them.
template <int kColumnsOfTile, int kCluster>
class ModelOfChip {
 public:
  template <int kColumns>
  struct Sums {
    std::vector<std::int32_t> values = std::vector<std::int32_t>(64 * kColumns, 0x5555555);
  };

  ModelOfChip(Cluster& cluster, Problem& problem, unsigned block, bool late)
      : cluster_(cluster), problem_(problem), block_(block), late_(late) {}

  void barrier_wait(unsigned barrier, unsigned parity) { cluster_.await(block_, barrier, parity); }
  void barrier_expect(unsigned barrier, int bytes) { cluster_.arrive(block_, barrier, bytes); }
  void load_box(Operand from, const Box& box) {
    cluster_.enqueue(
        {box.to, box.barrier, 1U << block_, from, kBoxLines, box.k, box.line, box.plane});
  }
  void load_box_for(Operand from, const Box& box, int blocks) {
    cluster_.enqueue({box.to, box.barrier, static_cast<unsigned>(blocks), from,
                      Ring<kColumnsOfTile, kCluster>::kLinesOfB, box.k, box.line, box.plane});
  }
  void fence() {}
  template <int kColumns>
  void multiply(Sums<kColumns>& sums, std::uint64_t a, std::uint64_t b, bool add) {
    current_.emplace_back([this, &sums, a, b, add] {
      std::vector<Slice> of_a;
      for (const unsigned row : kSampledRows)
        of_a.push_back(slice(a, row));
      for (unsigned column = 0; column < kColumns; ++column) {
        const Slice of_b = slice(b, column);
        for (std::size_t r = 0; r < of_a.size(); ++r) {
          std::int32_t product = 0;
          for (unsigned k = 0; k < kSliceBytes; ++k)
            product += of_a[r].bytes[k] * of_b.bytes[k];
          std::int32_t& sum = sums.values[kSampledRows[r] * kColumns + column];
          sum = add ? sum + product : product;
        }
      }
    });
  }
  void commit() {
    groups_.push_back(std::move(current_));
    current_.clear();
    if (!late_) run_down_to(0);
  }
  template <int kPending>
  void wait() {
    run_down_to(kPending);
  }
  template <class Any>
  void arrived(const Any&) const {
    EXPECT_TRUE(groups_.empty() && current_.empty());
  }
  template <int kBlocks>
  void release(unsigned barrier) {
    for (unsigned block = 0; block < kBlocks; ++block)
      cluster_.arrive(block, barrier);
  }
  template <int kColumns>
  void store(const Work& work, TilePlace at, std::int64_t first_row, const Sums<kColumns>& sums) {
    const Moduli moduli = moduli_of(kFewestModuli);
    store_by_quads<kColumns>(
        moduli.modulus[at.modulus], moduli.reciprocal[at.modulus],
        [&](unsigned row, unsigned column) {
          for (const unsigned sampled : kSampledRows)
            if (row == sampled) return sums.values[row * kColumns + column];
          return 0;
        },
        [&](unsigned row_in, unsigned column_in, std::int8_t byte) {
          const std::int64_t row = first_row + row_in;
          const std::int64_t column = std::int64_t{at.column} * kColumns + column_in;
          if (row >= work.rows || column >= work.pitch) return;
          const auto place =
              static_cast<std::size_t>(at.modulus * work.plane + row * work.pitch + column);
          work.out[place] = byte;
          ++problem_.written[place];
        });
  }

 private:
  struct Slice {
    std::int8_t bytes[kSliceBytes];
  };
  /// Of a line of an operand, as a descriptor of the 128-byte swizzle says.
  Slice slice(std::uint64_t descriptor, unsigned line) const {
    const auto start = static_cast<unsigned>(descriptor & 0x3fff) << 4;
    const auto eight_lines = static_cast<unsigned>(descriptor >> 32 & 0x3fff) << 4;
    Slice made;
    for (unsigned k = 0; k < kSliceBytes; k += kPiece)
      std::memcpy(made.bytes + k,
                  cluster_.piece(
                      block_, swizzled(start + line / 8 * eight_lines + line % 8 * kStepBytes + k)),
                  kPiece);
    return made;
  }
  void run_down_to(std::size_t pending) {
    for (; groups_.size() > pending; groups_.pop_front())
      for (const auto& product : groups_.front())
        product();
  }

  Cluster& cluster_;
  Problem& problem_;
  unsigned block_;
  bool late_;
  std::vector<std::function<void()>> current_;
  std::deque<std::vector<std::function<void()>>> groups_;
};

template <int kColumns, int kCluster>
void run_pipeline(Problem& problem, std::uint32_t resident, std::uint32_t run) {
  using Sizes = Ring<kColumns, kCluster>;
  const auto parts = [](std::int64_t count, std::int64_t size) {
    return static_cast<std::uint32_t>((count + size - 1) / size);
  };
  Work work{.tall = parts(problem.rows, kTileRows * kCluster),
            .wide = parts(problem.columns, kColumns),
            .tiles = 0,
            .resident = resident,
            .run = run,
            .steps = static_cast<int>(parts(problem.depth_pitch(), kStepBytes)),
            .rows = problem.rows,
            .pitch = problem.pitch(),
            .plane = problem.plane(),
            .out = problem.out.data()};
  work.tiles = work.tall * work.wide * static_cast<std::uint32_t>(problem.moduli);
  const unsigned base = kRingAlignment;
  for (std::uint32_t c = 0; c < blocks_of_tiles(resident, run, work.tiles); ++c) {
    Cluster cluster(problem, kCluster, Sizes::kBytes, c);
    const Sizes ring{base};
    for (int s = 0; s < Sizes::kStages; ++s) {
      cluster.init(ring.full(s), Sizes::kFullArrivals);
      cluster.init(ring.empty(s), Sizes::kEmptyArrivals);
    }
    std::vector<std::thread> threads;
    const auto start = [&](const std::function<void()>& body) {
      threads.emplace_back([&cluster, body] {
        try {
          body();
        } catch (const std::exception& failure) {
          ADD_FAILURE() << failure.what();
          cluster.fail();
        }
      });
    };
    std::thread engine([&cluster] { cluster.copy_all(); });
    for (unsigned block = 0; block < kCluster; ++block) {
      start([&, block] {
        ModelOfChip<kColumns, kCluster> chip(cluster, problem, block, false);
        load_tiles<kColumns, kCluster>(chip, work, {base, c, block});
      });
      for (unsigned warpgroup = 0; warpgroup < 2; ++warpgroup)
        start([&, block, warpgroup] {
          ModelOfChip<kColumns, kCluster> chip(cluster, problem, block, warpgroup == c % 2);
          multiply_tiles<kColumns, kCluster>(chip, work, {base, c, block}, warpgroup);
        });
    }
    for (std::thread& thread : threads)
      thread.join();
    cluster.finish();
    engine.join();
  }
}

Problem random_problem(std::int64_t rows, std::int64_t columns, std::int64_t depth, int moduli) {
  Problem problem{.rows = rows, .columns = columns, .depth = depth, .moduli = moduli};
  std::mt19937 random(5);
  const auto fill = [&](std::vector<std::int8_t>& data, std::int64_t lines) {
    data.resize(static_cast<std::size_t>(moduli * lines * problem.depth_pitch()));
    for (std::int8_t& byte : data)
      byte = static_cast<std::int8_t>(random());
  };
  fill(problem.a, rows);
  fill(problem.b, columns);
  problem.out.assign(static_cast<std::size_t>(moduli * problem.plane()), 0);
  problem.written.assign(problem.out.size(), 0);
  return problem;
}

void expect_residues(const Problem& problem) {
  EXPECT_EQ(std::count(problem.written.begin(), problem.written.end(), 1),
            std::ssize(problem.written))
      << "bytes that are not written once";
  const Moduli moduli = moduli_of(kFewestModuli);
  for (int m = 0; m < problem.moduli; ++m)
    for (std::int64_t i = 0; i < problem.rows; ++i) {
      if (std::count(std::begin(kSampledRows), std::end(kSampledRows), i % 64) == 0) continue;
      for (std::int64_t j = 0; j < problem.columns; ++j) {
        std::int32_t sum = 0;
        const std::int8_t *const a = problem.piece(Operand::A, 0, i, m), *const b = problem.piece(
                                                                             Operand::B, 0, j, m);
        for (std::int64_t k = 0; k < problem.depth_pitch(); ++k)
          sum += a[k] * b[k];
        ASSERT_EQ(
            problem.out[static_cast<std::size_t>(m * problem.plane() + i * problem.pitch() + j)],
            hpcx::emulation::residue(sum, moduli.modulus[m], moduli.reciprocal[m]))
            << "modulus " << m << ", row " << i << ", column " << j;
      }
    }
}

// Tiles that end outside the matrix, a last step that is not full, more stages in all than the ring
// has, blocks that follow others.

TEST(WgmmaPipeline, MultipliesAloneInTilesOf256Columns) {
  Problem problem = random_problem(150, 300, 272, 2);
  run_pipeline<256, 1>(problem, 2, 3);
  expect_residues(problem);
}

TEST(WgmmaPipeline, MultipliesInClustersInTilesOf256Columns) {
  Problem problem = random_problem(270, 300, 272, 2);
  run_pipeline<256, 2>(problem, 2, 3);
  expect_residues(problem);
}

TEST(WgmmaPipeline, MultipliesInClustersInTilesOf128Columns) {
  Problem problem = random_problem(270, 140, 530, 2);
  run_pipeline<128, 2>(problem, 1, 4);
  expect_residues(problem);
}

TEST(WgmmaPipeline, MultipliesWhatIsSmallerThanATile) {
  Problem problem = random_problem(1, 3, 16, 1);
  run_pipeline<256, 2>(problem, 66, 256);
  expect_residues(problem);
}

}  // namespace
}  // namespace hpcx::gpu_cuda::emulation
