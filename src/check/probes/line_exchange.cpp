#include "hpl/check/probes/line_exchange.h"

#include <algorithm>
#include <span>
#include <utility>

#include "link_timer.h"

namespace hpl {

namespace {

/// Sends the first `bytes` of the memory to one rank, and receives as many behind them from
/// another; empty: there is none.
mpi::Schedule messages(std::optional<int> to, std::optional<int> from, std::int64_t bytes) {
  using Direction = mpi::Message::Direction;
  mpi::Schedule schedule(1);
  if (to) schedule.front().messages.push_back({*to, 0, bytes, Direction::Send});
  if (from) schedule.front().messages.push_back({*from, bytes, bytes, Direction::Receive});
  return schedule;
}

}  // namespace

LineExchange::LineExchange(const mpi::Communicator& line, hpcx::Device& device,
                           std::optional<TransportKind> kind, MessageWays ways)
    : line_(line),
      chosen_(choose_transport(line, device,
                               {.kind = kind,
                                .least_piece_bytes = 0,
                                .ways = std::move(ways),
                                .wait = mpi::WaitPolicy::spinning()})),
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

std::unique_ptr<Transfer> LineExchange::begin(std::int64_t bytes) const {
  const int next = (line_.rank() + 1) % line_.size();
  const int before = (line_.rank() + line_.size() - 1) % line_.size();
  return begin(messages(next, before, bytes), bytes);
}

std::unique_ptr<Transfer> LineExchange::begin_one_way(std::int64_t bytes, bool back) const {
  return transport().has_own_broadcast() ? begin_broadcast(bytes, back)
                                         : begin_messages(bytes, back);
}

std::unique_ptr<Transfer> LineExchange::begin_messages(std::int64_t bytes, bool back) const {
  std::optional<int> next, before;
  if (line_.rank() + 1 < line_.size()) next = line_.rank() + 1;
  if (line_.rank() > 0) before = line_.rank() - 1;
  return begin(back ? messages(before, next, bytes) : messages(next, before, bytes), bytes);
}

std::unique_ptr<Transfer> LineExchange::begin_broadcast(std::int64_t bytes, bool back) const {
  return transport().begin_broadcast(stream_,
                                     {memory_.as<std::byte>(), static_cast<std::size_t>(bytes)},
                                     back ? line_.size() - 1 : 0);
}

std::unique_ptr<Transfer> LineExchange::begin(mpi::Schedule schedule, std::int64_t bytes) const {
  return transport().begin(stream_, std::move(schedule),
                           {memory_.as<std::byte>(), 2 * static_cast<std::size_t>(bytes)});
}

void LineExchange::operator()(std::int64_t bytes) const {
  carry_out(begin(bytes));
}

void LineExchange::carry_out(std::unique_ptr<Transfer> transfer) const {
  mpi::wait_until(wait_, [&] { return transfer->progress(); });
  stream_.ref().synchronize();
}

double LineExchange::seconds(std::int64_t bytes) const {
  return seconds_of(bytes, [&] { (*this)(bytes); });
}

double LineExchange::seconds_one_way(std::int64_t bytes) const {
  const double both = seconds_of(bytes, [&] {
    carry_out(begin_messages(bytes, false));
    carry_out(begin_messages(bytes, true));
  });
  if (!transport().has_own_broadcast()) return both / 2;
  const double own = seconds_of(bytes, [&] {
    carry_out(begin_broadcast(bytes, false));
    carry_out(begin_broadcast(bytes, true));
  });
  return std::min(both, own) / 2;
}

double LineExchange::seconds_of(std::int64_t bytes, const std::function<void()>& exchange) const {
  const double best = best_exchange_seconds({.rounds = 3, .in_a_round = bytes < 1000000 ? 100 : 10},
                                            exchange, [&] { line_.barrier(); });
  return line_.all_reduce(best, mpi::Reduce::Max);
}

double LineExchange::pair_gbytes(std::optional<int> partner) const {
  const std::int64_t bytes = longest();
  // Transfers are begun in the same order on every rank: without a partner an empty one.
  const mpi::Schedule schedule = partner ? messages(partner, partner, bytes) : mpi::Schedule();
  const double seconds =
      best_exchange_seconds({.rounds = 3}, [&] { carry_out(begin(schedule, bytes)); });
  return partner ? 1e-9 * static_cast<double>(bytes) / seconds : 0;
}

}  // namespace hpl
