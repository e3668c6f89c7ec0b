#include <optional>
#include <vector>

#include "hpl/comm/mpi/environment.h"
#include "hpl/comm/transport/transfer_queue.h"
#include "hpl/comm/transport/transport_choice.h"

namespace hpl {

namespace {

/// Empty for a back end that MPI libraries do not know.
std::optional<mpi::DeviceVendor> vendor_of(hpcx::Backend backend) {
  if (backend == hpcx::Backend::Cuda) return mpi::DeviceVendor::Nvidia;
  if (backend == hpcx::Backend::Hip) return mpi::DeviceVendor::Amd;
  return std::nullopt;
}

/// Element i of the message that `rank` sends: different for every rank, length and place.
double pattern(int rank, std::int64_t count, std::int64_t i) {
  return static_cast<double>(1 + rank) * 1e9 + static_cast<double>(count) * 7 +
         static_cast<double>(i);
}

/// Sends `count` doubles of device memory round the ring and looks at what came.
bool ring_delivers(const mpi::Communicator& comm, hpcx::StreamRef stream, std::int64_t count,
                   const mpi::WaitPolicy& wait) {
  using Direction = mpi::Message::Direction;
  const std::int64_t bytes = 8 * count;
  const auto size = static_cast<std::size_t>(bytes);
  const hpcx::Buffer memory = stream.device().allocate(2 * size);
  std::vector<double> sent(static_cast<std::size_t>(count)), arrived(sent.size(), 0.0);
  for (std::int64_t i = 0; i < count; ++i)
    sent[i] = pattern(comm.rank(), count, i);
  stream.copy(memory.as<std::byte>(), sent.data(), size);
  stream.copy(memory.as<std::byte>(size), arrived.data(), size);
  stream.synchronize();

  const int left = (comm.rank() + comm.size() - 1) % comm.size();
  const int right = (comm.rank() + 1) % comm.size();
  mpi::ScheduleRun(comm,
                   {{.messages = {{right, 0, bytes, Direction::Send},
                                  {left, bytes, bytes, Direction::Receive}}}},
                   {memory.as<std::byte>(), 2 * size}, comm.tag(count))
      .wait(wait);
  stream.copy(arrived.data(), memory.as<std::byte>(size), size);
  stream.synchronize();
  for (std::int64_t i = 0; i < count; ++i)
    if (arrived[i] != pattern(left, count, i)) return false;
  return true;
}

}  // namespace

std::string why_no_device_messages(const mpi::Communicator& comm, hpcx::Device& device,
                                   const mpi::WaitPolicy& wait) {
  if (device.shares_host_memory() || comm.size() == 1) return {};
  // If MPI denies it, a trial would end in a segmentation fault.
  const auto vendor = vendor_of(device.properties().backend);
  const auto claim = vendor ? mpi::claims_device_memory(*vendor) : std::nullopt;
  if (comm.all_reduce(std::int64_t{claim.value_or(false)}, mpi::Reduce::Min) == 0)
    return claim.has_value() && !*claim ? "this MPI says that it does not move device memory"
                                        : "this MPI does not say that it moves device memory";
  const hpcx::Stream stream = device.create_stream(hpcx::Priority::Normal);
  std::int64_t delivered = 1;
  // Short, eager and rendezvous lengths take different ways.
  for (const std::int64_t count : {1, 1000, 100'000, 1'000'000}) {
    try {
      if (!ring_delivers(comm, stream, count, wait)) delivered = 0;
    } catch (const RunError&) {
      delivered = 0;
    }
    if (comm.all_reduce(delivered, mpi::Reduce::Min) == 0)
      return "this MPI says that it moves device memory, but messages of " +
             std::to_string(8 * count) + " bytes did not arrive";
  }
  return {};
}

}  // namespace hpl
