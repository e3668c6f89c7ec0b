#include "hpl/job/live/power_meter.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>

namespace hpl {
namespace {

using namespace std::chrono_literals;

// On a busy machine any program is silent for a while: only the test of silence is impatient.
constexpr PowerMeter::Limits kOften{.period = 50ms};
constexpr PowerMeter::Limits kImpatient{.period = 50ms, .silence = 300ms};
constexpr double kEver = 1e12;

/// Waits, but not for ever.
bool comes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

std::string all(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts)
    joined += text + "\n";
  return joined;
}

TEST(PowerMeter, ReadsAProgramThatGoesOn) {
  const PowerMeter meter("while :; do echo 250; sleep 0.12; done", kOften);
  EXPECT_TRUE(comes_true([&] { return meter.samples().size() >= 3; }));
  for (const PowerSample& sample : meter.samples())
    EXPECT_EQ(sample.watts, 250);
  EXPECT_EQ(all(meter.complaints(0, kEver)), "");
}

TEST(PowerMeter, AsksAProgramThatEndsAgain) {
  const PowerMeter meter("echo '300 W'", {.period = 110ms});
  EXPECT_TRUE(comes_true([&] { return meter.samples().size() >= 3; }));
  EXPECT_EQ(all(meter.complaints(0, kEver)), "");
}

TEST(PowerMeter, LeavesOutRubbishAndTellsItOnce) {
  const PowerMeter meter("echo no meter; echo 42; sleep 0.1", kOften);
  EXPECT_TRUE(comes_true([&] { return meter.samples().size() >= 2; }));
  const auto complaints = meter.complaints(0, kEver);
  ASSERT_EQ(complaints.size(), 1U) << all(complaints);
  EXPECT_NE(complaints[0].find("the first \"no meter\""), std::string::npos) << complaints[0];
  EXPECT_EQ(all(meter.complaints(kEver, 2 * kEver)), "");
}

TEST(PowerMeter, TellsHowAProgramFailed) {
  const PowerMeter meter("exit 3", kOften);
  EXPECT_TRUE(comes_true([&] { return !meter.complaints(0, kEver).empty(); }));
  EXPECT_NE(all(meter.complaints(0, kEver)).find("exit code 3"), std::string::npos);
  const PowerMeter none("/no/such/program", kOften);
  EXPECT_TRUE(comes_true([&] { return none.complaints(0, kEver).size() == 2; }));
  EXPECT_NE(all(none.complaints(0, kEver)).find("exit code 127"), std::string::npos);
}

TEST(PowerMeter, StartsAProgramThatStopsAgain) {
  const PowerMeter meter("echo 10; sleep 1000", kImpatient);
  EXPECT_TRUE(comes_true([&] { return meter.samples().size() >= 2; }));
  EXPECT_NE(all(meter.complaints(0, kEver)).find("printed nothing for 0.3 s"), std::string::npos)
      << all(meter.complaints(0, kEver));
}

TEST(PowerMeter, IsNotFloodedByAProgramThatPrintsWithoutEnd) {
  const PowerMeter meter("yes 77", kOften);
  EXPECT_TRUE(comes_true([&] { return meter.samples().size() >= 3; }));
  const PowerSeries samples = meter.samples();
  for (std::size_t i = 1; i < samples.size(); ++i)
    EXPECT_GE(samples[i].seconds - samples[i - 1].seconds, 0.099);
}

/// The file in which a program of a test writes the number of a process that it has started.
class Started {
 public:
  Started() { std::filesystem::remove(file_); }
  ~Started() { std::filesystem::remove(file_); }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  std::string file() const { return file_.string(); }
  bool ends() const {
    pid_t program = 0;
    std::ifstream(file_) >> program;
    // An orphan is a zombie until init has waited for it.
    return program > 0 && comes_true([&] {
             std::ifstream status("/proc/" + std::to_string(program) + "/stat");
             std::string number, name, state;
             return !(status >> number >> name >> state) || state == "Z";
           });
  }

 private:
  // The same test may run beside this one, in another build.
  std::filesystem::path file_ = std::filesystem::path(testing::TempDir()) /
                                ("power_meter_test." + std::to_string(getpid()) + ".pid");
};

TEST(PowerMeter, EndsWithAllThatItsProgramStarted) {
  for (const std::string how : {"", "setsid "}) {
    const Started started;
    {
      const PowerMeter meter("trap '' TERM; " + how + "sleep 1000 & echo $! > '" + started.file() +
                                 "'; echo 5; wait; sleep 1000",
                             kOften);
      EXPECT_TRUE(comes_true([&] { return !meter.samples().empty(); }));
    }
    EXPECT_TRUE(started.ends()) << how;
  }
}

TEST(PowerMeter, EndsWhatAProgramHasLeftBeforeItIsAskedAgain) {
  for (const std::string how : {"", "setsid "}) {
    const Started started;
    const PowerMeter meter("[ -e '" + started.file() + "' ] || { " + how +
                               "sleep 1000 & echo $! > '" + started.file() + "'; }; echo 5",
                           kOften);
    EXPECT_TRUE(comes_true([&] { return meter.samples().size() >= 2; }));
    EXPECT_TRUE(started.ends()) << how;
  }
}

}  // namespace
}  // namespace hpl
