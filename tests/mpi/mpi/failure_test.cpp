#include "hpl/comm/mpi/failure.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "support/message_of.h"

namespace hpl::mpi {
namespace {

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
