#include <algorithm>

#include "hpl/base/number/stopwatch.h"
#include "hpl/check/probes/probe.h"

namespace hpl {
namespace {

/// Shortest time of `copy`, done again and again for `seconds`, at least three times.
template <class Copy>
double best_seconds(double seconds, hpcx::StreamRef stream, Copy copy) {
  copy();
  stream.synchronize();
  double best = 0;
  const Stopwatch all;
  for (int count = 0; count < 3 || all.seconds() < seconds; ++count) {
    const Stopwatch one;
    copy();
    stream.synchronize();
    best = count == 0 ? one.seconds() : std::min(best, one.seconds());
  }
  return best;
}

}  // namespace

void probe_device_memory(const CheckContext& context, RankRecord& record) {
  // Beyond the caches: a gibibyte on GPUs, 64 MB for each thread of a CPU.
  const std::int64_t wanted = context.device_is_host() ? context.device.properties().compute_units *
                                                             (std::int64_t{64} << 20)
                                                       : std::int64_t{1} << 30;
  const std::int64_t bytes = std::min(wanted, record.free_bytes / 8);
  constexpr std::int64_t kRows = 1024;
  const std::int64_t columns = std::max<std::int64_t>(bytes / (8 * kRows), 1);
  const auto allocated = static_cast<std::size_t>(8 * kRows * columns);
  const hpcx::Buffer source = context.device.allocate(allocated);
  const hpcx::Buffer target = context.device.allocate(allocated);
  const hpcx::Stream stream = context.device.create_stream(hpcx::Priority::Normal);
  const hpcx::MatrixView from{source.as<double>(), kRows, columns, kRows},
      to{target.as<double>(), kRows, columns, kRows};
  context.device.kernels().fill(stream, 1.0, from);
  const double seconds =
      best_seconds(0.3, stream, [&] { context.device.kernels().copy(stream, from, to); });
  // Every byte is read once and written once.
  record.measurements.push_back(
      {Figure::DeviceMemory, kNoPeer, 2e-9 * static_cast<double>(allocated) / seconds});
}

void probe_host_device_copies(const CheckContext& context, RankRecord& record) {
  if (context.device_is_host())
    return skip(record, "copies between host and device", "the device shares the host's memory");
  const std::int64_t wanted = std::int64_t{context.brief() ? 32 : 256} << 20;
  const auto bytes = static_cast<std::size_t>(std::min(wanted, record.free_bytes / 8));
  const hpcx::Buffer pinned = context.device.allocate_pinned(bytes);
  const hpcx::Buffer memory = context.device.allocate(bytes);
  const hpcx::Stream owned = context.device.create_stream(hpcx::Priority::Normal);
  const hpcx::StreamRef stream = owned;
  const double seconds = context.brief() ? 0.02 : 0.3;
  const auto rate = [&](auto* to, const auto* from) {
    return 1e-9 * static_cast<double>(bytes) /
           best_seconds(seconds, stream, [&] { stream.copy(to, from, bytes); });
  };
  record.measurements.push_back(
      {Figure::HostToDevice, kNoPeer, rate(memory.as<std::byte>(), pinned.as<std::byte>())});
  record.measurements.push_back(
      {Figure::DeviceToHost, kNoPeer, rate(pinned.as<std::byte>(), memory.as<std::byte>())});
}

}  // namespace hpl
