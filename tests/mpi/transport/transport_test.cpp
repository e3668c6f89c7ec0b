#include "hpl/comm/transport/transport.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/comm/transport/transport_choice.h"
#include "hpl/input/run_spec/field_rules.h"
#include "hpl/lu/broadcast/panel_broadcast.h"
#include "support/counting_device.h"
#include "support/cpu_device.h"
#include "support/message_of.h"

namespace hpl {
namespace {

constexpr std::int64_t kPiece = 1024;

class OnCpu : public testing::Test {
 protected:
  std::unique_ptr<Transport> open(TransportKind kind) {
    return kind == TransportKind::MpiHost ? make_mpi_host_transport(comm_, *device_, kPiece, 3)
                                          : make_mpi_device_transport(comm_);
  }

  mpi::Communicator comm_ = mpi::Communicator::world();
  std::unique_ptr<hpcx::Device> device_ = test::open_cpu(1);
  hpcx::Stream stream_ = device_->create_stream(hpcx::Priority::Normal);
};

class PanelBroadcastBy : public OnCpu, public testing::WithParamInterface<TransportKind> {};

TEST_P(PanelBroadcastBy, BringsMessagesOfAnyLengthFromEveryRoot) {
  for (const BroadcastVariant variant : choice_values(kBroadcastVariants)) {
    const auto transport = open(GetParam());
    PanelBroadcast broadcast(*transport, comm_, *device_, variant);
    for (int root = 0; root < comm_.size(); ++root)
      for (const std::int64_t count : {1, 127, 128, 129, 2000}) {
        const auto bytes = static_cast<std::size_t>(8 * count);
        const hpcx::Buffer memory = device_->allocate(bytes);
        auto* const values = memory.as<double>();
        std::array<std::byte, 24> sent{};
        sent.fill(std::byte(comm_.rank() == root ? root + 1 : 77));
        // Every other message comes without.
        const std::span<std::byte> header(sent.data(), count % 2 == 0 ? 0 : sent.size());
        std::iota(values, values + count, comm_.rank() == root ? 1000.0 * root : -1e6);

        broadcast.start(stream_, {header, {memory.as<std::byte>(), bytes}}, root);
        broadcast.finish(mpi::WaitPolicy::sleeping());
        stream_.ref().synchronize();

        for (const std::byte byte : header)
          ASSERT_EQ(byte, std::byte(root + 1));
        for (std::int64_t i = 0; i < count; ++i)
          ASSERT_EQ(values[i], 1000.0 * root + static_cast<double>(i))
              << to_string(variant) << " root " << root << " of " << count;
      }
  }
}

TEST_P(PanelBroadcastBy, TakesTheRootsBytesAsTheyAreWhenTheStreamGetsThere) {
  const auto transport = open(GetParam());
  PanelBroadcast broadcast(*transport, comm_, *device_, BroadcastVariant::Ring1);
  constexpr std::size_t kCount = 700;
  const hpcx::Buffer memory = device_->allocate(8 * kCount);
  auto* const values = memory.as<double>();
  const hpcx::MatrixView view{values, kCount, 1, kCount, hpcx::Layout::ColumnMajor};
  device_->kernels().fill(stream_, comm_.rank() == 0 ? 7.0 : 0.0, view);

  broadcast.start(stream_, {{}, {memory.as<std::byte>(), 8 * kCount}}, 0);
  broadcast.finish(mpi::WaitPolicy::sleeping());
  stream_.ref().synchronize();

  EXPECT_TRUE(std::all_of(values, values + kCount, [](double value) { return value == 7.0; }));
}

TEST_F(OnCpu, APanelIsSentFromTheHostWhereTheHostHasIt) {
  const auto transport = open(TransportKind::MpiHost);
  for (const BroadcastVariant variant : choice_values(kBroadcastVariants)) {
    PanelBroadcast broadcast(*transport, comm_, *device_, variant);
    for (int root = 0; root < comm_.size(); ++root) {
      constexpr std::size_t kCount = 700;
      const hpcx::Buffer memory = device_->allocate(8 * kCount);
      const hpcx::Buffer host = device_->allocate_pinned(8 * kCount);
      std::iota(host.as<double>(), host.as<double>() + kCount,
                comm_.rank() == root ? 1000.0 * root : -1e6);
      // On the root the device has something else: nothing of it may travel.
      std::fill_n(memory.as<double>(), kCount, -2.0);

      broadcast.start(stream_, {{}, {memory.as<std::byte>(), 8 * kCount}, host.as<std::byte>()},
                      root);
      broadcast.finish(mpi::WaitPolicy::sleeping());
      stream_.ref().synchronize();

      const double* const arrived = comm_.rank() == root ? host.as<double>() : memory.as<double>();
      for (std::size_t i = 0; i < kCount; ++i)
        ASSERT_EQ(arrived[i], 1000.0 * root + static_cast<double>(i))
            << to_string(variant) << " root " << root;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, PanelBroadcastBy,
                         testing::Values(TransportKind::MpiHost, TransportKind::MpiDevice),
                         [](const auto& parameter) {
                           return parameter.param == TransportKind::MpiHost ? "ThroughPieces"
                                                                            : "Directly";
                         });

using TransportChoice = OnCpu;

TEST_F(TransportChoice, OfProcessorsOnOneNodeIsEachOthersMemory) {
  const ChosenTransport chosen =
      choose_transport(comm_, *device_, {.wait = mpi::WaitPolicy::sleeping()});
  EXPECT_EQ(chosen.transport->kind(),
            comm_.size() > 1 ? TransportKind::Peer : TransportKind::MpiDevice);
  EXPECT_TRUE(chosen.remarks.empty());
}

TEST(TransportRule, TriesNcclBesideCopiesThatPcieCouldCarryAndMpiBesideMpi) {
  using enum TransportKind;
  EXPECT_TRUE(may_be_better(Nccl, Peer, 25));
  EXPECT_FALSE(may_be_better(Nccl, Peer, 200));
  for (const TransportKind best : {Peer, Nccl})
    EXPECT_FALSE(may_be_better(MpiDevice, best, 25));
  EXPECT_TRUE(may_be_better(MpiHost, MpiDevice, 200));
}

TEST_F(TransportChoice, GoesThroughTheHostWhereThatIsAskedFor) {
  const ChosenTransport chosen = choose_transport(comm_, *device_,
                                                  {.kind = TransportKind::MpiHost,
                                                   .least_piece_bytes = std::int64_t{20} << 20,
                                                   .wait = mpi::WaitPolicy::sleeping()});
  if (comm_.size() == 1) return;
  EXPECT_EQ(chosen.transport->kind(), TransportKind::MpiHost);
  EXPECT_GE(chosen.transport->piece_bytes(), std::int64_t{20} << 20);
  EXPECT_GT(chosen.bandwidth, 0);
}

TEST_F(TransportChoice, PinsAsMuchAsItSaysForTheWayThroughTheHost) {
  if (comm_.size() == 1) GTEST_SKIP() << "alone there is nobody to send to";
  for (const std::int64_t least : {std::int64_t{1}, std::int64_t{20} << 20}) {
    test::CountingDevice device(*device_, false);
    const ChosenTransport chosen = choose_transport(comm_, device,
                                                    {.kind = TransportKind::MpiHost,
                                                     .least_piece_bytes = least,
                                                     .wait = mpi::WaitPolicy::sleeping()});
    EXPECT_EQ(device.live(), (MemoryBytes{0, staging_bytes(least)}));
  }
}

TEST_F(TransportChoice, RefusesWhatTheDeviceDoesNotHaveInWords) {
  if (comm_.size() == 1) GTEST_SKIP() << "alone there is nobody to send to";
  EXPECT_EQ(test::message_of<ConfigError>([&] {
              choose_transport(comm_, *device_,
                               {.kind = TransportKind::Nccl, .wait = mpi::WaitPolicy::sleeping()});
            }),
            "--transport nccl is not available here: the device has no collectives of its own");
}

}  // namespace
}  // namespace hpl
