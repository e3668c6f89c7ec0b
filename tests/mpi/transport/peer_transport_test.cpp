#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/comm/transport/transport.h"
#include "hpl/comm/transport/transport_choice.h"
#include "hpl/input/run_spec/field_rules.h"
#include "hpl/lu/broadcast/panel_broadcast.h"
#include "support/cpu_device.h"
#include "support/peer_device.h"

namespace hpl {
namespace {

using Direction = mpi::Message::Direction;

/// Several processes whose devices reach each other's memory; alone there is nobody to send to.
class PeerTransport : public testing::Test {
 protected:
  void SetUp() override {
    if (comm_.size() == 1) GTEST_SKIP() << "alone there is nobody to send to";
  }

  hpcx::Buffer allocate(std::int64_t doubles) {
    return device_.allocate(static_cast<std::size_t>(8 * doubles));
  }
  static std::unique_ptr<Exposure> expose(Transport& transport, const hpcx::Buffer& memory) {
    const hpcx::Buffer* const buffers[] = {&memory};
    return transport.expose(buffers);
  }
  static std::span<std::byte> bytes(const hpcx::Buffer& memory) {
    return {memory.as<std::byte>(), memory.bytes()};
  }
  void fill(double value, const hpcx::Buffer& memory, std::int64_t begin, std::int64_t count) {
    device_.kernels().fill(
        stream_, value, {memory.as<double>() + begin, count, 1, count, hpcx::Layout::ColumnMajor});
  }
  /// The stream comes to what is enqueued next much later than those of the others.
  void fall_behind() {
    stream_.ref().host_task([] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); });
  }
  static void finish(Transfer& transfer) {
    mpi::wait_until(mpi::WaitPolicy::sleeping(), [&] { return transfer.progress(); });
  }
  int rank(int distance) const { return (comm_.rank() + comm_.size() + distance) % comm_.size(); }

  mpi::Communicator comm_ = mpi::Communicator::world();
  std::unique_ptr<hpcx::Device> cpu_ = test::open_cpu(2);
  test::PeerDevice device_{*cpu_};
  hpcx::Stream stream_ = cpu_->create_stream(hpcx::Priority::Normal);
};

TEST_F(PeerTransport, CarriesOutPatternsOfManyStages) {
  constexpr std::int64_t kCount = 700;
  const auto transport = make_peer_transport(comm_, device_);
  const hpcx::Buffer memory = allocate(kCount);
  const auto exposed = expose(*transport, memory);
  auto* const values = memory.as<double>();
  for (const BroadcastVariant variant : choice_values(kBroadcastVariants))
    for (int root = 0; root < comm_.size(); ++root) {
      stream_.ref().synchronize();
      std::iota(values, values + kCount, comm_.rank() == root ? 1000.0 * root : -1e6);
      const auto transfer = transport->begin(stream_,
                                             broadcast_schedule(variant, {.rank = comm_.rank(),
                                                                          .root = root,
                                                                          .size = comm_.size(),
                                                                          .bytes = 8 * kCount,
                                                                          .segment_bytes = 8 * 20}),
                                             bytes(memory));
      finish(*transfer);
      stream_.ref().synchronize();
      for (std::int64_t i = 0; i < kCount; ++i)
        EXPECT_EQ(values[i], 1000.0 * root + static_cast<double>(i)) << to_string(variant);
    }
  EXPECT_GE(transport->peer_bytes(), 8 * kCount);
}

