#include "hpl/job/live/progress_samples.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "hpl/comm/mpi/failure.h"

namespace hpl {
namespace {

constexpr int kTag = 0;
constexpr double kLookSeconds = 0.25;
/// At least a second between the progress samples of a rank, and at most a hundred a second in all.
double sample_interval(int ranks) {
  return std::max(1.0, 0.01 * ranks);
}

std::vector<std::string> gather_names(const mpi::Communicator& ranks,
                                      const hpcx::DeviceProperties& device) {
  std::string name = fmt::format("rank {} on {}", ranks.rank(), mpi::host_name());
  if (device.backend != hpcx::Backend::Cpu)
    name += fmt::format(", {} {}", to_string(device.backend), device.index);
  return ranks.gather_text(name, 0);
}

}  // namespace

ProgressSamples::ProgressSamples(const mpi::Communicator& ranks,
                                 const hpcx::DeviceProperties& device)
    : comm_(ranks.dup()),
      board_(gather_names(ranks, device)),
      interval_(sample_interval(ranks.size())),
      next_sample_(interval_),
      next_look_(interval_) {}

bool ProgressSamples::step(double seconds, Recorder& recorder, const TelemetrySampler& sampler) {
  bool news = false;
  if (seconds >= next_sample_ && sending_.test()) {
    next_sample_ = seconds + interval_;
    send(recorder, sampler);
    news = true;
  }
  if (comm_.rank() != 0) return false;
  if (seconds >= next_look_) {
    next_look_ = seconds + kLookSeconds;
    news = receive() || news;
  }
  return news;
}

void ProgressSamples::send(Recorder& recorder, const TelemetrySampler& sampler) {
  const ProductWork all = recorder.products_so_far();
  const ProductWork since{all.flops - reported_.flops, all.seconds - reported_.seconds};
  reported_ = all;
  const hpcx::TelemetrySample sample = sampler.latest();
  sample_ = {.rank = comm_.rank(), .gflops = since.gflops()};
  if (sample.temperature_celsius) sample_.celsius = *sample.temperature_celsius;
  if (sample.power_watts) sample_.watts = *sample.power_watts;
  if (comm_.rank() == 0) return board_.put(sample_);
  sending_.isend(comm_, std::as_bytes(std::span(&sample_, 1)), 0, kTag);
  ++sent_;
}

bool ProgressSamples::receive() {
  bool any = false;
  for (ProgressSample sample;
       mpi::receive_arrived(comm_, std::as_writable_bytes(std::span(&sample, 1)), kTag);) {
    board_.put(sample);
    ++received_;
    any = true;
  }
  return any;
}

void ProgressSamples::finish() {
  const std::vector<std::int64_t> sent = comm_.gather(sent_, 0);
  const std::int64_t all = std::accumulate(sent.begin(), sent.end(), std::int64_t{0});
  mpi::wait_until(mpi::WaitPolicy::sleeping(), [&] {
    receive();
    return received_ >= all;
  });
  sending_.wait(mpi::WaitPolicy::sleeping());
}

}  // namespace hpl
