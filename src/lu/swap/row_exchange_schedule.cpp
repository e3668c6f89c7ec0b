#include <algorithm>
#include <bit>

#include "hpl/base/error/error.h"
#include "hpl/lu/swap/row_exchange_plan.h"

namespace hpl {

namespace {

using mpi::Message;
using mpi::Stage;

/// Builds the stages of one process from messages counted in elements.
class ScheduleBuilder {
 public:
  explicit ScheduleBuilder(int me) : me_(me) {}

  /// Elements that `from` sends and `to` receives in the stage being built, in the same place of
  /// the buffer.
  void transfer(int from, int to, Interval elements) {
    if (from == to) return;
    if (me_ == from) send(to, elements);
    if (me_ == to) receive(from, elements);
  }
  void send(int to, Interval elements) { add(to, elements, Message::Direction::Send); }
  void receive(int from, Interval elements) { add(from, elements, Message::Direction::Receive); }
  void end_stage() {
    if (!stage_.messages.empty()) schedule_.push_back(std::move(stage_));
    stage_ = {};
  }
  mpi::Schedule take() { return std::move(schedule_); }

 private:
  void add(int peer, Interval elements, Message::Direction direction) {
    constexpr std::int64_t kBytes = sizeof(double);
    if (elements.count > 0)
      stage_.messages.push_back(
          {peer, elements.begin * kBytes, elements.count * kBytes, direction});
  }

  int me_;
  Stage stage_;
  mpi::Schedule schedule_;
};

/// `count` rows of the matrix [rows] x [columns] that begins at `begin`.
Interval rows_of(std::int64_t begin, Interval rows, std::int64_t columns) {
  return {begin + rows.begin * columns, rows.count * columns};
}

std::vector<Interval> times(std::vector<Interval> parts, std::int64_t elements) {
  for (Interval& part : parts)
    part = {part.begin * elements, part.count * elements};
  return parts;
}

void add_displaced(ScheduleBuilder& builder, const RowExchangePlan& plan, SolveSite place,
                   std::int64_t columns) {
  const ExchangeBuffer buffer = exchange_buffer(plan, place, columns);
  for (int process = 0; process < plan.processes; ++process) {
    const Interval part = plan.displaced_parts[process];
    if (process == plan.owner_row) continue;
    if (plan.me == plan.owner_row) builder.send(process, rows_of(buffer.outgoing, part, columns));
    if (plan.me == process)
      builder.receive(plan.owner_row, rows_of(buffer.incoming, {0, part.count}, columns));
  }
}

/// Every process passes on to the right, P - 1 times, what it got last from the left.
void add_roll(ScheduleBuilder& builder, const std::vector<Interval>& parts) {
  const int size = static_cast<int>(parts.size());
  for (int step = 0; step + 1 < size; ++step) {
    for (int from = 0; from < size; ++from)
      builder.transfer(from, (from + 1) % size, parts[(from - step + size) % size]);
    builder.end_stage();
  }
}

/// Recursive doubling; processes beyond the largest power of two hand their part to a partner
/// first and get everything from it at the end. Shares of a group are contiguous per member.
void add_binary_exchange(ScheduleBuilder& builder, const std::vector<Interval>& parts) {
  const int size = static_cast<int>(parts.size());
  const int doubled = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
  for (int extra = doubled; extra < size; ++extra)
    builder.transfer(extra, extra - doubled, parts[extra]);
  if (doubled < size) builder.end_stage();
  for (int distance = 1; distance < doubled; distance *= 2) {
    for (int from = 0; from < doubled; ++from) {
      const int group = from / distance * distance;  // what `from` holds by now
      for (int p = group; p < group + distance; ++p) {
        builder.transfer(from, from ^ distance, parts[p]);
        if (p + doubled < size) builder.transfer(from, from ^ distance, parts[p + doubled]);
      }
    }
    builder.end_stage();
  }
  for (int extra = doubled; extra < size; ++extra)
    for (int p = 0; p < size; ++p)
      if (p != extra) builder.transfer(extra - doubled, extra, parts[p]);
  builder.end_stage();
}

}  // namespace

mpi::Schedule row_exchange_schedule(const RowExchangePlan& plan, SwapVariant variant,
                                    std::int64_t columns) {
  HPL_ASSERT(variant != SwapVariant::Mix);
  ScheduleBuilder builder(plan.me);
  // Displaced rows go together with the first stage of U.
  add_displaced(builder, plan, SolveSite::Everywhere, columns);
  const std::vector<Interval> parts = times(plan.u_parts, columns);
  if (variant == SwapVariant::BinaryExchange)
    add_binary_exchange(builder, parts);
  else
    add_roll(builder, parts);
  return builder.take();
}

mpi::Schedule spread_schedule(const RowExchangePlan& plan, std::int64_t columns) {
  ScheduleBuilder builder(plan.me);
  add_displaced(builder, plan, SolveSite::Divided, columns);
  const std::vector<Interval> pieces = column_pieces(columns, plan.processes);
  const Interval mine = plan.u_parts[plan.me];
  const std::int64_t piece = exchange_buffer(plan, SolveSite::Divided, columns).piece;
  for (int process = 0; process < plan.processes; ++process) {
    if (process == plan.me) continue;
    builder.send(process, rows_of(mine.count * pieces[process].begin, {0, mine.count},
                                  pieces[process].count));
    builder.receive(process, rows_of(piece, plan.u_parts[process], pieces[plan.me].count));
  }
  builder.end_stage();
  return builder.take();
}

std::vector<int> row_exchange_peers(int rank, int size) {
  std::vector<int> peers;
  for (int peer = 0; peer < size; ++peer)
    if (peer != rank) peers.push_back(peer);
  return peers;
}

mpi::Schedule roll_schedule(const RowExchangePlan& plan, std::int64_t columns) {
  ScheduleBuilder builder(plan.me);
  add_roll(builder, times(column_pieces(columns, plan.processes), plan.width));
  return builder.take();
}

}  // namespace hpl