TEST_F(PeerTransport, ManyMessagesBothWaysInOneStageWaitForNothingButEachOther) {
  constexpr std::int64_t kMessages = 50;  // more than may be under way
  const auto transport = make_peer_transport(comm_, device_);
  const hpcx::Buffer memory = allocate(2 * kMessages);
  const auto exposed = expose(*transport, memory);
  auto* const values = memory.as<double>();
  std::iota(values, values + 2 * kMessages, 100.0 * comm_.rank());
  mpi::Stage stage;
  for (std::int64_t i = 0; i < kMessages; ++i) {
    stage.messages.push_back({rank(1), 8 * i, 8, Direction::Send});
    stage.messages.push_back({rank(-1), 8 * (kMessages + i), 8, Direction::Receive});
  }
  finish(*transport->begin(stream_, {stage}, bytes(memory)));
  stream_.ref().synchronize();
  for (std::int64_t i = 0; i < kMessages; ++i)
    EXPECT_EQ(values[kMessages + i], 100.0 * rank(-1) + static_cast<double>(i));
}

TEST_F(PeerTransport, AMessageIsWhatStandsThereWhenTheSendersStreamGetsThere) {
  constexpr std::int64_t kCount = 300;
  const auto transport = make_peer_transport(comm_, device_);
  const hpcx::Buffer memory = allocate(2 * kCount);
  const auto exposed = expose(*transport, memory);
  for (int late = 0; late < comm_.size(); ++late) {
    fill(-1, memory, 0, 2 * kCount);
    if (comm_.rank() == late) fall_behind();
    fill(10 * late + comm_.rank(), memory, 0, kCount);
    finish(
        *transport->begin(stream_,
                          {{.messages = {{rank(1), 0, 8 * kCount, Direction::Send},
                                         {rank(-1), 8 * kCount, 8 * kCount, Direction::Receive}}}},
                          bytes(memory)));
    stream_.ref().synchronize();
    const double* const arrived = memory.as<double>() + kCount;
    EXPECT_TRUE(std::all_of(arrived, arrived + kCount, [&](double value) {
      return value == 10 * late + rank(-1);
    })) << late;
  }
}

TEST_F(PeerTransport, ASenderWritesAgainOnlyAfterALateReceiverHasCopied) {
  constexpr std::int64_t kCount = 300;
  const auto transport = make_peer_transport(comm_, device_);
  const hpcx::Buffer memory = allocate(2 * kCount);
  const auto exposed = expose(*transport, memory);
  for (int late = 0; late < comm_.size(); ++late) {
    fill(10 * late + comm_.rank(), memory, 0, kCount);
    if (comm_.rank() == late) fall_behind();
    finish(
        *transport->begin(stream_,
                          {{.messages = {{rank(1), 0, 8 * kCount, Direction::Send},
                                         {rank(-1), 8 * kCount, 8 * kCount, Direction::Receive}}}},
                          bytes(memory)));
    fill(-1, memory, 0, kCount);
    stream_.ref().synchronize();
    const double* const arrived = memory.as<double>() + kCount;
    EXPECT_TRUE(std::all_of(arrived, arrived + kCount, [&](double value) {
      return value == 10 * late + rank(-1);
    })) << late;
  }
}

TEST_F(PeerTransport, ARootWritesAgainOnlyAfterLateReceiversAndTheNextTransfer) {
  constexpr std::int64_t kCount = 300;
  const auto transport = make_peer_transport(comm_, device_);
  // As panels do: two workspaces take turns, and each is written again after the next broadcast.
  const std::array memory{allocate(kCount), allocate(kCount)};
  const hpcx::Buffer* const buffers[] = {&memory[0], &memory[1]};
  const auto exposed = transport->expose(buffers);
  std::array<std::vector<double>, 2> kept{std::vector<double>(kCount), std::vector<double>(kCount)};
  for (int step = 0; step < 20; ++step) {
    const hpcx::Buffer& panel = memory[static_cast<std::size_t>(step % 2)];
    const int root = step * 7 / 3 % comm_.size();
    fill(comm_.rank() == root ? step : -1, panel, 0, kCount);
    if (step % 3 == 0 && comm_.rank() != root) fall_behind();
    finish(*transport->begin_broadcast(stream_, bytes(panel), root));
    std::vector<double>& arrived = kept[static_cast<std::size_t>(step % 2)];
    stream_.ref().copy(arrived.data(), panel.as<void>(), 8 * kCount);
    if (comm_.rank() == root) continue;  // goes ahead, the others look
    stream_.ref().synchronize();
    EXPECT_TRUE(std::all_of(arrived.begin(), arrived.end(), [step](double x) { return x == step; }))
        << step;
  }
  stream_.ref().synchronize();
}

