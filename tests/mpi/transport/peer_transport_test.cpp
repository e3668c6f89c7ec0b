#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include <gtest/gtest.h>
#include <mpi.h>

#include "hpcx/error.h"
#include "hpl/base/error/error.h"
#include "hpl/comm/transport/transport.h"
#include "hpl/comm/transport/transport_choice.h"
#include "hpl/input/run_spec/field_rules.h"
#include "hpl/lu/broadcast/broadcast.h"
#include "support/cpu_device.h"
#include "support/message_of.h"
#include "support/peer_device.h"

namespace {

/// Every rank is a node of its own.
bool far_apart = false;

}  // namespace

/// In front of MPI's.
extern "C" int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                                   MPI_Comm* part) {
  if (!far_apart) return PMPI_Comm_split_type(comm, type, key, info, part);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return PMPI_Comm_split(comm, rank, key, part);
}

namespace hpl {
namespace {

using Direction = mpi::Message::Direction;

struct Devices {
  const char* name;
  hpcx::Backend backend;
  bool in_manner_of_gpus = false;  ///< of processors: streams wait for other processes
};

/// On processors, on GPUs where there are any, and on processors in their manner. Alone there is
/// nobody to send to.
class PeerTransport : public testing::TestWithParam<Devices> {
 protected:
  void SetUp() override {
    if (comm_.size() == 1) GTEST_SKIP() << "alone there is nobody to send to";
    const auto& [name, backend, in_manner_of_gpus] = GetParam();
    const std::string reason = hpcx::why_unavailable(backend);
    if (!reason.empty()) GTEST_SKIP() << reason;
    if (in_manner_of_gpus) {
      inner_ = test::open_cpu(2);
      device_ = std::make_unique<test::PeerDevice>(*inner_);
    } else if (backend == hpcx::Backend::Cpu) {
      device_ = test::open_cpu(2);
    } else {
      const auto count =
          std::ranges::count(hpcx::list_devices(), backend, &hpcx::DeviceProperties::backend);
      const int index = comm_.rank() % static_cast<int>(count);
      device_ = hpcx::open_device({.backend = backend, .index = index});
    }
    stream_.emplace(device_->create_stream(hpcx::Priority::Normal));
    try {
      transport_ = make_peer_transport(comm_, *device_);
    } catch (const hpcx::Error& refusal) {
      if (backend == hpcx::Backend::Cpu) throw;
      GTEST_SKIP() << refusal.what();
    }
  }
  void TearDown() override {
    if (device_) device_->synchronize();
  }

  hpcx::Buffer allocate(std::int64_t doubles) {
    return device_->allocate(static_cast<std::size_t>(8 * doubles));
  }
  std::unique_ptr<Exposure> expose(const hpcx::Buffer& memory) {
    const hpcx::Buffer* const buffers[] = {&memory};
    return transport_->expose(buffers);
  }
  static std::span<std::byte> bytes(const hpcx::Buffer& memory) {
    return {memory.as<std::byte>(), memory.bytes()};
  }
  hpcx::StreamRef stream() const { return *stream_; }
  void fill(double value, const hpcx::Buffer& memory, std::int64_t begin, std::int64_t count) {
    device_->kernels().fill(
        stream(), value, {memory.as<double>() + begin, count, 1, count, hpcx::Layout::ColumnMajor});
  }
  /// first, first + 1, ...
  void count_up(double first, const hpcx::Buffer& memory) {
    std::vector<double> values(memory.bytes() / 8);
    std::iota(values.begin(), values.end(), first);
    stream().copy(memory.as<void>(), values.data(), memory.bytes());
    stream().synchronize();
  }
  std::vector<double> read(const hpcx::Buffer& memory) {
    std::vector<double> values(memory.bytes() / 8);
    stream().copy(values.data(), memory.as<void>(), memory.bytes());
    stream().synchronize();
    return values;
  }
  /// The stream comes to what is enqueued next much later than those of the others.
  void fall_behind() {
    stream().host_task([] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); });
  }
  /// Half of the memory to the right, from the left into the other half.
  void pass_on(const hpcx::Buffer& memory) {
    const auto half = static_cast<std::int64_t>(memory.bytes()) / 2;
    finish(*transport_->begin(stream(),
                              {{.messages = {{rank(1), 0, half, Direction::Send},
                                             {rank(-1), half, half, Direction::Receive}}}},
                              bytes(memory)));
  }
  void expect_second_half(double value, const hpcx::Buffer& memory) {
    const std::vector<double> values = read(memory);
    EXPECT_TRUE(std::all_of(values.begin() + std::ssize(values) / 2, values.end(),
                            [value](double x) { return x == value; }));
  }
  static void finish(Transfer& transfer) {
    mpi::wait_until(mpi::WaitPolicy::sleeping(), [&] { return transfer.progress(); });
  }
  int rank(int distance) const { return (comm_.rank() + comm_.size() + distance) % comm_.size(); }

