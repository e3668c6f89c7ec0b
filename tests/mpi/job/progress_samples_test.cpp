#include "hpl/job/live/progress_samples.h"

#include <memory>
#include <span>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "support/cpu_device.h"

namespace hpl {
namespace {

std::string text_of(const ProgressSamples& samples) {
  return fmt::format("{}", fmt::join(samples.fields(), "; "));
}

class ProgressSamplesTest : public testing::Test {
 protected:
  /// Products of so many gigaflops in a second.
  void work(double gigaflops) {
    recorder_.add({Track::UpdateStream, Phase::Multiply, 0, 0, 0.0, 1.0, gigaflops * 1e9});
  }

  mpi::Communicator ranks_ = mpi::Communicator::world();
  std::unique_ptr<hpcx::Device> device_ = test::open_cpu(1);
  hpcx::Stream stream_ = device_->create_stream(hpcx::Priority::Normal);
  Recorder recorder_{stream_};
  TelemetrySampler sampler_{device_->telemetry()};
};

TEST_F(ProgressSamplesTest, BringTheRatesOfAllRanksToRankZero) {
  ProgressSamples progress_samples(ranks_, device_->properties());
  work(10 + ranks_.rank());
  progress_samples.step(2.0, recorder_, sampler_);
  progress_samples.finish();
  const std::string text = text_of(progress_samples);
  if (ranks_.rank() != 0 || ranks_.size() == 1) {
    EXPECT_EQ(text.find("slowest"), std::string::npos) << text;
    return;
  }
  const int last = ranks_.size() - 1;
  EXPECT_NE(text.find("slowest rank 0 on "), std::string::npos) << text;
  EXPECT_NE(text.find(fmt::format("; fastest rank {} on ", last)), std::string::npos) << text;
  EXPECT_NE(text.find(fmt::format(" {:.1f} GFLOP/s", 10.0 + last)), std::string::npos) << text;
}

TEST_F(ProgressSamplesTest, TellTheRateSinceThePulseBefore) {
  ProgressSamples progress_samples(ranks_, device_->properties());
  work(10);
  progress_samples.step(2.0, recorder_, sampler_);
  ranks_.barrier();
  work(20 + ranks_.rank());
  progress_samples.step(4.0, recorder_, sampler_);
  progress_samples.finish();
  if (ranks_.rank() != 0 || ranks_.size() == 1) return;
  EXPECT_NE(text_of(progress_samples).find(" 20.0 GFLOP/s; fastest"), std::string::npos)
      << text_of(progress_samples);
}

TEST_F(ProgressSamplesTest, AreSilentBetweenPulses) {
  ProgressSamples progress_samples(ranks_, device_->properties());
  work(10 + ranks_.rank());
  for (const double seconds : {0.1, 0.2, 0.9})
    EXPECT_FALSE(progress_samples.step(seconds, recorder_, sampler_));
  progress_samples.finish();
  EXPECT_EQ(text_of(progress_samples), "");
}

TEST_F(ProgressSamplesTest, LeaveNothingBehindForTheNextRun) {
  for (int run = 0; run < 3; ++run) {
    ProgressSamples progress_samples(ranks_, device_->properties());
    for (int step = 1; step <= 50; ++step)
      progress_samples.step(2.0 * step, recorder_, sampler_);
    progress_samples.finish();
    mpi::Communicator next = ranks_.dup();
    ProgressSample stray;
    EXPECT_FALSE(mpi::receive_arrived(next, std::as_writable_bytes(std::span(&stray, 1)), 0));
  }
}

}  // namespace
}  // namespace hpl
