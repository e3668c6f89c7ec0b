#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "hpcx/error.h"
#include "hpl/base/error/error.h"
#include "hpl/comm/transport/transport_choice.h"
#include "support/cpu_device.h"
#include "support/forwarding_device.h"
#include "support/message_of.h"

namespace hpl {
namespace {

enum class Point { Name, Join, Greeting, Memory };

/// A device whose library of groups refuses ranks at one point of the set-up. As NCCL does, it
/// keeps a rank that it has not refused, until release() is called on each refused one.
class RefusedDevice : public test::ForwardingDevice, private hpcx::Interconnect {
 public:
  RefusedDevice(hpcx::Device& device, const mpi::Communicator& comm, Point point, bool everybody)
      : ForwardingDevice(device),
        comm_(comm.dup()),
        point_(point),
        refused_(everybody || comm.rank() == comm.size() - 1) {}

  struct Kept : std::logic_error {
    using logic_error::logic_error;
  };

  /// Collective, where one rank was refused.
  void release() { comm_.barrier(); }

  bool shares_host_memory() const override { return false; }
  hpcx::Interconnect* interconnect() override { return this; }
  hpcx::Buffer allocate(std::size_t bytes) override {
    if (point_ == Point::Memory && refused_) throw hpcx::OutOfMemory("no memory is left");
    return ForwardingDevice::allocate(bytes);
  }

 private:
  class Group final : public hpcx::DeviceGroup {
   public:
    explicit Group(RefusedDevice& owner) : owner_(owner) {}
    void exchange(hpcx::StreamRef, std::span<const hpcx::DeviceMessage>) override {
      owner_.pass(Point::Greeting);
    }
    void broadcast(hpcx::StreamRef, void*, std::size_t, int) override {}

   private:
    RefusedDevice& owner_;
  };

  void pass(Point point) {
    if (point_ != point) return;
    if (refused_) throw hpcx::Error("no interface was found");
    release();
    throw Kept("the job has ended");
  }

  std::string library() const override { return "toy 1"; }
  std::string why_no_groups() const override { return {}; }
  hpcx::GroupId new_group() override {
    if (point_ == Point::Name) throw hpcx::Error("no interface was found");
    return {};
  }
  std::unique_ptr<hpcx::DeviceGroup> join(const hpcx::GroupId&, int, int) override {
    pass(Point::Join);
    if (point_ == Point::Memory) pass(Point::Memory);
    return std::make_unique<Group>(*this);
  }
  hpcx::MemoryHandle export_memory(const hpcx::Buffer&) override { return refuse(); }
  hpcx::Buffer import_memory(const hpcx::MemoryHandle&) override {
    return refuse(), hpcx::Buffer();
  }
  std::unique_ptr<hpcx::SharedEvent> create_event(hpcx::EventHandle&) override {
    return refuse(), nullptr;
  }
  std::unique_ptr<hpcx::SharedEvent> import_event(const hpcx::EventHandle&) override {
    return refuse(), nullptr;
  }
  hpcx::MemoryHandle refuse() const { throw hpcx::Error("memory is not shared"); }

  mpi::Communicator comm_;
  Point point_;
  bool refused_;
};

class RefusedGroup : public testing::Test {
 protected:
  void SetUp() override {
    if (comm_.size() == 1) GTEST_SKIP() << "alone there is nobody to send to";
  }
  ChosenTransport choose(const mpi::Communicator& comm, hpcx::Device& device) {
    return choose_transport(comm, device,
                            {.first_that_works = true,
                             .wait = mpi::WaitPolicy::sleeping(),
                             .patience = std::chrono::milliseconds(200)});
  }

  mpi::Communicator comm_ = mpi::Communicator::world();
  std::unique_ptr<hpcx::Device> cpu_ = test::open_cpu(1);
};

TEST_F(RefusedGroup, OfAllRanksIsDoneWithout) {
  for (const Point point : {Point::Name, Point::Join, Point::Greeting}) {
    RefusedDevice device(*cpu_, comm_, point, true);
    const ChosenTransport chosen = choose(comm_, device);
    EXPECT_NE(chosen.transport->kind(), TransportKind::Nccl);
    ASSERT_EQ(chosen.remarks.size(), 3U);
    EXPECT_EQ(chosen.remarks[0].text, "transport peer: memory is not shared");
    EXPECT_EQ(chosen.remarks[1].text, "transport nccl: no interface was found");
  }
}

TEST_F(RefusedGroup, OfOneRankEndsTheJobByThatRanksReason) {
  for (const Point point : {Point::Join, Point::Greeting, Point::Memory}) {
    const mpi::Communicator comm = comm_.dup();  // whose collectives end unfinished
    RefusedDevice device(*cpu_, comm_, point, false);
    if (comm_.rank() < comm_.size() - 1) {
      EXPECT_THROW(choose(comm, device), RefusedDevice::Kept);
      continue;
    }
    const std::string message = test::message_of<RunError>([&] { choose(comm, device); });
    device.release();
    const char* const reason =
        point == Point::Memory ? "no memory is left" : "no interface was found";
    EXPECT_EQ(message, std::string(reason) + "; other ranks wait for this one inside the library");
  }
}

}  // namespace
}  // namespace hpl
