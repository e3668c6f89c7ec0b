#include "fleet/members/fleet_messages.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/comm/mpi/wait_policy.h"

namespace hpl {
namespace {

/// Longer than several pieces, and of another length on every rank.
std::string text_of(int rank, int number) {
  const auto letter = static_cast<char>('a' + rank % 26);
  return std::string(static_cast<std::size_t>(3000 * number + 17 * rank + 1), letter) +
         std::to_string(number);
}

TEST(FleetMessages, ArriveWholeAndInTheOrderOfTheirUnit) {
  constexpr int kRounds = 2, kTexts = 4;
  const mpi::Communicator ranks = mpi::Communicator::world();
  FleetMessages messages(ranks);
  for (int round = 0; round < kRounds; ++round) {
    ranks.barrier();
    if (ranks.rank() != 0) {
      for (int number = 0; number < kTexts; ++number)
        messages.send(ranks.rank(), text_of(ranks.rank(), number));
      messages.end(ranks.rank());
      continue;
    }
    std::map<int, std::vector<std::string>> found;
    int ended = 0;
    mpi::wait_until(mpi::WaitPolicy::sleeping(), [&] {
      for (const FleetMessages::Message& message : messages.receive()) {
        if (message.ends)
          ++ended;
        else
          found[message.member].push_back(message.text);
      }
      return ended == ranks.size() - 1;
    });
    for (int rank = 1; rank < ranks.size(); ++rank) {
      ASSERT_EQ(found[rank].size(), static_cast<std::size_t>(kTexts));
      for (int number = 0; number < kTexts; ++number)
        EXPECT_EQ(found[rank][static_cast<std::size_t>(number)], text_of(rank, number));
    }
  }
}

}  // namespace
}  // namespace hpl
