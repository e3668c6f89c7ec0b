#pragma once

#include <optional>

#include "hpcx/device.h"
#include "hpl/lu/schedule/task.h"

namespace hpl {

/// The streams of the stages.
struct StageStreams {
  /// `with_copies`: those of Load and Store as well.
  explicit StageStreams(hpcx::Device& device, bool with_copies = false);
  hpcx::StreamRef of(Worker worker) const;
  hpcx::Stream panel, transfer, swap, update;
  std::optional<hpcx::Stream> load, store;
};

}  // namespace hpl
