#include "hpl/swap/row_exchange.h"

#include <algorithm>
#include <numeric>

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

std::int64_t ExchangeSpace::bytes(std::int64_t width, std::int64_t columns, bool several_rows) {
  // The communication buffer: U, and at most `width` displaced rows that leave or arrive.
  return 8 * width * columns * (several_rows ? 3 : 1);
}

ExchangeSpace::ExchangeSpace(hpcx::Device& device, std::int64_t width, std::int64_t columns,
                             bool several_rows)
    : staged_(several_rows && !device.shares_host_memory()),
      u_(device.allocate(static_cast<std::size_t>(bytes(width, columns, false)))) {
  const auto buffer_bytes = static_cast<std::size_t>(2 * bytes(width, columns, false));
  if (several_rows) buffer_ = device.allocate(buffer_bytes);
  if (staged_) host_ = device.allocate_pinned(buffer_bytes);
}

void ExchangeSpace::touch(hpcx::StreamRef stream) const {
  stream.device().kernels().clear(stream, u_);
  stream.device().kernels().clear(stream, buffer_);
}

MatrixView ExchangeSpace::u(std::int64_t width, std::int64_t columns, bool transposed) const {
  return transposed ? MatrixView{u_.as<double>(), width, columns, columns, Layout::RowMajor}
                    : MatrixView{u_.as<double>(), width, columns, width, Layout::ColumnMajor};
}

MatrixView ExchangeSpace::buffer(std::int64_t rows, std::int64_t columns) const {
  return {buffer_.as<double>(), rows, columns, columns, Layout::RowMajor};
}

std::byte* ExchangeSpace::host_buffer() const {
  return staged_ ? host_.as<std::byte>() : buffer_.as<std::byte>();
}

RowExchange::RowExchange(const mpi::Communicator& column, const RunSpec& spec,
                         mpi::WaitPolicy policy)
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

void RowExchange::exchange_rows(hpcx::StreamRef stream, MatrixView chunk,
                                const DeviceExchangePlan& plan, const ExchangeSpace& space,
                                MatrixView u) {
  hpcx::Kernels& kernels = stream.device().kernels();
  const RowExchangePlan& p = plan.plan();
  const ExchangeBuffer layout = exchange_buffer(p);
  const MatrixView buffer = space.buffer(layout.rows, chunk.cols);
  const std::int64_t row_bytes = 8 * chunk.cols;
  const bool owner = p.me == p.owner_row;
  const Share mine = p.u_shares[p.me];
  const auto displaced = static_cast<std::int64_t>(p.displaced_from.size());
  const auto arriving = static_cast<std::int64_t>(p.displaced_to.size());

  kernels.gather_rows(stream, chunk, plan.u_rows(), buffer.row_range(mine.begin, mine.count));
  if (owner)
    kernels.gather_rows(stream, chunk, plan.displaced_from(),
                        buffer.row_range(layout.outgoing, displaced));
  if (space.staged()) {
    const auto out = [&](std::int64_t row, std::int64_t count) {
      stream.copy(space.host_buffer() + row * row_bytes, &buffer(row, 0),
                  static_cast<std::size_t>(count * row_bytes));
    };
    out(mine.begin, mine.count);
    if (owner) out(layout.outgoing, displaced);
  }
  stream.synchronize();

  const SwapVariant variant = resolve_swap(spec_.swap, spec_.swap_threshold, chunk.cols);
  mpi::ScheduleRun(column_, row_exchange_schedule(p, variant, spec_.equilibrate, row_bytes),
                   {space.host_buffer(), static_cast<std::size_t>(layout.rows * row_bytes)},
                   column_.tag(operation_++))
      .wait(policy_);

  if (space.staged())
    stream.copy(buffer.data, space.host_buffer(),
                static_cast<std::size_t>(layout.rows * row_bytes));
  kernels.gather_rows(stream, buffer.row_range(0, p.width), plan.slot_of(), u);
  // On the owner row the displaced rows that stay are among those packed for all.
  const std::int64_t first =
      owner ? layout.outgoing + p.displaced_shares[p.me].begin : layout.incoming;
  kernels.move_rows(stream, arriving, buffer.row_range(first, arriving), plan.counting(), chunk,
                    plan.displaced_to());
}

}  // namespace hpl
