#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <vector>

#include "divided_rows.h"
#include "hpcx/device.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/lu/matrix/step_geometry.h"
#include "hpl/lu/solve/back_substitution.h"
#include "line_ring.h"

namespace hpl {

/// Rows above a step's diagonal block that the next step of back substitution needs.
std::int64_t near_rows(const LocalShape& shape, const StepGeometry& g);

/// U of the block columns of this process that live in host memory, from the last to the first.
/// Device and host take it between them: to the device go, over the link, the diagonal block, the
/// rows above it that the next step needs, and from there upwards as much as it comes to; the
/// host's cores take the other rows, from the top, where they lie. One thread at a time, which also
/// moves the copies on.
///
/// Rows of the next steps are copied some columns ahead. The other rows of a column are copied
/// once its x is known, when the host begins with them as well: a link that ran ahead of x would
/// leave the host nothing. Where it has nothing else to do it takes some of the next column's.
class VisitedBlocks {
 public:
  VisitedBlocks(const SubstitutionStreams& streams, const DistributedMatrix& matrix,
                const DistributedSolution& solution, std::optional<double> link_share);
  /// Waits for copies and for the host's part: they use what others own.
  ~VisitedBlocks();
  VisitedBlocks(const VisitedBlocks&) = delete;
  VisitedBlocks& operator=(const VisitedBlocks&) = delete;

  /// The parts of a block column that go to the device: its diagonal block; the rows that the next
  /// step needs; those of the others that the device takes.
  enum class Kind { Diagonal, Near, Far };
  /// Some rows of a block column on the device.
  struct Piece {
    RowRange rows;
    hpcx::MatrixView block;
  };
  /// The next piece of this kind of a step's columns, in `stream` when it has arrived; empty where
  /// there is none any more. Pieces are asked for in this order: the diagonal block and the near
  /// rows of a step, then the far rows of the own step before it; these come first where the two
  /// are not neighbours.
  /// A step's far rows are asked for after begin_host_part().
  std::optional<Piece> next(hpcx::StreamRef stream, std::int64_t step, Kind kind);
  /// Returns the result of the last next(), which is no longer needed after all that is in
  /// `stream`.
  void give_back(hpcx::StreamRef stream) { in_use_->ring.give_back(stream.record()); }

  /// The host begins with its rows of a step's columns, whose x stands in the solution's
  /// visited_view().
  void begin_host_part(std::int64_t step);
  /// Whether any own column from `step` on is divided.
  bool has_host_part(std::int64_t step) const {
    return !columns_.empty() && columns_.front().geometry.step >= step;
  }
  /// Waits until the host has done its part of all own columns from `step` on.
  void finish_host_part(std::int64_t step);

  /// Enqueues copies of about so many bytes, as far as there is memory for them. Before any x is
  /// known.
  void load_ahead(double most_bytes);

  /// Waits for an event, and enqueues copies meanwhile.
  void wait(const hpcx::Event& event);

 private:
  struct Column {
    Column(const StepGeometry& g, std::int64_t rows, std::optional<std::int64_t> border)
        : geometry(g), far_rows(rows), far(rows, border) {}
    StepGeometry geometry;
    std::int64_t far_rows;
    DividedRows far;
    std::int64_t copied = 0;  // of the far rows
    bool x_known = false;
  };
  /// The device's items, in the order in which it takes them.
  struct Item {
    Column* column;
    Kind kind;
    std::int64_t begin, end;  // rows; those before `end` are left. Far: see the column
  };
  struct Loaded {
    std::size_t item;
    Piece piece;
    hpcx::Event event;
  };

  /// Items that are copied and used one after the other, with memory of their own.
  struct Queue {
    explicit Queue(hpcx::MatrixView lines) : memory(lines), ring(lines.rows) {}
    bool copies_left() const { return pending || next < items.size(); }

    hpcx::MatrixView memory;
    LineRing ring;
    std::vector<Item> items{};
    std::size_t next = 0;                        // to be copied
    std::size_t present = 0;                     // in use
    std::optional<DividedRows::Part> pending{};  // taken of the next item, not yet enqueued
    std::deque<Loaded> loaded{};                 // enqueued and not yet asked for
  };

  bool load_next(std::size_t most_under_way);
  bool load_next(Queue& queue);
  bool is_due(const Item& item) const;
  std::optional<DividedRows::Part> rows_to_load(Item& item, std::int64_t most) const;
  bool copies_left() const { return near_.copies_left() || far_.copies_left(); }

  hpcx::StreamRef load_, host_;
  const DistributedMatrix& matrix_;
  const DistributedSolution& solution_;
  std::int64_t piece_rows_;       // of a copy
  std::int64_t host_piece_rows_;  // of what a core of the host takes at once
  std::list<Column> columns_;     // in the order of their use
  Queue near_;                    // diagonal blocks and near rows
  Queue far_;                     // the other rows
  Queue* in_use_ = nullptr;       // whose piece next() gave last
  bool any_x_known_ = false;      // of the own columns in host memory
  std::deque<hpcx::Event> under_way_;
  struct HostPart {
    std::int64_t step;
    hpcx::Event done;
  };
  std::deque<HostPart> host_parts_;
};

}  // namespace hpl
