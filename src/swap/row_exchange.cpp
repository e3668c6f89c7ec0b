#include "hpl/swap/row_exchange.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "hpl/transport/transfer_queue.h"

namespace hpl {

using hpcx::Layout;
using hpcx::MatrixView;

DeviceExchangePlan::DeviceExchangePlan(hpcx::Device& device, std::int64_t width)
    : width_(width),
      host_lists_(device.allocate_pinned(static_cast<std::size_t>(bytes(width)))),
      device_lists_(device.allocate(static_cast<std::size_t>(bytes(width)))) {}

void DeviceExchangePlan::touch(hpcx::StreamRef stream) const {
  hpcx::Device& device = stream.device();
  device.kernels().clear(stream, device_lists_);
  if (device.shares_host_memory()) device.kernels().clear(stream, host_lists_);
}

void DeviceExchangePlan::assign(hpcx::StreamRef stream, RowExchangePlan plan) {
  plan_ = std::move(plan);
  auto* lists = host_lists_.as<std::int64_t>();
  const auto put = [&](int which, const std::vector<std::int64_t>& rows) {
    std::copy(rows.begin(), rows.end(), lists + which * width_);
  };
  put(0, plan_.u_rows);
  put(1, plan_.slot_of);
  put(2, plan_.displaced_from);
  put(3, plan_.displaced_to);
  std::iota(lists + 4 * width_, lists + 5 * width_, 0);
  stream.copy(device_lists_.as<void>(), lists, static_cast<std::size_t>(bytes(width_)));
}

std::int64_t exchange_column_bytes(std::int64_t width) {
  // U, and at most `width` displaced rows that leave or arrive.
  return 2 * 8 * width;
}

std::int64_t ExchangeSpace::bytes(std::int64_t width, std::int64_t columns, bool several_rows) {
  return columns * (8 * width + (several_rows ? exchange_column_bytes(width) : 0));
}

ExchangeSpace::ExchangeSpace(hpcx::Device& device, std::int64_t width, std::int64_t columns,
                             bool several_rows)
    : u_(device.allocate(static_cast<std::size_t>(bytes(width, columns, false)))) {
  if (several_rows)
    buffer_ = device.allocate(static_cast<std::size_t>(columns * exchange_column_bytes(width)));
}

void ExchangeSpace::touch(hpcx::StreamRef stream) const {
  stream.device().kernels().clear(stream, u_);
  stream.device().kernels().clear(stream, buffer_);
}

MatrixView ExchangeSpace::u(std::int64_t width, std::int64_t columns, bool transposed) const {
  return transposed ? MatrixView{u_.as<double>(), width, columns, columns, Layout::RowMajor}
                    : MatrixView{u_.as<double>(), width, columns, width, Layout::ColumnMajor};
}

MatrixView ExchangeSpace::buffer(std::int64_t rows, std::int64_t columns,
                                 std::int64_t before) const {
  return {buffer_.as<double>() + rows * before, rows, columns, columns, Layout::RowMajor};
}

RowExchange::RowExchange(Transport& column, const RunSpec& spec, mpi::WaitPolicy policy)
    : column_(column), spec_(spec), policy_(policy) {}

void RowExchange::run(hpcx::StreamRef stream, MatrixView chunk, const DeviceExchangePlan& plan,
                      const ExchangeSpace& space) {
  hpcx::Kernels& kernels = stream.device().kernels();
  const RowExchangePlan& p = plan.plan();
  const MatrixView u = space.u(p.width, chunk.cols, spec_.transposed_u);
  if (p.processes > 1) return exchange_rows(stream, chunk, plan, space, u);
  // One process row: the slots are the local rows in the order of U already.
  kernels.gather_rows(stream, chunk, plan.u_rows(), u);
  kernels.move_rows(stream, static_cast<std::int64_t>(p.displaced_to.size()), chunk,
                    plan.displaced_from(), chunk, plan.displaced_to());
}

namespace {

/// Puts the rows of U in order and the displaced rows to their places.
void take_in(hpcx::StreamRef stream, MatrixView chunk, MatrixView buffer, MatrixView u,
             const DeviceExchangePlan& plan) {
  hpcx::Kernels& kernels = stream.device().kernels();
  const RowExchangePlan& p = plan.plan();
  const ExchangeBuffer layout = exchange_buffer(p);
  const auto arriving = static_cast<std::int64_t>(p.displaced_to.size());
  kernels.gather_rows(stream, buffer.row_range(0, p.width), plan.slot_of(), u);
  // On the owner row the displaced rows that stay are among those packed for all.
  const std::int64_t first =
      p.me == p.owner_row ? layout.outgoing + p.displaced_shares[p.me].begin : layout.incoming;
  kernels.move_rows(stream, arriving, buffer.row_range(first, arriving), plan.counting(), chunk,
                    plan.displaced_to());
}

}  // namespace

std::unique_ptr<Transfer> RowExchange::send_off(hpcx::StreamRef stream, const Part& part,
                                                const DeviceExchangePlan& plan) {
  hpcx::Kernels& kernels = stream.device().kernels();
  const RowExchangePlan& p = plan.plan();
  const ExchangeBuffer layout = exchange_buffer(p);
  const Share mine = p.u_shares[p.me];
  kernels.gather_rows(stream, part.chunk, plan.u_rows(),
                      part.buffer.row_range(mine.begin, mine.count));
  if (p.me == p.owner_row)
    kernels.gather_rows(
        stream, part.chunk, plan.displaced_from(),
        part.buffer.row_range(layout.outgoing, static_cast<std::int64_t>(p.displaced_from.size())));

  const std::int64_t row_bytes = 8 * part.chunk.cols;
  const SwapVariant variant = resolve_swap(spec_.swap, spec_.swap_threshold, part.chunk.cols);
  return column_.begin(stream, row_exchange_schedule(p, variant, spec_.equilibrate, row_bytes),
                       {reinterpret_cast<std::byte*>(part.buffer.data),
                        static_cast<std::size_t>(layout.rows * row_bytes)});
}

void RowExchange::exchange_rows(hpcx::StreamRef stream, MatrixView chunk,
                                const DeviceExchangePlan& plan, const ExchangeSpace& space,
                                MatrixView u) {
  const std::int64_t rows = exchange_buffer(plan.plan()).rows;
  // The same cut on every rank, though each has a buffer of its own height.
  const std::int64_t most =
      std::max<std::int64_t>(1, column_.piece_bytes() / exchange_column_bytes(plan.plan().width));
  std::deque<Part> parts;
  TransferQueue queue;
  mpi::Waiter waiter(policy_);
  for (std::int64_t begun = 0; begun < chunk.cols || !queue.empty();) {
    if (begun < chunk.cols && queue.size() < column_.most_in_flight()) {
      const std::int64_t columns = std::min(most, chunk.cols - begun);
      parts.push_back({chunk.col_range(begun, columns), space.buffer(rows, columns, begun),
                       u.col_range(begun, columns)});
      queue.add(send_off(stream, parts.back(), plan));
      begun += columns;
    } else if (queue.pop_done()) {
      take_in(stream, parts.front().chunk, parts.front().buffer, parts.front().u, plan);
      parts.pop_front();
      waiter.progressed();
    } else {
      waiter.pause();
    }
  }
}

}  // namespace hpl
