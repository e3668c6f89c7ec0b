#include "latency.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "hpl/check/deep/deep_check.h"
#include "timing.h"

namespace hpl {
namespace {

constexpr std::int64_t kLineBytes = 64;
constexpr std::int64_t kLeastBytes = 8 << 10, kMostBytes = std::int64_t{256} << 20;

struct alignas(kLineBytes) Line {
  const Line* next = nullptr;
};

/// Nanoseconds of a step through `bytes`, for about `seconds` after a first round.
double chase(std::int64_t bytes, double seconds) {
  const auto count = static_cast<std::uint32_t>(bytes / kLineBytes);
  std::vector<Line> lines(count);
  {
    const std::vector<std::uint32_t> next = random_cycle(count, 1);
    for (std::uint32_t i = 0; i < count; ++i)
      lines[i].next = &lines[next[i]];
  }
  const Line* at = lines.data();
  const auto steps = [&](std::int64_t number) {
    for (std::int64_t i = 0; i < number; ++i)
      at = at->next;
    asm volatile("" : "+r"(at));  // somebody may read it
  };
  steps(std::min<std::int64_t>(count, 1 << 20));
  constexpr std::int64_t kSteps = 1 << 16;
  double best = 0;
  const Stopwatch all;
  for (int round = 0; round < 3 || all.seconds() < seconds; ++round) {
    const Stopwatch watch;
    steps(kSteps);
    const double one = 1e9 * watch.seconds() / static_cast<double>(kSteps);
    best = round == 0 ? one : std::min(best, one);
  }
  return best;
}

std::string size_text(std::int64_t bytes) {
  return bytes < (1 << 20) ? fmt::format("{} KiB", bytes >> 10)
                           : fmt::format("{} MiB", bytes >> 20);
}

}  // namespace

std::vector<std::uint32_t> random_cycle(std::uint32_t lines, std::uint64_t seed) {
  std::vector<std::uint32_t> next(lines);
  std::iota(next.begin(), next.end(), 0U);
  std::uint64_t x = seed;
  // Sattolo's shuffle: a permutation of one cycle.
  for (std::uint32_t i = lines; i-- > 1;) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    std::swap(next[i], next[static_cast<std::uint32_t>((x >> 32) % i)]);
  }
  return next;
}

std::vector<CacheStep> cache_steps(std::span<const ChasePoint> points) {
  constexpr double kRise = 1.25;
  std::vector<CacheStep> steps;
  bool rising = false;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const bool rises = points[i].nanoseconds > kRise * points[i - 1].nanoseconds;
    if (rises && !rising) steps.push_back({points[i - 1].bytes, points[i - 1].nanoseconds});
    rising = rises;
  }
  return steps;
}

DeepResult measure_latency(const DeepSetup& setup) {
  DeepResult result;
  std::vector<std::int64_t> sizes;
  // To write and shuffle large ones takes time as well.
  constexpr double kBytesInASecond = 64 << 20;
  const std::int64_t most =
      std::min({kMostBytes, static_cast<std::int64_t>(kBytesInASecond * setup.seconds),
                setup.world.all_reduce(memory_of(setup, setup.host) / 8, mpi::Reduce::Min)});
  for (std::int64_t bytes = kLeastBytes; bytes <= std::max(most, kLeastBytes); bytes *= 2)
    sizes.push_back(bytes);
  const double slice = 0.1 * setup.seconds / static_cast<double>(sizes.size());
  std::vector<ChasePoint> points;
  for (const std::int64_t bytes : sizes) {
    setup.world.barrier();
    if (!result.failed.empty()) continue;
    attempt(result.failed, [&] {
      // On the cores of the compute threads, which are bound.
      const hpcx::Stream stream = setup.host.create_stream(hpcx::Priority::Normal);
      double nanoseconds = 0;
      stream.ref().host_task([&] { nanoseconds = chase(bytes, 0.3 * slice); });
      stream.ref().synchronize();
      points.push_back({bytes, nanoseconds});
    });
  }
  for (std::size_t i = 0; i < points.size(); i += 2)
    result.figures.push_back({.key = fmt::format("chase_{}", points[i].bytes),
                              .label = "pointer chase, " + size_text(points[i].bytes),
                              .unit = "ns",
                              .lower_is_better = true,
                              .value = points[i].nanoseconds,
                              .bound = Bound::Latency});
  const std::vector<CacheStep> caches = cache_steps(points);
  for (std::size_t i = 0; i < caches.size(); ++i)
    result.figures.push_back({.key = fmt::format("cache_{}", i + 1),
                              .label = fmt::format("cache {}, by latency", i + 1),
                              .unit = "KiB",
                              .value = static_cast<double>(caches[i].bytes) / 1024});
  return result;
}

}  // namespace hpl