TEST_F(PeerTransport, ARootGoesOnWithoutItsReceivers) {
  constexpr std::int64_t kCount = 300;
  const auto transport = make_peer_transport(comm_, device_);
  const hpcx::Buffer memory = allocate(kCount);
  const auto exposed = expose(*transport, memory);
  fill(comm_.rank(), memory, 0, kCount);
  if (comm_.rank() == 0) {
    // Nobody else has begun.
    EXPECT_TRUE(transport->begin_broadcast(stream_, bytes(memory), 0)->progress());
    stream_.ref().synchronize();
    comm_.barrier();
  } else {
    comm_.barrier();
    finish(*transport->begin_broadcast(stream_, bytes(memory), 0));
    stream_.ref().synchronize();
    EXPECT_EQ(memory.as<double>()[kCount - 1], 0);
  }
}

TEST_F(PeerTransport, BringsPanelsOfAnyLengthFromEveryRoot) {
  const auto transport = make_peer_transport(comm_, device_);
  PanelBroadcast broadcast(*transport, comm_, device_, BroadcastVariant::Ring1);
  const hpcx::Buffer memory = allocate(2000);
  const auto exposed = expose(*transport, memory);
  auto* const values = memory.as<double>();
  for (int root = 0; root < comm_.size(); ++root)
    for (const std::int64_t count : {1, 129, 2000}) {
      fill(comm_.rank() == root ? root + 0.5 : -1, memory, 0, count);
      broadcast.start(stream_, {{}, bytes(memory).first(static_cast<std::size_t>(8 * count))},
                      root);
      broadcast.finish(mpi::WaitPolicy::sleeping());
      stream_.ref().synchronize();
      EXPECT_EQ(values[0], root + 0.5);
      EXPECT_EQ(values[count - 1], root + 0.5);
      comm_.barrier();  // the next message is of the same memory
    }
}

TEST_F(PeerTransport, LeavesNothingOpenBehind) {
  const hpcx::Buffer memory = allocate(10);
  {
    const auto transport = make_peer_transport(comm_, device_);
    const int events = device_.open_handles();
    EXPECT_GT(events, 0);
    const auto exposed = expose(*transport, memory);
    EXPECT_EQ(device_.open_handles(), events + comm_.size() - 1);
    finish(*transport->begin_broadcast(stream_, bytes(memory), 0));
    stream_.ref().synchronize();
  }
  EXPECT_EQ(device_.open_handles(), 0);
}

TEST_F(PeerTransport, IsChosenAndMeasuredWhereItIsAskedFor) {
  const ChosenTransport chosen = choose_transport(
      comm_, device_, {.kind = TransportKind::Peer, .wait = mpi::WaitPolicy::sleeping()});
  EXPECT_EQ(chosen.transport->kind(), TransportKind::Peer);
  EXPECT_GT(chosen.bandwidth, 0);
  EXPECT_TRUE(chosen.remarks.empty());
}

std::string refusal_of(const mpi::Communicator& comm, hpcx::Device& device) {
  try {
    choose_transport(comm, device,
                     {.kind = TransportKind::Peer, .wait = mpi::WaitPolicy::sleeping()});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

TEST_F(PeerTransport, IsRefusedByAllRanksInTheWordsOfTheOneThatMayNot) {
  if (comm_.rank() == comm_.size() - 1) device_.refuse("other processes are out of reach");
  EXPECT_EQ(refusal_of(comm_, device_),
            "--transport peer is not available here: other processes are out of reach");
  EXPECT_EQ(refusal_of(comm_, *cpu_),
            "--transport peer is not available here: the device's memory cannot be shared");
}

}  // namespace
}  // namespace hpl
