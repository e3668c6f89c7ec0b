#include "hpl/comm/mpi/vector_exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
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
