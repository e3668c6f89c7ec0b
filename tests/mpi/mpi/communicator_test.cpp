#include "hpl/comm/mpi/communicator.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "comm/mpi/check.h"
#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/comm/mpi/request.h"
#include "support/message_of.h"

namespace hpl::mpi {
namespace {

class CommunicatorTest : public testing::Test {
 protected:
  Communicator comm_ = Communicator::world();
  int rank_ = comm_.rank();
  int size_ = comm_.size();
};

TEST_F(CommunicatorTest, SplitsByColorAndOrdersByKey) {
  const Communicator part = comm_.split(rank_ % 2, -rank_);

  EXPECT_EQ(part.size(), (size_ + 1 - rank_ % 2) / 2);
  EXPECT_EQ(part.rank(), (size_ - 1 - rank_) / 2);
  EXPECT_EQ(part.all_reduce(rank_ % 2, Reduce::Sum), part.size() * (rank_ % 2));
}

TEST_F(CommunicatorTest, SubsetIsEmptyOnRanksLeftOut) {
  const auto part = comm_.subset(rank_ < 2, 0);

  ASSERT_EQ(part.has_value(), rank_ < 2);
  EXPECT_EQ(part ? part->size() : 0, rank_ < 2 ? std::min(size_, 2) : 0);
}

TEST_F(CommunicatorTest, RanksOfOneMachineShareANode) {
  const Communicator node = comm_.split_shared();
  EXPECT_EQ(node.size(), size_);
  EXPECT_EQ(node.rank(), rank_);
}

TEST_F(CommunicatorTest, MessagesOfADuplicateDoNotMix) {
  const Communicator copy = comm_.dup();
  int first = 1, second = 2, received = 0;
  RequestSet sends;
  sends.isend(comm_, std::as_bytes(std::span(&first, 1)), rank_, 9);
  sends.isend(copy, std::as_bytes(std::span(&second, 1)), rank_, 9);

  irecv(copy, std::as_writable_bytes(std::span(&received, 1)), rank_, 9)
      .wait(WaitPolicy::sleeping());
  EXPECT_EQ(received, 2);
  irecv(comm_, std::as_writable_bytes(std::span(&received, 1)), rank_, 9)
      .wait(WaitPolicy::sleeping());
  EXPECT_EQ(received, 1);
  sends.wait(WaitPolicy::sleeping());
}

TEST_F(CommunicatorTest, ReducesDoublesAndIntegers) {
  EXPECT_EQ(comm_.all_reduce(0.5 * rank_, Reduce::Max), 0.5 * (size_ - 1));
  EXPECT_EQ(comm_.all_reduce(0.5 - rank_, Reduce::Min), 1.5 - size_);
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_EQ(comm_.all_reduce(large + rank_, Reduce::Sum), size_ * large + size_ * (size_ - 1) / 2);
}

TEST_F(CommunicatorTest, ReducesElementByElement) {
  std::vector<double> values{1.0, static_cast<double>(rank_)};
  comm_.all_reduce(values, Reduce::Sum);
  EXPECT_EQ(values, (std::vector<double>{1.0 * size_, 0.5 * size_ * (size_ - 1)}));
}

TEST_F(CommunicatorTest, GathersStructsInRankOrderOnTheRoot) {
  struct Entry {
    int rank;
    double value;
  };
  const int root = size_ - 1;
  const std::vector<Entry> all = comm_.gather(Entry{rank_, 0.25 * rank_}, root);

  ASSERT_EQ(std::ssize(all), rank_ == root ? size_ : 0);
  for (int i = 0; i < std::ssize(all); ++i) {
    EXPECT_EQ(all[static_cast<std::size_t>(i)].rank, i);
    EXPECT_EQ(all[static_cast<std::size_t>(i)].value, 0.25 * i);
  }
}

TEST_F(CommunicatorTest, GathersOneValueARankEverywhere) {
  std::vector<int> expected(static_cast<std::size_t>(size_));
  std::iota(expected.begin(), expected.end(), 100);
  EXPECT_EQ(comm_.all_gather(100 + rank_), expected);
}

TEST_F(CommunicatorTest, GathersTextsOfDifferentLengths) {
  const auto text_of = [](std::size_t rank) {
    return std::string(rank, static_cast<char>('a' + rank));
  };
  const std::vector<std::string> all =
      comm_.gather_text(text_of(static_cast<std::size_t>(rank_)), 0);

  ASSERT_EQ(std::ssize(all), rank_ == 0 ? size_ : 0);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i], text_of(i));

