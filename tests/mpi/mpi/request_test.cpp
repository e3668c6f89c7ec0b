#include "hpl/comm/mpi/request.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace hpl::mpi {
namespace {

std::span<std::byte> bytes_of(std::vector<double>& values) {
  return std::as_writable_bytes(std::span(values));
}

class RequestTest : public testing::Test {
 protected:
  Communicator comm_ = Communicator::world();
  int next_ = (comm_.rank() + 1) % comm_.size();
  int previous_ = (comm_.rank() + comm_.size() - 1) % comm_.size();
};

TEST(MessagePieces, CoverAMessageOfAnyLength) {
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1}, kLargestPiece - 1,
                                   kLargestPiece, kLargestPiece + 1, 5 * kLargestPiece + 3}) {
    const std::vector<int> pieces = message_pieces(bytes);
    EXPECT_EQ(std::accumulate(pieces.begin(), pieces.end(), std::int64_t{0}), bytes);
    EXPECT_EQ(std::ssize(pieces), std::max(std::int64_t{1}, (bytes - 1) / kLargestPiece + 1));
  }
}

TEST_F(RequestTest, PassesDataRoundTheRing) {
  // Short enough to be buffered by MPI, and long enough not to be.
  for (const std::size_t count : {0u, 3u, 100000u}) {
    std::vector<double> mine(count, 1.0 + comm_.rank()), received(count, 0.0);

    Request receive = irecv(comm_, bytes_of(received), previous_, 1);
    Request send = isend(comm_, bytes_of(mine), next_, 1);
    receive.wait(WaitPolicy::spinning());
    send.wait(WaitPolicy::sleeping());

    EXPECT_EQ(received, std::vector<double>(count, 1.0 + previous_));
  }
}

TEST_F(RequestTest, ASetIsThroughWhenAllItsMessagesAre) {
  const auto ranks = static_cast<std::size_t>(comm_.size());
  std::vector<std::vector<double>> received(ranks, std::vector<double>(2000));
  std::vector<double> mine(2000, comm_.rank());
  RequestSet set;
  for (int peer = 0; peer < comm_.size(); ++peer) {
    set.irecv(comm_, bytes_of(received[static_cast<std::size_t>(peer)]), peer, 2);
    set.isend(comm_, bytes_of(mine), peer, 2);
  }

  set.wait(WaitPolicy::sleeping());

  for (std::size_t peer = 0; peer < ranks; ++peer)
    EXPECT_EQ(received[peer], std::vector<double>(2000, static_cast<double>(peer)));
  EXPECT_TRUE(set.test()) << "an empty set is through";
}

TEST_F(RequestTest, TestIsFalseUntilTheMessageComes) {
  std::vector<double> mine(1, 4.0), received(1, 0.0);
  Request receive = irecv(comm_, bytes_of(received), previous_, 3);
  EXPECT_FALSE(receive.test());
  comm_.barrier();

  Request send = isend(comm_, bytes_of(mine), next_, 3);
  receive.wait(WaitPolicy::sleeping());
  send.wait(WaitPolicy::sleeping());
  EXPECT_EQ(received[0], 4.0);
}

TEST_F(RequestTest, AStopFlagEndsAWaitForAMessageThatNeverComes) {
  std::atomic<bool> stop = false;
  std::vector<double> received(1);
  std::thread failing([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    stop = true;
  });
  {
    Request never = irecv(comm_, bytes_of(received), previous_, 4);
    EXPECT_THROW(never.wait(WaitPolicy::sleeping(&stop)), Stopped);
  }
  failing.join();
  comm_.barrier();
}

}  // namespace
}  // namespace hpl::mpi
