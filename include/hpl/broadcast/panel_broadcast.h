#pragma once

#include <cstdint>
#include <optional>

#include "hpl/broadcast/broadcast.h"
#include "hpl/mpi/schedule.h"

namespace hpl {

/// Broadcasts panel after panel along one process row. Used by one thread.
class PanelBroadcast {
 public:
  /// `row` is ranked by process column and must outlive this.
  PanelBroadcast(const mpi::Communicator& row, BroadcastVariant variant)
      : row_(row), variant_(variant) {}

  /// Collective over the row; same order on every rank. `message` stays in use until finish().
  void start(std::span<std::byte> message, int root) {
    const BroadcastShape shape{.rank = row_.rank(),
                               .root = root,
                               .size = row_.size(),
                               .bytes = static_cast<std::int64_t>(message.size())};
    run_.emplace(row_, broadcast_schedule(variant_, shape), message, row_.tag(operation_++));
    run_->start();
  }
  /// Moves messages on if any wait to be; never blocks.
  void progress() {
    if (run_) run_->progress();
  }
  void finish(const mpi::WaitPolicy& policy) {
    if (run_) run_->wait(policy);
    run_.reset();
  }

 private:
  const mpi::Communicator& row_;
  BroadcastVariant variant_;
  std::int64_t operation_ = 0;
  std::optional<mpi::ScheduleRun> run_;
};

}  // namespace hpl
