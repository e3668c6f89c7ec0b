#include "hpl/comm/mpi/vector_exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "support/counted_messages.h"

namespace hpl::mpi {
namespace {

using Vector = std::vector<double>;

/// ceil(log2(size)).
int rounds_of(int size) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(size - 1)));
}

TEST(ExchangeRounds, AreTheLogarithmAndBringEachPartOnce) {
  for (int size = 1; size <= 300; ++size) {
    const std::vector<ExchangeRound> rounds = exchange_rounds(size);
    EXPECT_EQ(std::ssize(rounds), rounds_of(size));
    int held = 1;
    for (const ExchangeRound& round : rounds) {
      EXPECT_EQ(round.distance, held) << size;
      held += round.parts;
    }
    EXPECT_EQ(held, size);
  }
}

/// Levels below the root, or an impossible number if links do not match or a rank has no way.
int levels_of(TreeLinks (*links_of)(const TreePlace&), TreePlace place) {
  const int root = place.root;
  int levels = 0;
  for (int rank = 0; rank < place.size; ++rank) {
    int level = 0;
    for (place.rank = rank; place.rank != root && level <= place.size; ++level) {
      const int child = place.rank;
      const std::optional<int> parent = links_of(place).parent;
      if (!parent) return 2 * place.size;
      place.rank = *parent;
      if (std::ranges::count(links_of(place).children, child) != 1) return 2 * place.size;
    }
    levels = std::max(levels, level);
  }
  return levels;
}

TEST(BinomialTree, HasTheLogarithmOfItsSizeForLevelsAndChildren) {
  for (const int size : {1, 2, 3, 5, 8, 33, 64, 100})
    for (const int root : {0, size / 3, size - 1})
      for (const int direction : {1, -1}) {
        EXPECT_EQ(levels_of(binomial_tree, {.root = root, .size = size, .direction = direction}),
                  static_cast<int>(std::bit_width(static_cast<unsigned>(size))) - 1)
            << size;
        std::size_t links = 0, most = 0;
        for (int rank = 0; rank < size; ++rank) {
          const TreeLinks of_rank = binomial_tree({rank, root, size, direction});
          EXPECT_EQ(of_rank.parent.has_value(), rank != root);
          links += of_rank.children.size();
          most = std::max(most, of_rank.children.size());
        }
        EXPECT_EQ(links, static_cast<std::size_t>(size - 1));
        EXPECT_EQ(most, static_cast<std::size_t>(rounds_of(size)));
      }
}

TEST(BinomialTree, HasTheNextRankForALeafOfTheRoot) {
  EXPECT_EQ(binomial_tree({6, 5, 40}), (TreeLinks{.parent = 5}));
  EXPECT_EQ(binomial_tree({4, 5, 40, -1}), (TreeLinks{.parent = 5}));
  EXPECT_EQ(binomial_tree({39, 0, 40, -1}), (TreeLinks{.parent = 0}));
}

TEST(StarOrTree, IsAStarInTheOrderOfRanksUpToItsLongestLine) {
  EXPECT_EQ(star_or_tree({1, 1, 4}), (TreeLinks{.children = {0, 2, 3}}));
  EXPECT_EQ(star_or_tree({3, 1, 4}), (TreeLinks{.parent = 1}));
  EXPECT_EQ(star_or_tree({31, 1, 32}), (TreeLinks{.parent = 1}));
  EXPECT_EQ(star_or_tree({7, 1, 33, -1}), binomial_tree({7, 1, 33, -1}));
}

TEST(StarOrTree, NamesTheMessagesOfTheRankWithMost) {
  for (const int size : {1, 2, 7, 32, 33, 64, 100})
    EXPECT_EQ(static_cast<int>(
                  star_or_tree({.rank = 2 % size, .root = 2 % size, .size = size}).children.size()),
              star_or_tree_messages(size));
}

class VectorExchange : public testing::Test {
 protected:
  /// The messages and bytes that this rank sends while `work` runs.
  template <class Work>
  void count(Work work) {
    const test::SentMessages before = test::sent_messages;
    work();
    const test::SentMessages sent = test::sent_messages - before;
    messages_ = sent.messages;
    bytes_ = sent.bytes;
  }
  std::int64_t of_all(std::int64_t value) const { return line_.all_reduce(value, Reduce::Sum); }

  Communicator line_ = Communicator::world();
  int size_ = line_.size();
  std::int64_t messages_ = 0, bytes_ = 0;
};

TEST_F(VectorExchange, GathersPartsOfAnyLengthInTheOrderOfRanks) {
  for (const int longest : {0, 1, 5}) {
    std::vector<std::int64_t> counts;
    Vector expected, values;
    for (int rank = 0; rank < size_; ++rank) {
      counts.push_back((rank + longest) % (longest + 1));
      for (std::int64_t i = 0; i < counts.back(); ++i) {
        expected.push_back(10.0 * rank + static_cast<double>(i));
        values.push_back(rank == line_.rank() ? expected.back() : -1);
      }
    }
    count([&] { all_gather(line_, counts, values); });
    EXPECT_EQ(values, expected) << longest;
    EXPECT_EQ(messages_, rounds_of(size_));
    EXPECT_EQ(of_all(bytes_), 8 * std::ssize(values) * (size_ - 1));
  }
}

TEST_F(VectorExchange, SumsAreTheSameBitsOnEveryRank) {
  for (const int length : {0, 1, 7, 100}) {
    Vector values(static_cast<std::size_t>(length)), scratch(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = 1.0 / static_cast<double>(1 + line_.rank() + 3 * static_cast<int>(i));
    Vector expected = values;
    line_.all_reduce(expected, Reduce::Sum);
    count([&] { all_sum(line_, values, scratch); });
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values[i], expected[i], 1e-14);
    Vector first = values;
    line_.broadcast(std::as_writable_bytes(std::span(first)), 0);
    EXPECT_EQ(values, first);
    EXPECT_EQ(messages_, 2 * rounds_of(size_));
    EXPECT_EQ(of_all(bytes_), 2 * 8 * length * (size_ - 1));
  }
}

TEST_F(VectorExchange, SumsGoToTheirRootByOneMessageForEachOtherRank) {
  for (int root = 0; root < size_; ++root) {
    Vector values{1.0 + line_.rank(), 2, 3}, scratch(values.size());
    count([&] { sum_to(line_, values, scratch, root); });
    const double ranks = size_;
    if (line_.rank() == root) {
      EXPECT_EQ(values, (Vector{ranks * (ranks + 1) / 2, 2 * ranks, 3 * ranks}));
    }
    EXPECT_EQ(of_all(messages_), size_ - 1);
    EXPECT_LE(line_.all_reduce(messages_, Reduce::Max), rounds_of(size_));
  }
}

TEST_F(VectorExchange, BytesOfTheRootReachAllByOneMessageForEachOtherRank) {
  for (int root = 0; root < size_; ++root) {
    int value = line_.rank();
    count([&] { send_to_all(line_, std::as_writable_bytes(std::span(&value, 1)), root); });
    EXPECT_EQ(value, root);
    EXPECT_EQ(of_all(messages_), size_ - 1);
    EXPECT_LE(line_.all_reduce(messages_, Reduce::Max), rounds_of(size_));
  }
}

}  // namespace
}  // namespace hpl::mpi
