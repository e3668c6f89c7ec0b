#include "hpl/lu/system/stage_streams.h"

#include "hpl/base/error/error.h"

namespace hpl {

using hpcx::Priority;

// The panel is the critical path and the exchange feeds the update: both go before it.
StageStreams::StageStreams(hpcx::Device& device, bool with_copies)
    : panel(device.create_stream(Priority::High)),
      transfer(device.create_stream(Priority::High)),
      swap(device.create_stream(Priority::High)),
      update(device.create_stream(Priority::Normal)) {
  if (!with_copies) return;
  load.emplace(device.create_stream(Priority::Normal));
  store.emplace(device.create_stream(Priority::Normal));
}

hpcx::StreamRef StageStreams::of(Worker worker) const {
  switch (worker) {
    case Worker::Panel:
      return panel;
    case Worker::Transfer:
      return transfer;
    case Worker::Swap:
      return swap;
    case Worker::Update:
      return update;
    case Worker::Load:
      return *load;
    case Worker::Store:
      return *store;
    case Worker::Host:
      break;  // not a stream of this device
  }
  HPL_ASSERT(!"a worker with a stream of the device");
  return update;
}

}  // namespace hpl
