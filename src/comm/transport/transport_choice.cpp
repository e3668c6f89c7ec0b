#include "hpl/comm/transport/transport_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "hpcx/error.h"
#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/comm/transport/transfer_queue.h"

namespace hpl {

namespace {

constexpr std::int64_t kPieceBytes = std::int64_t{8} << 20;
constexpr int kPieces = 4;
constexpr const char* kAbout = "transport";  // of remarks
/// Of transports that take messages of any length: long enough for the fastest links.
constexpr std::int64_t kLongMessageBytes = std::int64_t{32} << 20;

std::int64_t staged_piece(std::int64_t least_bytes) {
  return std::max(kPieceBytes, least_bytes);
}

struct Neighbours {
  int left, right;
};

/// In the ring of all ranks.
Neighbours neighbours(const mpi::Communicator& comm) {
  return {(comm.rank() + comm.size() - 1) % comm.size(), (comm.rank() + 1) % comm.size()};
}

/// GB/s each way of a ring exchange, by the slowest rank; the first round opens connections.
double measure_ring(const mpi::Communicator& comm, hpcx::Device& device, Transport& transport,
                    const mpi::WaitPolicy& wait) {
  using Direction = mpi::Message::Direction;
  constexpr int kMessages = kPieces, kRounds = 4;
  const std::int64_t bytes = transport.piece_bytes() == INT64_MAX
                                 ? kLongMessageBytes
                                 : std::min(kPieceBytes, transport.piece_bytes()) / 2 / 8 * 8;
  const int slots = std::min(kMessages, transport.most_in_flight());
  const auto size = static_cast<std::size_t>(2 * bytes);
  const auto [left, right] = neighbours(comm);
  const hpcx::Stream owned = device.create_stream(hpcx::Priority::High);
  const hpcx::StreamRef stream = owned;
  const hpcx::Buffer memory = device.allocate(static_cast<std::size_t>(slots) * size);
  const hpcx::Buffer* const buffers[] = {&memory};
  const std::unique_ptr<Exposure> exposure = transport.expose(buffers);
  device.kernels().fill(
      stream, 1.0,
      {memory.as<double>(), slots, 2 * bytes / 8, 2 * bytes / 8, hpcx::Layout::RowMajor});
  stream.synchronize();

  double best = INFINITY;
  for (int round = 0; round < kRounds; ++round) {
    comm.barrier();
    const auto start = std::chrono::steady_clock::now();
    TransferQueue queue;
    mpi::Waiter waiter(wait);
    for (int begun = 0; begun < kMessages || !queue.empty();) {
      if (begun < kMessages && queue.size() < transport.most_in_flight()) {
        queue.add(transport.begin(
            stream,
            {{.messages = {{right, 0, bytes, Direction::Send},
                           {left, bytes, bytes, Direction::Receive}}}},
            {memory.as<std::byte>(static_cast<std::size_t>(begun % slots) * size), size}));
        ++begun;
      } else if (!queue.pop_done()) {
        waiter.pause();
      }
    }
    stream.synchronize();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    const double seconds = comm.all_reduce(elapsed.count(), mpi::Reduce::Max);
    if (round > 0) best = std::min(best, seconds);
  }
  return kMessages * static_cast<double>(bytes) / best / 1e9;
}

bool is_between_devices(TransportKind kind) {
  return kind == TransportKind::Peer || kind == TransportKind::Nccl;
}

class Chooser {
 public:
  Chooser(const mpi::Communicator& comm, hpcx::Device& device, const TransportNeeds& needs)
      : comm_(comm), device_(device), needs_(needs) {}

  ChosenTransport run() {
    if (comm_.size() == 1) return {.transport = make_mpi_device_transport(comm_)};
    if (device_.shares_host_memory() && !needs_.kind) return of_shared_memory();
    ChosenTransport best;
    // Mapped memory means the ranks that can have it. The others choose as without it.
    const bool out_of_reach = comm_.split_shared().size() != comm_.size();
    const bool asks_in_vain = out_of_reach && needs_.kind == TransportKind::Peer;
    if (asks_in_vain)
      best.remarks.push_back(
          warning(kAbout, "transport peer: not between nodes, the fastest of the others there"));
    const std::optional<TransportKind> wanted = asks_in_vain ? std::nullopt : needs_.kind;
    std::vector<Remark> refused;
    for (const auto& [kind, name, alias, report] : kTransports) {
      if (wanted && *wanted != kind) continue;
      if (out_of_reach && kind == TransportKind::Peer) continue;
      if (best.transport != nullptr &&
          (needs_.first_that_works || !may_be_better(kind, best.transport->kind(), best.bandwidth)))
        break;
      std::string reason;
      std::unique_ptr<Transport> transport = open(kind, reason);
      if (transport == nullptr) {
        if (wanted) throw ConfigError("--transport {} is not available here: {}", name, reason);
        refused.push_back(warning(kAbout, fmt::format("transport {}: {}", name, reason)));
        continue;
      }
      const double bandwidth = measure_ring(comm_, device_, *transport, needs_.wait);
      if (best.transport == nullptr || bandwidth > best.bandwidth) {
        best.transport = std::move(transport);
        best.bandwidth = bandwidth;
      }
    }
    if (!is_between_devices(best.transport->kind()))
      std::ranges::move(refused, std::back_inserter(best.remarks));
    return best;
  }

