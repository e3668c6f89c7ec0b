#include "timing.h"

#include <algorithm>

#include "hpl/base/number/statistics.h"

namespace hpl {

std::int64_t memory_of(const DeepSetup& setup, hpcx::Device& device) {
  if (&device == &setup.device) return setup.memory_bytes;
  return device.memory().free / setup.node.size();
}

std::vector<double> samples_of(hpcx::StreamRef stream, double seconds,
                               const std::function<void()>& enqueue) {
  constexpr double kShortest = 1e-3;
  const Stopwatch all;
  std::vector<double> samples;
  int times = 1;
  for (int count = 0; count < 3 || all.seconds() < seconds; ++count) {
    const hpcx::Event begin = stream.record();
    for (int i = 0; i < times; ++i)
      enqueue();
    const hpcx::Event end = stream.record();
    end.synchronize();
    const double one = end.seconds_since(begin) / times;
    if (count > 0) samples.push_back(one);  // the first loads code and touches memory
    if (one * times < kShortest) times = std::min(2 * times, 1024);
    if (count > 0 && all.seconds() > 4 * seconds) break;
  }
  return samples;
}

double typical(const hpcx::Device& device, std::vector<double> samples) {
  return device.shares_host_memory() ? std::ranges::min(samples) : median(std::move(samples));
}

double memory_copy_rate(hpcx::Device& device, std::int64_t memory_bytes, double seconds) {
  // Beyond the caches: a gibibyte on GPUs, 64 MB for each thread of a CPU.
  const std::int64_t wanted = device.shares_host_memory()
                                  ? device.properties().compute_units * (std::int64_t{64} << 20)
                                  : std::int64_t{1} << 30;
  constexpr std::int64_t kRows = 1024;
  const std::int64_t columns =
      std::max<std::int64_t>(std::min(wanted, memory_bytes / 8) / (8 * kRows), 1);
  const auto bytes = static_cast<std::size_t>(8 * kRows * columns);
  const hpcx::Buffer source = device.allocate(bytes), target = device.allocate(bytes);
  const hpcx::Stream stream = device.create_stream(hpcx::Priority::Normal);
  const hpcx::MatrixView from{source.as<double>(), kRows, columns, kRows},
      to{target.as<double>(), kRows, columns, kRows};
  device.kernels().fill(stream, 1.0, from);
  const double best = typical(
      device, samples_of(stream, seconds, [&] { device.kernels().copy(stream, from, to); }));
  return 2 * static_cast<double>(bytes) / best;
}

}  // namespace hpl
