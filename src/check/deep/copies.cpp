#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "attempt.h"
#include "hpl/base/number/stopwatch.h"
#include "hpl/check/deep/deep_check.h"

namespace hpl {
namespace {

/// GB/s into the device and out of it.
struct WayRates {
  double in = 0, out = 0;
};

class Copies {
 public:
  Copies(hpcx::Device& device, std::size_t bytes)
      : bytes_(bytes),
        host_in_(device.allocate_pinned(bytes)),
        host_out_(device.allocate_pinned(bytes)),
        device_in_(device.allocate(bytes)),
        device_out_(device.allocate(bytes)),
        in_(device.create_stream(hpcx::Priority::Normal)),
        out_(device.create_stream(hpcx::Priority::Normal)) {}

  /// Again and again for `seconds`: bytes of each direction by the time until both are done.
  WayRates rates(bool in, bool out, double seconds) {
    WayRates best;
    const Stopwatch all;
    for (int count = 0; count < 3 || all.seconds() < seconds; ++count) {
      const hpcx::Event in_begin = in_.ref().record(), out_begin = out_.ref().record();
      for (int piece = 0; piece < kPieces; ++piece) {
        if (in) in_.ref().copy(device_in_.as<void>(), host_in_.as<void>(), bytes_);
        if (out) out_.ref().copy(host_out_.as<void>(), device_out_.as<void>(), bytes_);
      }
      const hpcx::Event in_end = in_.ref().record(), out_end = out_.ref().record();
      in_end.synchronize();
      out_end.synchronize();
      const double gigabytes = 1e-9 * kPieces * static_cast<double>(bytes_);
      if (in) best.in = std::max(best.in, gigabytes / in_end.seconds_since(in_begin));
      if (out) best.out = std::max(best.out, gigabytes / out_end.seconds_since(out_begin));
    }
    return best;
  }

 private:
  static constexpr int kPieces = 4;  // so that both directions are busy for most of the time

  std::size_t bytes_;
  hpcx::Buffer host_in_, host_out_, device_in_, device_out_;
  hpcx::Stream in_, out_;
};

struct CopyKind {
  const char* key;
  const char* words;
  bool in, out;
};
constexpr std::array<CopyKind, 3> kKinds{{{"in", "host to device", true, false},
                                          {"out", "device to host", false, true},
                                          {"both", "both ways", true, true}}};

/// Figures of one kind of copies; `alone`: of one direction by itself, one rank at a time.
std::vector<DeepFigure> figures_of(const CopyKind& kind, bool together, const WayRates& rates,
                                   const std::optional<WayRates>& alone) {
  std::vector<DeepFigure> figures;
  const bool both = kind.in && kind.out;
  const auto add = [&](const char* direction, const char* words, double WayRates::*way) {
    const double value = rates.*way, of = alone ? *alone.*way : 0;
    figures.push_back({.key = fmt::format("copy_{}{}_{}", both ? "both_" : "", direction,
                                          together ? "together" : "alone"),
                       .label = fmt::format("copy {}{}, {}", words, both ? " of both ways" : "",
                                            together ? "all ranks at once" : "one rank at a time"),
                       .unit = "GB/s",
                       .of_device = true,
                       .value = value,
                       .share = of > 0 ? std::optional(value / of) : std::nullopt});
  };
  if (kind.in) add("in", "host to device", &WayRates::in);
  if (kind.out) add("out", "device to host", &WayRates::out);
  return figures;
}

}  // namespace

DeepResult measure_copies(const DeepSetup& setup) {
  DeepResult result;
  const bool mine = !setup.device.shares_host_memory();
  if (setup.world.all_reduce(mine ? 1 : 0, mpi::Reduce::Max) == 0) {
    result.skipped = "the device shares the host's memory";
    return result;
  }
  const auto ranks = static_cast<int>(setup.world.all_reduce(setup.node.size(), mpi::Reduce::Max));
  const double slice = setup.seconds / (static_cast<double>(kKinds.size()) * (ranks + 1));
  constexpr std::int64_t kBytes = std::int64_t{64} << 20;
  std::optional<Copies> copies;
  if (mine)
    attempt(result.failed, [&] {
      copies.emplace(setup.device,
                     static_cast<std::size_t>(std::min(kBytes, setup.memory_bytes / 16)));
    });
  const auto measured = [&](const CopyKind& kind) {
    WayRates rates;
    if (copies && result.failed.empty())
      attempt(result.failed, [&] { rates = copies->rates(kind.in, kind.out, slice); });
    return rates;
  };
  WayRates alone;  // one direction by itself
  for (const bool together : {false, true})
    for (const CopyKind& kind : kKinds) {
      WayRates rates;
      if (together) {
        setup.world.barrier();
        rates = measured(kind);
      } else {
        for (int rank = 0; rank < ranks; ++rank) {
          setup.world.barrier();
          if (rank == setup.node.rank()) rates = measured(kind);
        }
        if (!(kind.in && kind.out))
          (kind.in ? alone.in : alone.out) = kind.in ? rates.in : rates.out;
      }
      if (!copies || !result.failed.empty()) continue;
      const bool first = !together && !(kind.in && kind.out);
      const std::vector<DeepFigure> figures =
          figures_of(kind, together, rates, first ? std::nullopt : std::optional<WayRates>(alone));
      result.figures.insert(result.figures.end(), figures.begin(), figures.end());
    }
  return result;
}

}  // namespace hpl