 private:
  /// MPI copies twice, and only while both ends poll.
  ChosenTransport of_shared_memory() {
    ChosenTransport chosen;
    if (comm_.split_shared().size() == comm_.size()) {
      std::string reason;
      chosen.transport = made_by(make_peer_transport, reason);
      if (chosen.transport == nullptr)
        chosen.remarks.push_back(warning(kAbout, "transport peer: " + reason));
    }
    if (chosen.transport == nullptr) chosen.transport = make_mpi_device_transport(comm_);
    return chosen;
  }

  std::unique_ptr<Transport> open(TransportKind kind, std::string& reason) {
    switch (kind) {
      case TransportKind::Nccl:
        reason = why_no_groups();
        return reason.empty() ? made_by(
                                    [this](const mpi::Communicator& comm, hpcx::Device& device) {
                                      return make_device_transport(comm, device, ways());
                                    },
                                    reason, needs_.patience)
                              : nullptr;
      case TransportKind::Peer:
        return made_by(make_peer_transport, reason);
      case TransportKind::MpiDevice:
        reason = why_no_device_messages(comm_, device_, needs_.wait);
        return reason.empty() ? make_mpi_device_transport(comm_) : nullptr;
      case TransportKind::MpiHost:
        return make_mpi_host_transport(comm_, device_, staged_piece(needs_.least_piece_bytes),
                                       kPieces);
    }
    return nullptr;
  }

  /// The ways of a run and of measure_ring().
  MessageWays ways() const {
    const auto [left, right] = neighbours(comm_);
    MessageWays all = needs_.ways;
    all.peers.insert(all.peers.end(), {left, right});
    std::ranges::sort(all.peers);
    const auto twice = std::ranges::unique(all.peers);
    all.peers.erase(twice.begin(), twice.end());
    return all;
  }

  std::string why_no_groups() const {
    const hpcx::Interconnect* const interconnect = device_.interconnect();
    return mpi::common_reason(comm_, interconnect == nullptr
                                         ? "the device has no collectives of its own"
                                         : interconnect->why_no_groups());
  }

  /// `patience`: of a rank that is refused, where the library may keep the others.
  template <class Make>
  std::unique_ptr<Transport> made_by(Make make, std::string& reason,
                                     std::optional<std::chrono::milliseconds> patience = {}) {
    std::unique_ptr<Transport> transport;
    try {
      transport = make(comm_, device_);
    } catch (const hpcx::Error& error) {
      reason = error.what();
    }
    reason =
        patience ? mpi::common_reason(comm_, reason, *patience) : mpi::common_reason(comm_, reason);
    return reason.empty() ? std::move(transport) : nullptr;
  }

  const mpi::Communicator& comm_;
  hpcx::Device& device_;
  const TransportNeeds& needs_;
};

}  // namespace

std::int64_t staging_bytes(std::int64_t least_piece_bytes) {
  return kPieces * staged_piece(least_piece_bytes);
}

bool may_be_better(TransportKind next, TransportKind best, double bandwidth) {
  // PCI Express 5 of 16 lanes carries less. NCCL may have a better way there.
  constexpr double kFasterThanPcie = 64;
  // Nothing through MPI comes near the devices' own links.
  return !is_between_devices(best) || (next == TransportKind::Nccl && bandwidth < kFasterThanPcie);
}

ChosenTransport choose_transport(const mpi::Communicator& comm, hpcx::Device& device,
                                 const TransportNeeds& needs) {
  const std::int64_t free_before = device.memory().free;
  ChosenTransport chosen = Chooser(comm, device, needs).run();
  if (device.shares_host_memory() || comm.size() == 1) return chosen;
  comm.barrier();  // ranks that share a device have given back what they measured with
  const std::int64_t taken = comm.all_reduce(free_before - device.memory().free, mpi::Reduce::Max);
  chosen.device_bytes = std::max<std::int64_t>(0, taken);
  return chosen;
}

}  // namespace hpl
