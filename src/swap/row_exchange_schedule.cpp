#include <algorithm>
#include <bit>

#include "hpl/base/error.h"
#include "hpl/swap/row_exchange_plan.h"

namespace hpl {

namespace {

using mpi::Message;
using mpi::Schedule;
using mpi::Stage;

/// Builds the stages of one process from messages counted in rows.
class ScheduleBuilder {
 public:
  ScheduleBuilder(int me, std::int64_t row_bytes) : me_(me), row_bytes_(row_bytes) {}

  /// Rows of the buffer that `from` sends and `to` receives in the stage being built.
  void transfer(int from, int to, Share rows) {
    if (from == to || rows.count == 0) return;
    if (me_ == from) add(to, rows, Message::Direction::Send);
    if (me_ == to) add(from, rows, Message::Direction::Receive);
  }
  void add(int peer, Share rows, Message::Direction direction) {
    stage_.messages.push_back({peer, rows.begin * row_bytes_, rows.count * row_bytes_, direction});
  }
  void end_stage() {
    if (!stage_.messages.empty()) schedule_.push_back(std::move(stage_));
    stage_ = {};
  }
  Schedule take() { return std::move(schedule_); }

 private:
  int me_;
  std::int64_t row_bytes_;
  Stage stage_;
  Schedule schedule_;
};

Share intersection(Share a, Share b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  const std::int64_t end = std::min(a.begin + a.count, b.begin + b.count);
  return {begin, std::max<std::int64_t>(0, end - begin)};
}

void add_displaced(ScheduleBuilder& builder, const RowExchangePlan& plan) {
  const ExchangeBuffer buffer = exchange_buffer(plan);
  for (int process = 0; process < plan.processes; ++process) {
    const Share share = plan.displaced_shares[process];
    if (process == plan.owner_row || share.count == 0) continue;
    if (plan.me == plan.owner_row)
      builder.add(process, {buffer.outgoing + share.begin, share.count}, Message::Direction::Send);
    if (plan.me == process)
      builder.add(plan.owner_row, {buffer.incoming, share.count}, Message::Direction::Receive);
  }
}

std::vector<Share> equal_shares(std::int64_t rows, int processes) {
  std::vector<Share> shares;
  for (int p = 0; p < processes; ++p) {
    const std::int64_t begin = rows * p / processes;
    shares.push_back({begin, rows * (p + 1) / processes - begin});
  }
  return shares;
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

Schedule row_exchange_schedule(const RowExchangePlan& plan, SwapVariant variant, bool equilibrate,
                               std::int64_t row_bytes) {
  HPL_ASSERT(variant != SwapVariant::Mix);
  ScheduleBuilder builder(plan.me, row_bytes);
  add_displaced(builder, plan);  // together with the first stage of U
  if (variant == SwapVariant::BinaryExchange) {
    add_binary_exchange(builder, plan.u_shares);
    return builder.take();
  }
  std::vector<Share> shares = plan.u_shares;
  if (equilibrate) {
    shares = equal_shares(plan.width, plan.processes);
    for (int from = 0; from < plan.processes; ++from)
      for (int to = 0; to < plan.processes; ++to)
        builder.transfer(from, to, intersection(plan.u_shares[from], shares[to]));
    builder.end_stage();
  }
  add_roll(builder, shares);
  return builder.take();
}

}  // namespace hpl
