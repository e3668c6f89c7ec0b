#pragma once

#include <cstdint>
#include <string>

#include "hpcx/device.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/request.h"
#include "hpl/job/live/rank_board.h"
#include "hpl/job/live/telemetry_sampler.h"
#include "hpl/lu/pipeline/recorder.h"

namespace hpl {

/// Brings the progress samples of all ranks to rank 0 while a run goes on, beside it and without
/// anybody waiting: a rank sends one small message when its last one is through and the interval is
/// over, rank 0 takes in what has arrived. All of it happens in step(), so in the thread that ends
/// steps; between progress samples a step costs the comparison of two numbers.
class ProgressSamples {
 public:
  /// Collective over `ranks`.
  ProgressSamples(const mpi::Communicator& ranks, const hpcx::DeviceProperties& device);

  /// At the end of each step, `seconds` after the start. On rank 0 true when there is news. One
  /// thread at a time.
  bool step(double seconds, Recorder& recorder, const TelemetrySampler& sampler);

  /// Rank 0's view, see RankBoard::fields().
  std::vector<std::string> fields() const { return board_.fields(); }

  /// Takes in what is still on its way. Collective, after the timed part.
  void finish();

 private:
  void send(Recorder& recorder, const TelemetrySampler& sampler);
  bool receive();

  mpi::Communicator comm_;
  RankBoard board_;
  double interval_;
  double next_sample_, next_look_;
  ProductWork reported_;
  ProgressSample sample_;  // untouched while it travels
  mpi::RequestSet sending_;
  std::int64_t sent_ = 0, received_ = 0;
};

}  // namespace hpl