  mpi::Communicator comm_ = mpi::Communicator::world();
  std::unique_ptr<hpcx::Device> inner_, device_;
  std::optional<hpcx::Stream> stream_;
  std::unique_ptr<Transport> transport_;
};

TEST_P(PeerTransport, CarriesOutPatternsOfManyStages) {
  constexpr std::int64_t kCount = 700;
  const hpcx::Buffer memory = allocate(kCount);
  const auto exposed = expose(memory);
  for (const BroadcastVariant variant : choice_values(kBroadcastVariants))
    for (int root = 0; root < comm_.size(); ++root) {
      count_up(comm_.rank() == root ? 1000.0 * root : -1e6, memory);
      const auto transfer =
          transport_->begin(stream(),
                            broadcast_schedule(variant, {.rank = comm_.rank(),
                                                         .root = root,
                                                         .size = comm_.size(),
                                                         .bytes = 8 * kCount,
                                                         .segment_bytes = 8 * 20}),
                            bytes(memory));
      finish(*transfer);
      const std::vector<double> values = read(memory);
      for (std::int64_t i = 0; i < kCount; ++i)
        EXPECT_EQ(values[static_cast<std::size_t>(i)], 1000.0 * root + static_cast<double>(i))
            << to_string(variant);
    }
  EXPECT_GE(transport_->peer_bytes(), 8 * kCount);
}

TEST_P(PeerTransport, ManyMessagesBothWaysInOneStageWaitForNothingButEachOther) {
  constexpr std::int64_t kMessages = 50;  // more than may be under way
  const hpcx::Buffer memory = allocate(2 * kMessages);
  const auto exposed = expose(memory);
  count_up(100.0 * comm_.rank(), memory);
  mpi::Stage stage;
  for (std::int64_t i = 0; i < kMessages; ++i) {
    stage.messages.push_back({rank(1), 8 * i, 8, Direction::Send});
    stage.messages.push_back({rank(-1), 8 * (kMessages + i), 8, Direction::Receive});
  }
  finish(*transport_->begin(stream(), {stage}, bytes(memory)));
  const std::vector<double> values = read(memory);
  for (std::int64_t i = 0; i < kMessages; ++i)
    EXPECT_EQ(values[static_cast<std::size_t>(kMessages + i)],
              100.0 * rank(-1) + static_cast<double>(i));
}

TEST_P(PeerTransport, AMessageIsWhatStandsThereWhenTheSendersStreamGetsThere) {
  constexpr std::int64_t kCount = 300;
  const hpcx::Buffer memory = allocate(2 * kCount);
  const auto exposed = expose(memory);
  for (int late = 0; late < comm_.size(); ++late) {
    fill(-1, memory, 0, 2 * kCount);
    if (comm_.rank() == late) fall_behind();
    fill(10 * late + comm_.rank(), memory, 0, kCount);
    pass_on(memory);
    expect_second_half(10 * late + rank(-1), memory);
  }
}

