#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "hpl/base/choice/choices.h"
#include "hpl/base/number/statistics.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/machine/model/rate_table.h"

namespace hpl {

/// Of an axis of a table.
using Sizes = std::vector<double>;

inline std::int64_t whole(double size) {
  return static_cast<std::int64_t>(size);
}

/// Those that are not beyond `most`; the smallest in any case.
inline Sizes up_to(Sizes sizes, double most) {
  const double smallest = sizes.front();
  std::erase_if(sizes, [&](double size) { return size > most && size > smallest; });
  return sizes;
}

/// The depths that NB may have, and panels as tall and narrow as they get.
inline Sizes block_sizes(ProcessorKind kind, bool mixed = false) {
  if (kind == ProcessorKind::Cpu) return {32, 64, 128, 192, 256};
  return mixed ? Sizes{256, 512, 1024, 2048, 4096} : Sizes{128, 256, 512, 1024, 2048};
}

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

/// Rates that all ranks measure at the same time, medians of the ranks that do. Collective.
class RateTables {
 public:
  /// `world` must outlive this. `on_probe`: see RateSetup.
  RateTables(const mpi::Communicator& world, std::function<void(const char*)> on_probe)
      : world_(world), on_probe_(std::move(on_probe)) {}

  /// Of a probe, with its name.
  void begin(const char* probe) const {
    if (on_probe_) on_probe_(probe);
    world_.barrier();
  }
  const mpi::Communicator& world() const { return world_; }
  /// `value`: kNotMeasured on ranks that have none, not all of them.
  double median_of_ranks(double value) const {
    std::vector<double> values = world_.all_gather(value);
    std::erase_if(values, [](double of_rank) { return std::isnan(of_rank); });
    return median(std::move(values));
  }

  /// `value(sizes...)` for every combination, in the order of a RateTable: all ranks begin each
  /// together.
  template <class Value>
  RateTable table(std::vector<Sizes> axes, Value value) const {
    std::vector<double> values;
    Sizes sizes(axes.size());
    const auto fill = [&](const auto& self, std::size_t axis) -> void {
      if (axis == axes.size()) {
        world_.barrier();
        values.push_back(median_of_ranks(value(sizes)));
        return;
      }
      for (const double size : axes[axis]) {
        sizes[axis] = size;
        self(self, axis + 1);
      }
    };
    fill(fill, 0);
    return {std::move(axes), std::move(values)};
  }

 private:
  const mpi::Communicator& world_;
  std::function<void(const char*)> on_probe_;
};

}  // namespace hpl
