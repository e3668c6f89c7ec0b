#pragma once

#include <cstdint>
#include <memory>

#include "hpcx/device.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/transport/transport_choice.h"

namespace hpl {

/// Messages of device memory along a row or column of the grid: each rank sends to the next and
/// receives from the one before. Collective.
class LineExchange {
 public:
  /// `line` has two ranks or more and must outlive this.
  LineExchange(const mpi::Communicator& line, hpcx::Device& device);

  Transport& transport() const { return *chosen_.transport; }
  /// Bytes of the longest message.
  std::int64_t longest() const;
  void operator()(std::int64_t bytes) const;
  /// The best of a few, of the slowest rank.
  double seconds(std::int64_t bytes) const;

 private:
  const mpi::Communicator& line_;
  ChosenTransport chosen_;
  mpi::WaitPolicy wait_;  // as workers wait in a run: asleep where the cores compute
  hpcx::Buffer memory_;
  std::unique_ptr<Exposure> exposure_;
  hpcx::Stream stream_;
};

}  // namespace hpl
