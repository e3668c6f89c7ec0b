#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/comm/transport/transport.h"
#include "staging.h"

namespace hpl {

namespace {

/// Pinned memory for one transfer, given back to where it came from.
class Piece {
 public:
  Piece(std::vector<hpcx::Buffer>& pool, hpcx::Buffer memory)
      : pool_(&pool), memory_(std::move(memory)) {}
  Piece(Piece&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), memory_(std::move(other.memory_)) {}
  Piece& operator=(Piece&&) = delete;
  ~Piece() {
    if (pool_ != nullptr) pool_->push_back(std::move(memory_));
  }

  std::byte* data() const { return memory_.as<std::byte>(); }

 private:
  std::vector<hpcx::Buffer>* pool_;
  hpcx::Buffer memory_;
};

/// Device to host what this rank sends, messages between the copies, host to device what it
/// received: three stations, which transfers in flight pass one behind the other. Where the host
/// has the bytes already, there are only the last two.
class StagedTransfer final : public Transfer {
 public:
  /// The copies on the host.
  struct Staging {
    std::optional<Piece> piece;  ///< empty: they are the user's
    std::byte* on_host;
    StagingRanges ranges;
  };

  StagedTransfer(hpcx::StreamRef stream, Staging staging, std::span<std::byte> memory,
                 mpi::ScheduleRun run)
      : stream_(stream), staging_(std::move(staging)), memory_(memory), run_(std::move(run)) {
    if (!staging_.piece) {
      run_.start();
      return;
    }
    for (const ByteRange& part : staging_.ranges.out)
      stream_.copy(staging_.on_host + part.begin, memory_.data() + part.begin, length(part));
    out_ = stream_.record();
  }
  StagedTransfer(const StagedTransfer&) = delete;
  StagedTransfer& operator=(const StagedTransfer&) = delete;
  ~StagedTransfer() override {
    try {  // the copy may still be read by the device
      in_.synchronize();
    } catch (...) {  // the failure has been reported where it arose
    }
  }

  bool progress() override {
    if (enqueued_) return reached(in_);
    if (!run_.started()) {
      if (!reached(out_)) return false;
      run_.start();
    }
    if (!run_.progress()) return false;
    for (const ByteRange& part : staging_.ranges.in)
      stream_.copy(memory_.data() + part.begin, staging_.on_host + part.begin, length(part));
    in_ = stream_.record();
    enqueued_ = true;
    return reached(in_);
  }

 private:
  static std::size_t length(const ByteRange& part) {
    return static_cast<std::size_t>(part.end - part.begin);
  }

  /// Asks only now and then: the question goes to the device's driver and takes longer than moving
  /// MPI on, which the other transfers in flight need.
  bool reached(const hpcx::Event& event) {
    using namespace std::chrono_literals;
    if (stream_.device().shares_host_memory()) {  // who waits may have to compute it
      event.synchronize();
      return true;
    }
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look_) return false;
    next_look_ = now + 20us;
    return event.done();
  }

  hpcx::StreamRef stream_;
  Staging staging_;
  std::span<std::byte> memory_;
  mpi::ScheduleRun run_;
  hpcx::Event out_, in_;
  bool enqueued_ = false;
  std::chrono::steady_clock::time_point next_look_{};
};

class StagedTransport final : public Transport {
 public:
  StagedTransport(const mpi::Communicator& comm, hpcx::Device& device, std::int64_t piece_bytes,
                  int pieces)
      : Transport(comm.rank(), comm.size()),
        comm_(comm),
        piece_bytes_(piece_bytes),
        pieces_(pieces) {
    for (int i = 0; i < pieces; ++i)
      pool_.push_back(device.allocate_pinned(static_cast<std::size_t>(piece_bytes)));
  }

  TransportKind kind() const override { return TransportKind::MpiHost; }
  std::int64_t piece_bytes() const override { return piece_bytes_; }
  int most_in_flight() const override { return pieces_; }

  std::unique_ptr<Transfer> begin(hpcx::StreamRef stream, mpi::Schedule schedule,
                                  std::span<std::byte> memory, std::byte* host_copy) override {
    HPL_ASSERT(std::ssize(memory) <= piece_bytes_);
    std::optional<Piece> piece;
    if (host_copy == nullptr) {
      HPL_ASSERT(!pool_.empty());
      piece.emplace(pool_, std::move(pool_.back()));
      pool_.pop_back();
    }
    std::byte* const on_host = piece ? piece->data() : host_copy;
    StagingRanges ranges = staging_ranges(schedule);
    mpi::ScheduleRun run(comm_, std::move(schedule), {on_host, memory.size()},
                         comm_.tag(operation_++));
    return std::make_unique<StagedTransfer>(
        stream, StagedTransfer::Staging{std::move(piece), on_host, std::move(ranges)}, memory,
        std::move(run));
  }

 private:
  const mpi::Communicator& comm_;
  std::int64_t piece_bytes_;
  int pieces_;
  std::vector<hpcx::Buffer> pool_;
  std::int64_t operation_ = 0;
};

}  // namespace

std::unique_ptr<Transport> make_mpi_host_transport(const mpi::Communicator& comm,
                                                   hpcx::Device& device, std::int64_t piece_bytes,
                                                   int pieces) {
  return std::make_unique<StagedTransport>(comm, device, piece_bytes, pieces);
}

}  // namespace hpl
