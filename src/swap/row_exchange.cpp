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

std::span<double> ExchangeSpace::messages(std::int64_t width, std::int64_t columns,
                                          std::int64_t before) const {
  const std::int64_t rows = exchange_buffer_rows(width);
  return {buffer_.as<double>() + rows * before, static_cast<std::size_t>(rows * columns)};
}

RowExchange::RowExchange(Transport& column, const RunSpec& spec, mpi::WaitPolicy policy)
    : column_(column), spec_(spec), policy_(policy) {}

SolvePlace RowExchange::solve_place(std::int64_t columns) const {
  if (column_.size() == 1) return SolvePlace::Everywhere;
  return hpl::solve_place(resolve_swap(spec_.swap, spec_.swap_threshold, columns),
                          spec_.equilibrate);
}

void RowExchange::run(hpcx::StreamRef stream, MatrixView chunk, const DeviceExchangePlan& plan,
                      const ExchangeSpace& space, MatrixView u12, const Solve& solve) {
  hpcx::Kernels& kernels = stream.device().kernels();
  const RowExchangePlan& p = plan.plan();
  const MatrixView u = space.u(p.width, chunk.cols, spec_.transposed_u);
  if (p.processes > 1) return exchange_rows(stream, chunk, plan, space, u, u12, solve);
  // One process row: the slots are the local rows in the order of U already.
  kernels.gather_rows(stream, chunk, plan.u_rows(), u);
  kernels.move_rows(stream, static_cast<std::int64_t>(p.displaced_to.size()), chunk,
                    plan.displaced_from(), chunk, plan.displaced_to());
  solve(u, u12);
}

struct RowExchange::Part {
  MatrixView chunk, u, u12;
  std::span<double> memory;
  SolvePlace place;
  bool solved = false;

  ExchangeBuffer layout(const RowExchangePlan& plan) const {
    return exchange_buffer(plan, place, chunk.cols);
  }
  std::vector<Share> pieces(const RowExchangePlan& plan) const {
    return column_pieces(chunk.cols, plan.processes);
  }
  /// Columns whose rows of U all come here.
  std::int64_t own_columns(const RowExchangePlan& plan) const {
    return place == SolvePlace::Divided ? pieces(plan)[plan.me].count : chunk.cols;
  }
  MatrixView block(std::int64_t offset, std::int64_t rows, std::int64_t columns) const {
    return {memory.data() + offset, rows, columns, columns, Layout::RowMajor};
  }
  MatrixView solved_block(const RowExchangePlan& plan, Share piece) const {
    return block(plan.width * piece.begin, plan.width, piece.count);
  }
};

namespace {

std::span<std::byte> bytes_of(std::span<double> memory, std::int64_t elements) {
  return std::as_writable_bytes(memory.first(static_cast<std::size_t>(elements)));
}

}  // namespace

std::unique_ptr<Transfer> RowExchange::send_off(hpcx::StreamRef stream, const Part& part,
                                                const DeviceExchangePlan& plan) {
  hpcx::Kernels& kernels = stream.device().kernels();
  const RowExchangePlan& p = plan.plan();
  const ExchangeBuffer layout = part.layout(p);
  const std::int64_t columns = part.chunk.cols;
  const Share mine = p.u_shares[p.me];
  const bool divided = part.place == SolvePlace::Divided;
  if (divided) {
    const std::vector<Share> pieces = part.pieces(p);
    for (int process = 0; process < p.processes; ++process) {
      const Share piece = pieces[process];
      const std::int64_t to =
          process == p.me ? layout.piece + mine.begin * piece.count : mine.count * piece.begin;
      kernels.gather_rows(stream, part.chunk.col_range(piece.begin, piece.count), plan.u_rows(),
                          part.block(to, mine.count, piece.count));
    }
  } else {
    kernels.gather_rows(stream, part.chunk, plan.u_rows(),
                        part.block(mine.begin * columns, mine.count, columns));
  }
  if (p.me == p.owner_row)
    kernels.gather_rows(
        stream, part.chunk, plan.displaced_from(),
        part.block(layout.outgoing, static_cast<std::int64_t>(p.displaced_from.size()), columns));

  mpi::Schedule schedule =
      divided ? spread_schedule(p, columns)
              : row_exchange_schedule(p, resolve_swap(spec_.swap, spec_.swap_threshold, columns),
                                      columns);
  return column_.begin(stream, std::move(schedule), bytes_of(part.memory, layout.size));
}