  const std::vector<std::string> everywhere =
      comm_.all_gather_text(text_of(static_cast<std::size_t>(rank_)));
  ASSERT_EQ(std::ssize(everywhere), size_);
  for (std::size_t i = 0; i < everywhere.size(); ++i)
    EXPECT_EQ(everywhere[i], text_of(i));
}

TEST_F(CommunicatorTest, BringsEachRankTheValuesThatAreMeantForIt) {
  std::vector<int> values, expected;
  for (int peer = 0; peer < size_; ++peer) {
    values.push_back(100 * rank_ + peer);
    expected.push_back(100 * peer + rank_);
  }
  EXPECT_EQ(comm_.all_to_all(values), expected);
}

TEST_F(CommunicatorTest, BroadcastsTextWhateverTheOthersHold) {
  const int root = size_ / 2;
  const std::string mine = rank_ == root ? "the root's words" : std::string(100, '?');
  EXPECT_EQ(comm_.broadcast(mine, root), "the root's words");
  EXPECT_EQ(comm_.broadcast(rank_ == root ? "" : "other", root), "");
}

TEST_F(CommunicatorTest, TagsWrapBelowTheBoundOfTheLibrary) {
  EXPECT_EQ(comm_.tag(0), 0);
  EXPECT_NE(comm_.tag(5), comm_.tag(5 + 32000));
  const int far = comm_.tag(std::int64_t{1} << 50);
  EXPECT_GE(far, 0);
}

TEST_F(CommunicatorTest, AnMpiErrorBecomesARunErrorThatNamesTheCall) {
  const std::string message =
      test::message_of<RunError>([&] { comm_.broadcast_value(0, comm_.size()); });
  EXPECT_NE(message.find("MPI_Ibcast"), std::string::npos) << message;
}

TEST(NarrowToInt, RefusesWhatMpiCannotCount) {
  EXPECT_EQ(narrow_to_int(std::numeric_limits<int>::max()), std::numeric_limits<int>::max());
  EXPECT_THROW(narrow_to_int(std::int64_t{1} << 31), RunError);
}

std::string agreed_text(const Communicator& comm, const std::optional<std::string>& local_error) {
  return test::message_of<RunError>([&] { agree_or_throw(comm, local_error); });
}

TEST(AgreeOrThrow, ReturnsWhenNoRankHasAnError) {
  EXPECT_EQ(agreed_text(Communicator::world(), std::nullopt), "no error");
}

TEST(AgreeOrThrow, EveryRankThrowsTheTextOfTheOneThatFailed) {
  const Communicator comm = Communicator::world();
  const int culprit = comm.size() - 1;
  const auto error =
      comm.rank() == culprit ? std::optional<std::string>("no memory") : std::nullopt;

  EXPECT_EQ(agreed_text(comm, error),
            "rank " + std::to_string(culprit) + " on " + host_name() + ": no memory");
}

TEST(AgreeOrThrow, TheLowestOfSeveralFailingRanksSpeaks) {
  const Communicator comm = Communicator::world();
  if (comm.size() < 3) GTEST_SKIP() << "needs three ranks";
  const auto error = comm.rank() > 0
                         ? std::optional<std::string>("cause " + std::to_string(comm.rank()))
                         : std::nullopt;

  const int others = comm.size() - 2;
  EXPECT_EQ(agreed_text(comm, error), "rank 1 on " + host_name() + ": cause 1 (and " +
                                          std::to_string(others) + " more rank" +
                                          (others > 1 ? "s" : "") + " failed)");
}

}  // namespace
}  // namespace hpl::mpi
