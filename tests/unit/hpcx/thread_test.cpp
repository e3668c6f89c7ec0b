#include "hpcx/thread.h"

#include <atomic>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <thread>

#include <gtest/gtest.h>

#include "hpcx/device.h"
#include "support/few_threads.h"
#include "support/message_of.h"

namespace hpcx {
namespace {

class Threads : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_refuse())
      GTEST_SKIP() << "the C++ library of this toolchain makes its threads past the function that "
                      "the test puts in front";
  }
  ~Threads() override { hpl_test_allow_threads(-1); }

  static bool can_refuse() {
    hpl_test_allow_threads(0);
    bool refused = false;
    try {
      std::thread([] {}).join();
    } catch (const std::system_error&) {
      refused = true;
    }
    hpl_test_allow_threads(-1);
    return refused;
  }
};

TEST_F(Threads, OfAGroupRunEachNumberOnce) {
  std::mutex mutex;
  std::multiset<int> numbers;
  start_threads(5, "a worker", [&](int number) {
    const std::lock_guard lock(mutex);
    numbers.insert(number);
  });  // joined here
  EXPECT_EQ(numbers, (std::multiset<int>{0, 1, 2, 3, 4}));
}

TEST_F(Threads, ThatAreRefusedAreNamedWithWhatTheyWereFor) {
  hpl_test_allow_threads(0);
  const std::string plain =
      hpl::test::message_of<ThreadRefused>([] { start_thread("the listener", [] {}); });
  EXPECT_EQ(plain.find("this process may start no more threads (wanted: the listener; "), 0U)
      << plain;
  const std::string stoppable = hpl::test::message_of<ThreadRefused>(
      [] { start_thread("the sampler", [](const std::stop_token&) {}); });
  EXPECT_NE(stoppable.find("the sampler"), std::string::npos) << stoppable;
}

TEST_F(Threads, OfAGroupDoNotBeginWhenOneIsRefused) {
  for (const int allowed : {0, 1, 3}) {
    hpl_test_allow_threads(allowed);
    std::atomic<int> begun{0};
    const auto start = [&] { start_threads(4, "a worker", [&](int) { ++begun; }); };
    EXPECT_NE(hpl::test::message_of<ThreadRefused>(start).find("a worker"), std::string::npos)
        << allowed << " allowed";
    EXPECT_EQ(begun, 0) << allowed << " allowed";
  }
}

TEST_F(Threads, ThatTheCpuDeviceCannotHaveAreAnErrorOfOpeningIt) {
  for (const int allowed : {0, 2}) {
    hpl_test_allow_threads(allowed);
    const std::string text = hpl::test::message_of<ThreadRefused>(
        [] { open_device({.backend = Backend::Cpu, .cpu = {.threads = 3}}); });
    EXPECT_NE(text.find("a compute thread"), std::string::npos) << text;
  }
}

TEST(ThreadLimits, TheLimitThatIsReachedIsNamedAlone) {
  const ThreadLimits limits{
      .threads = 9,
      .groups = {{.directory = "/sys/fs/cgroup/job", .limit = 400, .in_use = 30},
                 {.directory = "/sys/fs/cgroup", .limit = 31, .in_use = 31}},
      .user = 1000};
  EXPECT_EQ(describe(limits), "limit 31 of control group /sys/fs/cgroup (pids.max), all in use");
}

TEST(ThreadLimits, WhereNoneIsSeenToBeReachedAllAreNamed) {
  EXPECT_EQ(describe({.threads = 9,
                      .groups = {{.directory = "/cg", .limit = 400, .in_use = 30}},
                      .user = 1000,
                      .system = 95000,
                      .address_space_bytes = 8 << 20}),
            "limits: 400 of control group /cg (pids.max), 30 in use; 1000 of the user (ulimit -u); "
            "95000 of the system (kernel.threads-max); 8192 KiB of memory (ulimit -v); it has 9");
  EXPECT_EQ(describe({.user = 12}), "limit 12 of the user (ulimit -u)");
  EXPECT_EQ(describe({.threads = 3}), "it has 3");
  EXPECT_EQ(describe({}), "");
}

TEST(ThreadLimits, TheFullestGroupSaysHowManyAreLeft) {
  EXPECT_EQ(threads_left({.groups = {{.directory = "/a", .limit = 400, .in_use = 30},
                                     {.directory = "/", .limit = 50, .in_use = 43}},
                          .user = 3}),
            7);
  EXPECT_EQ(threads_left({.groups = {{.directory = "/a", .limit = 4, .in_use = 9}}}), 0);
  EXPECT_FALSE(threads_left({.user = 3}));
}

TEST(ThreadLimits, OfThisProcessCountItsThreads) {
  const auto before = thread_limits().threads;
  ASSERT_TRUE(before);
  const std::jthread other = start_thread("a test", [](const std::stop_token& stop) {
    while (!stop.stop_requested())
      std::this_thread::yield();
  });
  EXPECT_EQ(thread_limits().threads, *before + 1);
}

TEST(ThreadNames, AreWhatTheSystemShows) {
  std::string shown;
  std::thread([&] {
    name_this_thread("a name that is too long");
    std::ifstream file("/proc/thread-self/comm");
    std::getline(file, shown);
  }).join();
  EXPECT_EQ(shown, "a name that is ");
}

}  // namespace
}  // namespace hpcx