void RowExchange::take_in(hpcx::StreamRef stream, const Part& part,
                          const DeviceExchangePlan& plan) {
  hpcx::Kernels& kernels = stream.device().kernels();
  const RowExchangePlan& p = plan.plan();
  const ExchangeBuffer layout = part.layout(p);
  const std::int64_t columns = part.own_columns(p);
  kernels.gather_rows(stream, part.block(layout.piece, p.width, columns), plan.slot_of(),
                      part.u.col_range(0, columns));
  // On the owner row the displaced rows that stay are among those packed for all.
  const std::int64_t displaced =
      p.me == p.owner_row ? layout.outgoing + p.displaced_shares[p.me].begin * part.chunk.cols
                          : layout.incoming;
  const auto arriving = static_cast<std::int64_t>(p.displaced_to.size());
  kernels.move_rows(stream, arriving, part.block(displaced, arriving, part.chunk.cols),
                    plan.counting(), part.chunk, plan.displaced_to());
}

std::unique_ptr<Transfer> RowExchange::pass_round(hpcx::StreamRef stream, const Part& part,
                                                  const DeviceExchangePlan& plan,
                                                  const Solve& solve) {
  const RowExchangePlan& p = plan.plan();
  const Share mine = part.pieces(p)[p.me];
  if (mine.count > 0) solve(part.u.col_range(0, mine.count), part.solved_block(p, mine));
  return column_.begin(stream, roll_schedule(p, part.chunk.cols),
                       bytes_of(part.memory, p.width * part.chunk.cols));
}

void RowExchange::gather_solved(hpcx::StreamRef stream, const Part& part,
                                const DeviceExchangePlan& plan) {
  for (const Share piece : part.pieces(plan.plan()))
    stream.device().kernels().copy(stream, part.solved_block(plan.plan(), piece),
                                   part.u12.col_range(piece.begin, piece.count));
}

void RowExchange::exchange_rows(hpcx::StreamRef stream, MatrixView chunk,
                                const DeviceExchangePlan& plan, const ExchangeSpace& space,
                                MatrixView u, MatrixView u12, const Solve& solve) {
  const std::int64_t width = plan.plan().width;
  const SolvePlace place = solve_place(chunk.cols);
  // The same cut on every rank, though each fills its buffer to a height of its own.
  const std::int64_t most =
      std::max<std::int64_t>(1, column_.piece_bytes() / exchange_column_bytes(width));
  std::deque<Part> parts;
  TransferQueue queue;
  mpi::Waiter waiter(policy_);
  // What is begun next depends on how much has been popped, never on the time: it is the same on
  // every rank.
  for (std::int64_t begun = 0; begun < chunk.cols || !queue.empty();) {
    if (begun < chunk.cols && queue.size() < column_.most_in_flight()) {
      const std::int64_t columns = std::min(most, chunk.cols - begun);
      parts.push_back({.chunk = chunk.col_range(begun, columns),
                       .u = u.col_range(begun, columns),
                       .u12 = u12.col_range(begun, columns),
                       .memory = space.messages(width, columns, begun),
                       .place = place});
      queue.add(send_off(stream, parts.back(), plan));
      begun += columns;
    } else if (queue.pop_done()) {
      Part part = parts.front();
      parts.pop_front();
      if (part.solved) {
        gather_solved(stream, part, plan);
      } else {
        take_in(stream, part, plan);
        if (place == SolvePlace::Divided) {
          part.solved = true;
          parts.push_back(part);
          queue.add(pass_round(stream, part, plan, solve));
        }
      }
      waiter.progressed();
    } else {
      waiter.pause();
    }
  }
  if (place == SolvePlace::Everywhere) solve(u, u12);
}

}  // namespace hpl