TEST_P(PeerTransport, ASenderWritesAgainOnlyAfterALateReceiverHasCopied) {
  constexpr std::int64_t kCount = 300;
  const hpcx::Buffer memory = allocate(2 * kCount);
  const auto exposed = expose(memory);
  for (int late = 0; late < comm_.size(); ++late) {
    fill(10 * late + comm_.rank(), memory, 0, kCount);
    if (comm_.rank() == late) fall_behind();
    pass_on(memory);
    fill(-1, memory, 0, kCount);
    expect_second_half(10 * late + rank(-1), memory);
  }
}

TEST_P(PeerTransport, ARootWritesAgainOnlyAfterLateReceiversAndTheNextTransfer) {
  constexpr std::int64_t kCount = 300;
  // As panels do: two workspaces take turns, and each is written again after the next broadcast.
  const std::array memory{allocate(kCount), allocate(kCount)};
  const hpcx::Buffer* const buffers[] = {&memory[0], &memory[1]};
  const auto exposed = transport_->expose(buffers);
  for (int step = 0; step < 20; ++step) {
    const hpcx::Buffer& panel = memory[static_cast<std::size_t>(step % 2)];
    const int root = step * 7 / 3 % comm_.size();
    fill(comm_.rank() == root ? step : -1, panel, 0, kCount);
    if (step % 3 == 0 && comm_.rank() != root) fall_behind();
    finish(*transport_->begin_broadcast(stream(), bytes(panel), root));
    if (comm_.rank() == root) continue;  // goes ahead, the others look
    const std::vector<double> arrived = read(panel);
    EXPECT_TRUE(std::all_of(arrived.begin(), arrived.end(), [step](double x) { return x == step; }))
        << step;
  }
  stream().synchronize();
}

TEST_P(PeerTransport, ARootGoesOnWithoutItsReceivers) {
  constexpr std::int64_t kCount = 300;
  const hpcx::Buffer memory = allocate(kCount);
  const auto exposed = expose(memory);
  fill(comm_.rank(), memory, 0, kCount);
  if (comm_.rank() == 0) {
    // Nobody else has begun.
    EXPECT_TRUE(transport_->begin_broadcast(stream(), bytes(memory), 0)->progress());
    stream().synchronize();
    comm_.barrier();
  } else {
    comm_.barrier();
    finish(*transport_->begin_broadcast(stream(), bytes(memory), 0));
    EXPECT_EQ(read(memory).back(), 0);
  }
}

TEST_P(PeerTransport, IsChosenAndMeasuredWhereItIsAskedFor) {
  const ChosenTransport chosen = choose_transport(
      comm_, *device_, {.kind = TransportKind::Peer, .wait = mpi::WaitPolicy::sleeping()});
  EXPECT_EQ(chosen.transport->kind(), TransportKind::Peer);
  EXPECT_GT(chosen.bandwidth, 0);
  EXPECT_TRUE(chosen.remarks.empty());
}

TEST_P(PeerTransport, IsChosenFirst) {
  const ChosenTransport chosen =
      choose_transport(comm_, *device_, {.wait = mpi::WaitPolicy::sleeping()});
  EXPECT_EQ(chosen.transport->kind(), TransportKind::Peer);
  EXPECT_TRUE(chosen.remarks.empty());
}

INSTANTIATE_TEST_SUITE_P(BackEnds, PeerTransport,
                         testing::Values(Devices{"cpu", hpcx::Backend::Cpu},
                                         Devices{"cpu_like_gpu", hpcx::Backend::Cpu, true},
                                         Devices{"cuda", hpcx::Backend::Cuda},
                                         Devices{"hip", hpcx::Backend::Hip}),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(MappedMemory, IsClosedBeforeItsOwnersFreeIt) {
  const mpi::Communicator comm = mpi::Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "alone there is nobody to send to";
  const auto cpu = test::open_cpu(2);
  test::PeerDevice device(*cpu);
  const hpcx::Buffer memory = device.allocate(80);
  const hpcx::Stream stream = device.create_stream(hpcx::Priority::Normal);
  {
    const auto transport = make_peer_transport(comm, device);
    const int events = device.open_handles();
    EXPECT_GT(events, 0);
    const hpcx::Buffer* const buffers[] = {&memory};
    const auto exposed = transport->expose(buffers);
    EXPECT_EQ(device.open_handles(), events + comm.size() - 1);
    const auto transfer = transport->begin_broadcast(stream, {memory.as<std::byte>(), 80}, 0);
    mpi::wait_until(mpi::WaitPolicy::sleeping(), [&] { return transfer->progress(); });
    stream.ref().synchronize();
  }
  EXPECT_EQ(device.open_handles(), 0);
}

std::string refusal_of(const mpi::Communicator& comm, hpcx::Device& device) {
  return test::message_of<ConfigError>([&] {
    choose_transport(comm, device,
                     {.kind = TransportKind::Peer, .wait = mpi::WaitPolicy::sleeping()});
  });
}

/// A device that shares no memory.
class ClosedDevice : public test::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  hpcx::Interconnect* interconnect() override { return nullptr; }
};

