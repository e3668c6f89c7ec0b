#include "hpl/lu/swap/row_exchange.h"

#include <algorithm>
#include <numeric>

#include "hpl/comm/transport/transfer_queue.h"

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

std::int64_t ExchangeBuffers::bytes(std::int64_t width, std::int64_t columns, bool several_rows) {
  return columns * (8 * width + (several_rows ? exchange_column_bytes(width) : 0));
}

ExchangeBuffers::ExchangeBuffers(hpcx::Device& device, std::int64_t width, std::int64_t columns,
                                 bool several_rows)
    : u_(device.allocate(static_cast<std::size_t>(bytes(width, columns, false)))) {
  if (several_rows)
    buffer_ = device.allocate(static_cast<std::size_t>(columns * exchange_column_bytes(width)));
}

void ExchangeBuffers::touch(hpcx::StreamRef stream) const {
  stream.device().kernels().clear(stream, u_);
  stream.device().kernels().clear(stream, buffer_);
}

MatrixView ExchangeBuffers::u(std::int64_t width, std::int64_t columns, bool transposed) const {
  return transposed ? MatrixView{u_.as<double>(), width, columns, columns, Layout::RowMajor}
                    : MatrixView{u_.as<double>(), width, columns, width, Layout::ColumnMajor};
}

std::span<double> ExchangeBuffers::messages(std::int64_t width, std::int64_t columns,
                                            std::int64_t before) const {
  const std::int64_t rows = exchange_buffer_rows(width);
  return {buffer_.as<double>() + rows * before, static_cast<std::size_t>(rows * columns)};
}

RowExchange::RowExchange(Transport& column, const RunSpec& spec, mpi::WaitPolicy policy)
    : column_(column), spec_(spec), policy_(policy) {}

SolveSite RowExchange::solve_site(std::int64_t columns) const {
  if (column_.size() == 1) return SolveSite::Everywhere;
  return hpl::solve_site(resolve_swap(spec_.swap, spec_.swap_threshold, columns),
                         spec_.equilibrate);
}

struct RowExchange::Part {
  std::int64_t begin = 0, columns = 0;  // of the chunk
  hpcx::MatrixView u;
  std::span<double> memory;
  SolveSite place;

  ExchangeBuffer layout(const RowExchangePlan& plan) const {
    return exchange_buffer(plan, place, columns);
  }
  std::vector<Interval> pieces(const RowExchangePlan& plan) const {
    return column_pieces(columns, plan.processes);
  }
  /// Columns whose rows of U all come here.
  std::int64_t own_columns(const RowExchangePlan& plan) const {
    return place == SolveSite::Divided ? pieces(plan)[plan.me].count : columns;
  }
  MatrixView of(MatrixView chunk) const { return chunk.col_range(begin, columns); }
  MatrixView block(std::int64_t offset, std::int64_t rows, std::int64_t count) const {
    return {memory.data() + offset, rows, count, count, Layout::RowMajor};
  }
  MatrixView solved_block(const RowExchangePlan& plan, Interval piece) const {
    return block(plan.width * piece.begin, plan.width, piece.count);
  }
};

namespace {

std::span<std::byte> bytes_of(std::span<double> memory, std::int64_t elements) {
  return std::as_writable_bytes(memory.first(static_cast<std::size_t>(elements)));
}

}  // namespace

std::vector<RowExchange::Part> RowExchange::cut(std::int64_t columns, const ExchangeLists& plan,
                                                const ExchangeBuffers& space) const {
  const std::int64_t width = plan.plan().width;
  const MatrixView u = space.u(width, columns, spec_.transposed_u);
  const std::int64_t most =
      std::max<std::int64_t>(1, column_.piece_bytes() / exchange_column_bytes(width));
  std::vector<Part> parts;
  for (std::int64_t begin = 0; begin < columns; begin += most) {
    const std::int64_t count = std::min(most, columns - begin);
    parts.push_back({.begin = begin,
                     .columns = count,
                     .u = u.col_range(begin, count),
                     .memory = space.messages(width, count, begin),
                     .place = solve_site(columns)});
  }
  return parts;
}

template <class Send, class Receive>
void RowExchange::pass(const std::vector<Part>& parts, Send send, Receive receive) {
  TransferQueue queue;
  mpi::Waiter waiter(policy_);
  // The next part to begin depends on the number of popped ones, never on the time: it is the same
  // on every rank.
  for (auto begun = parts.begin(), done = parts.begin(); done != parts.end();) {
    if (begun != parts.end() && queue.size() < column_.most_in_flight()) {
      queue.add(send(*begun++));
    } else if (queue.pop_done()) {
      receive(*done++);
      waiter.progressed();
    } else {
      waiter.pause();
    }
  }
}

