#include "hpl/comm/transport/transport.h"

namespace hpl {

namespace {

/// Messages between the memories themselves.
class DirectTransfer final : public Transfer {
 public:
  explicit DirectTransfer(mpi::ScheduleRun run) : run_(std::move(run)) { run_.start(); }
  bool progress() override { return run_.progress(); }

 private:
  mpi::ScheduleRun run_;
};

class DirectTransport final : public Transport {
 public:
  explicit DirectTransport(const mpi::Communicator& comm)
      : Transport(comm.rank(), comm.size()), comm_(comm) {}

  TransportKind kind() const override { return TransportKind::MpiDevice; }

  std::unique_ptr<Transfer> begin(hpcx::StreamRef stream, mpi::Schedule schedule,
                                  std::span<std::byte> memory, std::byte*) override {
    stream.synchronize();  // asleep, where polling for the event would take a core from the work
    if (stream.device().shares_host_memory())
      schedule = mpi::in_pieces(schedule, mpi::kPolledPiece);
    return std::make_unique<DirectTransfer>(
        mpi::ScheduleRun(comm_, std::move(schedule), memory, comm_.tag(operation_++)));
  }

 private:
  const mpi::Communicator& comm_;
  std::int64_t operation_ = 0;
};

}  // namespace

std::unique_ptr<Transport> make_mpi_device_transport(const mpi::Communicator& comm) {
  return std::make_unique<DirectTransport>(comm);
}

}  // namespace hpl