TEST(MappedMemory, IsRefusedByAllRanksInTheWordsOfTheOneThatMayNot) {
  const mpi::Communicator comm = mpi::Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "alone there is nobody to send to";
  const auto cpu = test::open_cpu(2);
  test::PeerDevice device(*cpu);
  if (comm.rank() == comm.size() - 1) device.refuse("other processes are out of reach");
  EXPECT_EQ(refusal_of(comm, device),
            "--transport peer is not available here: other processes are out of reach");
  ClosedDevice closed(*cpu);
  EXPECT_EQ(refusal_of(comm, closed),
            "--transport peer is not available here: the device's memory cannot be shared");
}

TEST(MappedMemory, IsDoneWithoutWhereNobodyAskedForIt) {
  const mpi::Communicator comm = mpi::Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "alone there is nobody to send to";
  const auto cpu = test::open_cpu(2);
  test::PeerDevice device(*cpu);
  if (comm.rank() == comm.size() - 1) device.refuse("other processes are out of reach");
  const ChosenTransport chosen =
      choose_transport(comm, device, {.wait = mpi::WaitPolicy::sleeping()});
  EXPECT_NE(chosen.transport->kind(), TransportKind::Peer);
}

TEST(MappedMemory, IsLeftToOthersWhereRanksAreOnSeveralNodes) {
  const mpi::Communicator comm = mpi::Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "alone there is nobody to send to";
  const auto cpu = test::open_cpu(1);
  const mpi::WaitPolicy wait = mpi::WaitPolicy::sleeping();
  far_apart = true;
  const ChosenTransport chosen =
      choose_transport(comm, *cpu, {.kind = TransportKind::Peer, .wait = wait});
  const ChosenTransport of_processors = choose_transport(comm, *cpu, {.wait = wait});
  far_apart = false;
  EXPECT_EQ(of_processors.transport->kind(), TransportKind::MpiDevice);
  EXPECT_TRUE(of_processors.remarks.empty());
  EXPECT_NE(chosen.transport->kind(), TransportKind::Peer);
  ASSERT_FALSE(chosen.remarks.empty());
  EXPECT_EQ(chosen.remarks.front().text,
            "transport peer: not between nodes, the fastest of the others there");
}

TEST(MappedMemory, IsLeftToMpiWhereAProcessorsSystemForbidsIt) {
  const mpi::Communicator comm = mpi::Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "alone there is nobody to send to";
  const auto cpu = test::open_cpu(1);
  rlimit limit{}, before{};
  getrlimit(RLIMIT_FSIZE, &before);
  limit = before;
  limit.rlim_cur = 1000;
  if (comm.rank() == 0) setrlimit(RLIMIT_FSIZE, &limit);
  const ChosenTransport chosen =
      choose_transport(comm, *cpu, {.wait = mpi::WaitPolicy::sleeping()});
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(chosen.transport->kind(), TransportKind::MpiDevice);
  ASSERT_EQ(chosen.remarks.size(), 1U);
  const std::string& remark = chosen.remarks.front().text;
  EXPECT_NE(remark.find("transport peer: memory cannot be shared between processes: "
                        "limit of file sizes"),
            std::string::npos)
      << remark;
}

}  // namespace
}  // namespace hpl
