#include "visited_blocks.h"

#include <algorithm>

#include "hpcx/host_blas.h"
#include "hpl/base/error/error.h"

namespace hpl {

namespace {

/// Copies are taken when the link comes to them, so that the host can take what is left: few are
/// enqueued at a time, and they are small against a block column.
constexpr std::size_t kCopiesUnderWay = 4;
constexpr std::int64_t kCopiesOfABlock = 4;
/// What a core reads at once: long against taking it, short against a block column.
constexpr std::int64_t kHostPieceBytes = std::int64_t{1} << 21;
constexpr std::int64_t kFewestRows = 16;

}  // namespace

VisitedBlocks::VisitedBlocks(hpcx::StreamRef load, hpcx::StreamRef host,
                             const DistributedMatrix& matrix, const DistributedSolution& solution,
                             std::optional<double> link_share)
    : load_(load),
      host_(host),
      matrix_(matrix),
      solution_(solution),
      piece_rows_(std::max(kFewestRows, matrix.shape().columns.block() / kCopiesOfABlock)),
      host_piece_rows_(
          std::max(kFewestRows, kHostPieceBytes / (8 * matrix.shape().columns.block()))),
      memory_(matrix.slot_memory()),
      ring_(memory_.rows) {
  const LocalShape& shape = matrix.shape();
  for (std::int64_t step = step_count(shape) - 1; step >= 0; --step) {
    const StepGeometry g = step_geometry(shape, step);
    if (!g.on_owner_column || g.panel_begin.value >= matrix.visited_columns()) continue;
    const std::int64_t above = g.row_begin.value;
    const std::int64_t near = step == 0 ? 0 : step_geometry(shape, step - 1).top_rows;
    const std::int64_t far = above - near;
    Column* const before = columns_.empty() ? nullptr : &columns_.back();
    std::optional<std::int64_t> border;
    if (link_share)
      border = static_cast<std::int64_t>(static_cast<double>(far) * (1 - *link_share));
    columns_.emplace_back(g, far, border);
    Column* const column = &columns_.back();
    const bool neighbours = before != nullptr && before->geometry.step == step + 1;
    if (before != nullptr && !neighbours) items_.push_back({before, Kind::Far, 0, 0});
    items_.push_back({column, Kind::Diagonal, above, above + g.top_rows});
    items_.push_back({column, Kind::Near, far, above});
    if (neighbours) items_.push_back({before, Kind::Far, 0, 0});
  }
  if (!columns_.empty()) items_.push_back({&columns_.back(), Kind::Far, 0, 0});
  const hpcx::VectorView y = solution.visited_right_side();
  std::fill_n(y.data, y.size, 0.0);
}

VisitedBlocks::~VisitedBlocks() {
  try {
    host_.synchronize();
    load_.synchronize();
  } catch (...) {  // the failure has been reported where it arose
  }
}

/// The next rows of an item to copy; empty where none are left.
std::optional<DividedRows::Part> VisitedBlocks::rows_to_load(Item& item) {
  if (item.kind == Kind::Far) {
    const DividedRows::Part part = item.column->far.take_from_bottom(piece_rows_);
    return part.count > 0 ? std::optional(part) : std::nullopt;
  }
  // The diagonal block is solved with as a whole.
  const std::int64_t most = item.kind == Kind::Diagonal ? item.end - item.begin : piece_rows_;
  const std::int64_t count = std::min(most, item.end - item.begin);
  if (count == 0) return std::nullopt;
  item.end -= count;
  return DividedRows::Part{item.end, count};
}

/// Enqueues one copy more, unless enough are under way, memory is short or nothing is left.
bool VisitedBlocks::load_next() {
  while (!under_way_.empty() && under_way_.front().done())
    under_way_.pop_front();
  if (under_way_.size() >= kCopiesUnderWay) return false;
  while (!pending_) {
    if (next_item_ == items_.size()) return false;
    pending_ = rows_to_load(items_[next_item_]);
    if (!pending_) ++next_item_;
  }
  const std::optional<LineRing::Taken> lines = ring_.take(pending_->count);
  if (!lines) return false;
  for (const hpcx::Event& event : lines->after)
    load_.wait(event);
  const StepGeometry& g = items_[next_item_].column->geometry;
  const Piece piece{{{pending_->begin}, pending_->count},
                    memory_.block(lines->begin, 0, pending_->count, g.width)};
  matrix_.load(load_, {g.panel_begin, g.width}, piece.rows, piece.block);
  loaded_.push_back({next_item_, piece, load_.record()});
  under_way_.push_back(loaded_.back().event);
  pending_.reset();
  return true;
}

std::optional<VisitedBlocks::Piece> VisitedBlocks::next(hpcx::StreamRef stream, std::int64_t step,
                                                        Kind kind) {
  while (items_[present_item_].column->geometry.step != step || items_[present_item_].kind != kind)
    ++present_item_;
  // Until a copy of this item or of a later one is enqueued.
  while (loaded_.empty() && (pending_ || next_item_ <= present_item_)) {
    if (load_next() || loaded_.size() > 0) continue;
    if (next_item_ == items_.size()) break;
    HPL_ASSERT(!under_way_.empty());
    under_way_.front().synchronize();
  }
  if (loaded_.empty() || loaded_.front().item != present_item_) return std::nullopt;
  const Loaded loaded = loaded_.front();
  loaded_.pop_front();
  stream.wait(loaded.event);
  return loaded.piece;
}

void VisitedBlocks::begin_host_part(std::int64_t step) {
  const auto column = std::find_if(columns_.begin(), columns_.end(),
                                   [step](const Column& c) { return c.geometry.step == step; });
  HPL_ASSERT(column != columns_.end());
  const ColumnRange columns{column->geometry.panel_begin, column->geometry.width};
  const hpcx::MatrixView u = matrix_.visited(columns);
  const hpcx::VectorView x = solution_.visited_view().range(columns.begin.value, columns.count);
  const hpcx::VectorView y = solution_.visited_right_side();
  hpcx::Device& cores = host_.device();
  host_.host_task([=, &cores, &far = column->far, most = host_piece_rows_] {
    cores.parallel_for(cores.properties().compute_units, [&](std::int64_t) {
      for (DividedRows::Part part = far.take_from_top(most); part.count > 0;
           part = far.take_from_top(most))
        hpcx::host::gemv(-1.0, u.row_range(part.begin, part.count), x, 1.0,
                         y.range(part.begin, part.count));
    });
  });
  host_parts_.push_back({step, host_.record()});
}

void VisitedBlocks::finish_host_part(std::int64_t step) {
  hpcx::Event last;
  while (!host_parts_.empty() && host_parts_.front().step >= step) {
    last = host_parts_.front().done;
    host_parts_.pop_front();
  }
  wait(last);
}

void VisitedBlocks::wait(const hpcx::Event& event) {
  while (!event.done()) {
    if (load_next()) continue;
    if (!copies_left() || under_way_.size() < kCopiesUnderWay) break;
    under_way_.front().synchronize();
  }
  event.synchronize();
}

}  // namespace hpl
