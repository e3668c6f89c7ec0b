#include <algorithm>
#include <bit>

#include "hpl/base/error/error.h"
#include "hpl/lu/swap/row_exchange_plan.h"

namespace hpl {

namespace {

using mpi::Message;
using mpi::Schedule;
using mpi::Stage;

/// Builds the stages of one process from messages counted in elements.
class ScheduleBuilder {
 public:
  explicit ScheduleBuilder(int me) : me_(me) {}

  /// Elements that `from` sends and `to` receives in the stage being built, in the same place of
  /// the buffer.
  void transfer(int from, int to, Share elements) {
    if (from == to) return;
    if (me_ == from) send(to, elements);
    if (me_ == to) receive(from, elements);
  }
  void send(int to, Share elements) { add(to, elements, Message::Direction::Send); }
  void receive(int from, Share elements) { add(from, elements, Message::Direction::Receive); }
  void end_stage() {
    if (!stage_.messages.empty()) schedule_.push_back(std::move(stage_));
    stage_ = {};
  }
  Schedule take() { return std::move(schedule_); }

 private:
  void add(int peer, Share elements, Message::Direction direction) {
    constexpr std::int64_t kBytes = sizeof(double);
    if (elements.count > 0)
      stage_.messages.push_back(
          {peer, elements.begin * kBytes, elements.count * kBytes, direction});
  }

  int me_;
  Stage stage_;
  Schedule schedule_;
};

/// `count` rows of the matrix [rows] x [columns] that begins at `begin`.
Share rows_of(std::int64_t begin, Share rows, std::int64_t columns) {
  return {begin + rows.begin * columns, rows.count * columns};
}

std::vector<Share> times(std::vector<Share> shares, std::int64_t elements) {
  for (Share& share : shares)
    share = {share.begin * elements, share.count * elements};
  return shares;
}

void add_displaced(ScheduleBuilder& builder, const RowExchangePlan& plan, SolvePlace place,
                   std::int64_t columns) {
  const ExchangeBuffer buffer = exchange_buffer(plan, place, columns);
  for (int process = 0; process < plan.processes; ++process) {
    const Share share = plan.displaced_shares[process];
    if (process == plan.owner_row) continue;
    if (plan.me == plan.owner_row) builder.send(process, rows_of(buffer.outgoing, share, columns));
    if (plan.me == process)
      builder.receive(plan.owner_row, rows_of(buffer.incoming, {0, share.count}, columns));
  }
}

/// Every process passes on to the right, P - 1 times, what it got last from the left.
void add_roll(ScheduleBuilder& builder, const std::vector<Share>& shares) {
  const int size = static_cast<int>(shares.size());
  for (int step = 0; step + 1 < size; ++step) {
    for (int from = 0; from < size; ++from)
      builder.transfer(from, (from + 1) % size, shares[(from - step + size) % size]);
    builder.end_stage();
  }
}

/// Recursive doubling; processes beyond the largest power of two hand their share to a partner
/// first and get everything from it at the end. Shares of a group are contiguous per member.
void add_binary_exchange(ScheduleBuilder& builder, const std::vector<Share>& shares) {
  const int size = static_cast<int>(shares.size());
  const int doubled = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
  for (int extra = doubled; extra < size; ++extra)
    builder.transfer(extra, extra - doubled, shares[extra]);
  if (doubled < size) builder.end_stage();
  for (int distance = 1; distance < doubled; distance *= 2) {
    for (int from = 0; from < doubled; ++from) {
      const int group = from / distance * distance;  // what `from` holds by now
      for (int p = group; p < group + distance; ++p) {
        builder.transfer(from, from ^ distance, shares[p]);
        if (p + doubled < size) builder.transfer(from, from ^ distance, shares[p + doubled]);
      }
    }
    builder.end_stage();
  }
  for (int extra = doubled; extra < size; ++extra)
    for (int p = 0; p < size; ++p)
      if (p != extra) builder.transfer(extra - doubled, extra, shares[p]);
  builder.end_stage();
}

}  // namespace

Schedule row_exchange_schedule(const RowExchangePlan& plan, SwapVariant variant,
                               std::int64_t columns) {
  HPL_ASSERT(variant != SwapVariant::Mix);
  ScheduleBuilder builder(plan.me);
  // Displaced rows go together with the first stage of U.
  add_displaced(builder, plan, SolvePlace::Everywhere, columns);
  const std::vector<Share> shares = times(plan.u_shares, columns);
  if (variant == SwapVariant::BinaryExchange)
    add_binary_exchange(builder, shares);
  else
    add_roll(builder, shares);
  return builder.take();
}

Schedule spread_schedule(const RowExchangePlan& plan, std::int64_t columns) {
  ScheduleBuilder builder(plan.me);
  add_displaced(builder, plan, SolvePlace::Divided, columns);
  const std::vector<Share> pieces = column_pieces(columns, plan.processes);
  const Share mine = plan.u_shares[plan.me];
  const std::int64_t piece = exchange_buffer(plan, SolvePlace::Divided, columns).piece;
  for (int process = 0; process < plan.processes; ++process) {
    if (process == plan.me) continue;
    builder.send(process, rows_of(mine.count * pieces[process].begin, {0, mine.count},
                                  pieces[process].count));
    builder.receive(process, rows_of(piece, plan.u_shares[process], pieces[plan.me].count));
  }
  builder.end_stage();
  return builder.take();
}

Schedule roll_schedule(const RowExchangePlan& plan, std::int64_t columns) {
  ScheduleBuilder builder(plan.me);
  add_roll(builder, times(column_pieces(columns, plan.processes), plan.width));
  return builder.take();
}

}  // namespace hpl
