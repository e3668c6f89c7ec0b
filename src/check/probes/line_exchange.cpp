#include "hpl/check/probes/line_exchange.h"

#include <algorithm>
#include <optional>

#include "link_timer.h"

namespace hpl {

LineExchange::LineExchange(const mpi::Communicator& line, hpcx::Device& device)
    : line_(line),
      chosen_(choose_transport(
          line, device,
          {.kind = std::nullopt, .least_piece_bytes = 0, .wait = mpi::WaitPolicy::spinning()})),
      wait_(device.shares_host_memory() && device.properties().compute_units > 1
                ? mpi::WaitPolicy::sleeping()
                : mpi::WaitPolicy::spinning()),
      memory_(device.allocate(2 * static_cast<std::size_t>(longest()))),
      stream_(device.create_stream(hpcx::Priority::High)) {
  const hpcx::Buffer* const buffers[] = {&memory_};
  exposure_ = transport().expose(buffers);
  device.kernels().clear(stream_, memory_);
}

std::int64_t LineExchange::longest() const {
  return std::min(std::int64_t{32} << 20, transport().piece_bytes());
}

void LineExchange::operator()(std::int64_t bytes) const {
  const int next = (line_.rank() + 1) % line_.size();
  const int before = (line_.rank() + line_.size() - 1) % line_.size();
  const mpi::Schedule schedule{
      {.messages = {{next, 0, bytes, mpi::Message::Direction::Send},
                    {before, bytes, bytes, mpi::Message::Direction::Receive}}}};
  const auto transfer = transport().begin(
      stream_, schedule, {memory_.as<std::byte>(), 2 * static_cast<std::size_t>(bytes)});
  mpi::wait_until(wait_, [&] { return transfer->progress(); });
  stream_.ref().synchronize();
}

double LineExchange::seconds(std::int64_t bytes) const {
  const double best = best_exchange_seconds(
      {.rounds = 3, .in_a_round = bytes < 1000000 ? 100 : 10}, [&] { (*this)(bytes); },
      [&] { line_.barrier(); });
  return line_.all_reduce(best, mpi::Reduce::Max);
}

}  // namespace hpl
