// main() for tests that run on several ranks: every rank runs the same cases in the same order,
// rank 0 prints the usual report, the others print their failures only, and every rank ends with
// the same exit code.

#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/environment.h"
#include "hpl/comm/mpi/wait_policy.h"
#include "support/few_cores.h"

namespace {

using namespace std::chrono_literals;

// The time for which a rank that is through with a case waits for the others, before it ends the
// job by name of the case.
constexpr auto kPatience = 30s;

// For one case, and for MPI to start or end, where all ranks hang and none is left to wait.
constexpr unsigned kLongestPhaseSeconds = 250;

// The present work of this process, with a line end: read by a signal handler.
std::array<char, 256> phase{};

// The process ends by name of what it does, should that take too long.
void begin_phase(const std::string& name) {
  alarm(0);
  const std::string line = name.substr(0, phase.size() - 2) + "\n";
  std::memcpy(phase.data(), line.c_str(), line.size() + 1);
  std::signal(SIGALRM, [](int) {
    const auto say = [](const char* text) {
      [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
    };
    say("a rank hangs in ");
    say(phase.data());
    _exit(static_cast<int>(hpl::ExitCode::Failed));
  });
  alarm(kLongestPhaseSeconds);
}

class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const char* file = result.file_name() == nullptr ? "?" : result.file_name();
    fmt::print(stderr, "[rank {}] {}:{}: {}\n", rank_, file, result.line_number(),
               result.message());
  }

 private:
  int rank_;
};

// Keeps the ranks in step: a rank whose case ended early (a failed ASSERT) would leave the others
// in the case's communication for ever.
class Lockstep : public testing::EmptyTestEventListener {
 public:
  explicit Lockstep(const hpl::mpi::Communicator& comm) : comm_(comm) {}

  void OnTestStart(const testing::TestInfo& test) override {
    begin_phase(std::string(test.test_suite_name()) + "." + test.name());
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    const int mine = test.result()->Failed() ? 1 : 0;
    int failed = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&mine, &failed, 1, MPI_INT, MPI_SUM, comm_.handle(), &request);
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    hpl::mpi::wait_until(hpl::mpi::WaitPolicy::sleeping(), [&] {
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done == 0 && std::chrono::steady_clock::now() > deadline) give_up(test);
      return done != 0;
    });
    if (failed > 0 && comm_.rank() == 0)
      fmt::print(stderr, "{}.{} failed on {} of {} ranks\n", test.test_suite_name(), test.name(),
                 failed, comm_.size());
  }

 private:
  [[noreturn]] void give_up(const testing::TestInfo& test) const {
    fmt::print(stderr, "[rank {}] {}.{} does not end on every rank\n", comm_.rank(),
               test.test_suite_name(), test.name());
    hpl::mpi::abort_job(hpl::ExitCode::Failed);
  }

  const hpl::mpi::Communicator& comm_;
};

int run_tests(int argc, char** argv) {
  hpl::test::stay_on_cores(4, getppid());  // of the launcher, common to all ranks
  testing::InitGoogleTest(&argc, argv);
  const hpl::mpi::Communicator world = hpl::mpi::Communicator::world();

  // The seed of a shuffle comes from the clock, which differs between ranks.
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  const int seed = world.broadcast_value(static_cast<int>(now % 99999) + 1, 0);
  if (testing::GTEST_FLAG(random_seed) == 0) testing::GTEST_FLAG(random_seed) = seed;

  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (world.rank() != 0) {
    delete listeners.Release(listeners.default_result_printer());
    // One file, written by rank 0.
    if (listeners.default_xml_generator() != nullptr)
      delete listeners.Release(listeners.default_xml_generator());
    listeners.Append(new FailurePrinter(world.rank()));
  }
  listeners.Append(new Lockstep(world));

  const int failed_here = RUN_ALL_TESTS() != 0 ? 1 : 0;
  begin_phase("the end of MPI");
  return static_cast<int>(world.all_reduce(failed_here, hpl::mpi::Reduce::Max));
}

}  // namespace

int main(int argc, char** argv) {
  begin_phase("the start of MPI");
  try {
    hpl::mpi::Environment environment;
    try {
      return run_tests(argc, argv);
    } catch (const std::exception& error) {
      // Finalizing waits for the other ranks, which do not know that this one is through.
      fmt::print(stderr, "{}\n", error.what());
      hpl::mpi::abort_job(hpl::ExitCode::Broken);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(hpl::ExitCode::Broken);
  }
}