void RowExchange::exchange(hpcx::StreamRef stream, MatrixView chunk, const ExchangeLists& plan,
                           const ExchangeBuffers& space) {
  const RowExchangePlan& p = plan.plan();
  if (p.processes == 1) {
    // The slots are the local rows in the order of U already.
    hpcx::Kernels& kernels = stream.device().kernels();
    kernels.gather_rows(stream, chunk, plan.u_rows(),
                        space.u(p.width, chunk.cols, spec_.transposed_u));
    kernels.move_rows(stream, {static_cast<std::int64_t>(p.displaced_to.size()), chunk,
                               plan.displaced_from(), chunk, plan.displaced_to()});
    return;
  }
  pass(
      cut(chunk.cols, plan, space),
      [&](const Part& part) { return send_off(stream, part, chunk, plan); },
      [&](const Part& part) { take_in(stream, part, chunk, plan); });
}

std::unique_ptr<Transfer> RowExchange::send_off(hpcx::StreamRef stream, const Part& part,
                                                MatrixView chunk, const ExchangeLists& plan) {
  hpcx::Kernels& kernels = stream.device().kernels();
  const RowExchangePlan& p = plan.plan();
  const ExchangeBuffer layout = part.layout(p);
  const MatrixView columns = part.of(chunk);
  const Interval mine = p.u_parts[p.me];
  const bool divided = part.place == SolveSite::Divided;
  if (divided) {
    const std::vector<Interval> pieces = part.pieces(p);
    for (int process = 0; process < p.processes; ++process) {
      const Interval piece = pieces[process];
      const std::int64_t to =
          process == p.me ? layout.piece + mine.begin * piece.count : mine.count * piece.begin;
      kernels.gather_rows(stream, columns.col_range(piece.begin, piece.count), plan.u_rows(),
                          part.block(to, mine.count, piece.count));
    }
  } else {
    kernels.gather_rows(stream, columns, plan.u_rows(),
                        part.block(mine.begin * part.columns, mine.count, part.columns));
  }
  if (p.me == p.owner_row)
    kernels.gather_rows(
        stream, columns, plan.displaced_from(),
        part.block(layout.outgoing, static_cast<std::int64_t>(p.displaced_from.size()),
                   part.columns));

  mpi::Schedule schedule =
      divided ? spread_schedule(p, part.columns)
              : row_exchange_schedule(
                    p, resolve_swap(spec_.swap, spec_.swap_threshold, part.columns), part.columns);
  return column_.begin(stream, std::move(schedule), bytes_of(part.memory, layout.size));
}

void RowExchange::take_in(hpcx::StreamRef stream, const Part& part, MatrixView chunk,
                          const ExchangeLists& plan) {
  hpcx::Kernels& kernels = stream.device().kernels();
  const RowExchangePlan& p = plan.plan();
  const ExchangeBuffer layout = part.layout(p);
  const std::int64_t columns = part.own_columns(p);
  kernels.gather_rows(stream, part.block(layout.piece, p.width, columns), plan.slot_of(),
                      part.u.col_range(0, columns));
  // On the owner row the displaced rows that stay are among those packed for all.
  const std::int64_t displaced =
      p.me == p.owner_row ? layout.outgoing + p.displaced_parts[p.me].begin * part.columns
                          : layout.incoming;
  const auto arriving = static_cast<std::int64_t>(p.displaced_to.size());
  kernels.move_rows(stream, {arriving, part.block(displaced, arriving, part.columns),
                             plan.counting(), part.of(chunk), plan.displaced_to()});
}

std::vector<RowExchange::Piece> RowExchange::to_solve(std::int64_t columns,
                                                      const ExchangeLists& plan,
                                                      const ExchangeBuffers& space,
                                                      MatrixView u12) const {
  const RowExchangePlan& p = plan.plan();
  if (solve_site(columns) == SolveSite::Everywhere)
    return {{space.u(p.width, columns, spec_.transposed_u), u12}};
  std::vector<Piece> pieces;
  for (const Part& part : cut(columns, plan, space)) {
    const Interval mine = part.pieces(p)[p.me];
    if (mine.count > 0)
      pieces.push_back({part.u.col_range(0, mine.count), part.solved_block(p, mine)});
  }
  return pieces;
}

void RowExchange::all_gather(hpcx::StreamRef stream, const ExchangeLists& plan,
                             const ExchangeBuffers& space, MatrixView u12) {
  const RowExchangePlan& p = plan.plan();
  pass(
      cut(u12.cols, plan, space),
      [&](const Part& part) {
        return column_.begin(stream, roll_schedule(p, part.columns),
                             bytes_of(part.memory, p.width * part.columns));
      },
      [&](const Part& part) {
        for (const Interval piece : part.pieces(p))
          stream.device().kernels().copy(stream, part.solved_block(p, piece),
                                         part.of(u12).col_range(piece.begin, piece.count));
      });
}

}  // namespace hpl
