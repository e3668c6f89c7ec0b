#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <utility>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/lu/schedule/schedule.h"
#include "hpl/lu/swap/row_exchange_plan.h"
#include "lu_columns.h"

namespace hpl {

/// Writes the tasks of the LU, each with what it waits for: the last tasks on its resources, which
/// are panel workspaces, exchange buffers, columns, and slots for columns in host memory. A(k:, j)
/// stands for the rows of block column j from block row k on, c for some columns of the tail.
class LuLedger {
 public:
  /// `columns` must outlive this.
  LuLedger(const RunSpec& spec, const LuColumns& columns, const SchedulePolicy& policy)
      : spec_(spec),
        columns_(columns),
        fetcher_updates_(policy.fetcher_updates),
        workspaces_(panel_workspaces(policy)),
        panels_(index(columns.steps())),
        pieces_(index(columns.pieces_up_to(columns.shape().stored_columns) + 1)),
        next_step_(pieces_.size() + 2, 0),
        slot_freed_(index(columns.slots()), kNoTask) {
    buffer_freed_.fill(kNoTask);
    for (int slot = 0; slot < columns.slots(); ++slot)
      free_slots_.push_back(slot);
  }

  Schedule take() && { return std::move(schedule_); }

  // Panels.

  void fetch(Step j) {
    const Panel& before = panel_before(j);
    for (const ColumnRange& c : columns_.block_column(j))
      piece(c).changed = add(TaskKind::Fetch, j, c,
                             {last_change(c), before.used, before.saved, before.used_by_host});
  }
  void factorize(Step j) { add(TaskKind::Factorize, j, columns_.panel(j), {last_}); }
  void broadcast(Step j) {
    // Its owner has the panel in the workspace already.
    const Panel& before = columns_.owns(j) ? unused_ : panel_before(j);
    add(TaskKind::StartBroadcast, j, {}, {before.used, before.saved, before.used_by_host});
    add(TaskKind::FinishBroadcast, j, {}, {});
  }
  void prepare(Step j) {
    const ColumnRange c = columns_.owns(j) ? columns_.panel(j) : ColumnRange{};
    panel(j).prepared = panel(j).used = add(TaskKind::Prepare, j, c, {last_});
  }
  /// The tail has all its updates with panel k.
  void end_tail(Step k) { panel(k).through = panel(k).used; }
  /// Once the host learns of the last step it may read what was stored.
  void finish(Step k) {
    if (k < 0) return;
    add(TaskKind::Finish, k, {},
        {panel(k).through, k == columns_.steps() - 1 ? last_stored_ : kNoTask});
  }

  // The elimination of columns c with panel k.

  void swap(Step k, const ColumnRange& c) {
    add(TaskKind::Swap, k, c, {panel(k).prepared, last_change(c), buffer_freed()});
  }
  void solve(Step k, const ColumnRange& c) { add(TaskKind::Solve, k, c, {}); }
  void all_gather(Step k, const ColumnRange& c) {
    const bool divided = columns_.shape().rows.processes() > 1 &&
                         solve_site(resolve_swap(spec_.swap, spec_.swap_threshold, c.count),
                                    spec_.equilibrate) == SolveSite::Divided;
    if (divided) add(TaskKind::AllGather, k, c, {});
  }
  void update(Step k, const ColumnRange& c) {
    panel(k).used = buffer_freed() = add(TaskKind::Update, k, c, {last_});
    for (auto i = columns_.piece_of(c); i < columns_.pieces_up_to(c.end()); ++i)
      pieces_[index(i)].changed = last_;
    for (auto i = counter_of(c.begin.value); i < counter_of(c.end()); ++i)
      next_step_[index(i)] = k + 1;
    ++panel(k).chunks;
    ++eliminations_;
  }
  /// The first step not yet applied to these columns.
  Step next_step(const ColumnRange& c) const {
    return next_step_[index(counter_of(c.begin.value))];
  }

  // Copies of columns that live in host memory.

  bool on_device(const ColumnRange& c) const {
    return !columns_.is_visited(c) || piece(c).slot != kNoSlot;
  }
  /// To the device, unless already there: only the rows that later steps need.
  void load(const ColumnRange& c) {
    if (on_device(c)) return;
    HPL_ASSERT(!free_slots_.empty());
    Piece& of = piece(c);
    of.slot = free_slots_.front();
    free_slots_.pop_front();
    of.loaded_from = columns_.geometry(next_step(c)).row_begin;
    const TaskId slot_freed = slot_freed_[index(of.slot)];
    // Nothing was in the slot before these columns, and they are as they were generated.
    const bool first =
        slot_freed == kNoTask && of.stored == kNoTask && of.updated_by_host == kNoTask;
    of.changed = add({.kind = TaskKind::Load,
                      .step = next_step(c),
                      .columns = c,
                      .rows = rows_of(of, columns_.shape().stored_rows),
                      .in_slot_at_start = first},
                     {std::max(slot_freed, of.stored), of.updated_by_host_before_visit});
  }
  /// Back to the host after step k, rows before `end`.
  void store(Step k, const ColumnRange& c, std::int64_t end) {
    Piece& of = piece(c);
    of.stored = slot_freed_[index(of.slot)] = last_stored_ =
        add({.kind = TaskKind::Store, .step = k, .columns = c, .rows = rows_of(of, end)},
            {last_change(c)});
    free_slots_.push_back(of.slot);
    of.slot = kNoSlot;
    of.visit = kNotDivided;
    of.updated_by_host_before_visit = of.updated_by_host;
  }
  void store(Step k, const ColumnRange& c) { store(k, c, columns_.shape().stored_rows); }
  /// Stores the rows above U(j, j). They are final since the panel was fetched.
  void store_above(Step j) {
    if (!columns_.owns(j) || !columns_.is_visited(columns_.panel(j))) return;
    for (const ColumnRange& c : columns_.block_column(j))
      store(j, c, columns_.geometry(j).row_begin.value);
  }
  void store_diagonal(Step j) {
    if (!columns_.owns(j) || !columns_.is_visited(columns_.panel(j))) return;
    panel(j).saved = last_stored_ =
        add(TaskKind::StoreDiagonal, j, columns_.panel(j), {panel(j).prepared});
  }
  /// Behind the last panel in host memory no column visits any more. The slots are free and the
  /// link idle, which back substitution waits for otherwise.
  void load_u(Step j) {
    if (j == columns_.last_visited_panel() && columns_.makes_all_steps())
      add(TaskKind::LoadU, j, {}, {last_stored_});
  }

  // The host's part: it eliminates columns where they lie in its memory.

  void store_panel(Step j) {
    if (!columns_.host_needs(j)) return;
    panel(j).saved = panel(j).on_host = add(TaskKind::StorePanel, j, {}, {panel(j).prepared});
  }
  /// Gives the host tasks, too, for a visit that ends with step k: who updates which of its columns
  /// is decided when their time comes (WorkDivision).
  void offer_to_host(Step k, const ColumnRange& c) {
    Piece& of = piece(c);
    of.visit = divided_visits_++;
    for (Step i = next_step(c); i <= k; ++i) {
      of.updated_by_host = panel(i).used_by_host =
          add(TaskKind::HostUpdate, i, c, {std::max(panel(i).on_host, of.stored)});
      ++host_eliminations_;
    }
  }

 private:
  /// The last tasks on a panel and its workspace.
  struct Panel {
    TaskId prepared = kNoTask;      ///< the task that made it ready
    TaskId used = kNoTask;          ///< by the device
    TaskId through = kNoTask;       ///< the same, in the step of its tail
    TaskId on_host = kNoTask;       ///< stored it for the host's updates
    TaskId saved = kNoTask;         ///< stored it, or U(j, j), in host memory
    TaskId used_by_host = kNoTask;  ///< for the host's updates
    std::int64_t chunks = 0;        ///< that it has updated
  };
  /// The last tasks on columns that visit the device as one, and where they are.
  struct Piece {
    TaskId changed = kNoTask;          ///< on the device
    TaskId stored = kNoTask;           ///< in host memory
    TaskId updated_by_host = kNoTask;  ///< of all visits
    TaskId updated_by_host_before_visit = kNoTask;
    int slot = kNoSlot;
    LocalRow loaded_from;              ///< first row in the slot
    std::int64_t visit = kNotDivided;  ///< number of the visit that the host has tasks for as well
  };

  TaskId add(TaskKind kind, Step step, const ColumnRange& columns,
             std::initializer_list<TaskId> after) {
    return add({.kind = kind, .step = step, .columns = columns}, after);
  }
  TaskId add(Task task, std::initializer_list<TaskId> after) {
    const TaskTraits& of = traits(task.kind);
    const bool of_tail = of.worker == Worker::Swap || task.kind == TaskKind::Update;
    const bool of_host = task.kind == TaskKind::HostUpdate;
    task.chunk = of_tail ? panel(task.step).chunks : 0;
    task.sequence = of_tail ? eliminations_ : of_host ? host_eliminations_ : task.step;
    task.panel = static_cast<int>(task.step % workspaces_);
    task.buffer = static_cast<int>(eliminations_ % kExchangeBuffers);
    if ((of.on_columns || of_host) && columns_.is_visited(task.columns)) {
      task.slot = piece(task.columns).slot;
      task.visit = piece(task.columns).visit;
    }
    if (task.kind == TaskKind::Factorize)
      task.overlapped_columns = columns_.overlapped_columns(task.step);
    const bool ahead = task.columns.end() <= columns_.tail_begin(task.step).value;
    const bool by_fetcher = fetcher_updates_ && task.kind == TaskKind::Update && ahead;
    task.worker = by_fetcher ? Worker::Transfer : of.worker;
    return last_ = schedule_.add(task, after);
  }

  Panel& panel(Step j) { return panels_[index(j)]; }
  /// The panel whose workspace panel j takes.
  const Panel& panel_before(Step j) const {
    return j < workspaces_ ? unused_ : panels_[index(j - workspaces_)];
  }
  TaskId& buffer_freed() { return buffer_freed_[index(eliminations_ % kExchangeBuffers)]; }
  Piece& piece(const ColumnRange& c) { return pieces_[index(columns_.piece_of(c))]; }
  const Piece& piece(const ColumnRange& c) const { return pieces_[index(columns_.piece_of(c))]; }
  TaskId last_change(const ColumnRange& c) const {
    TaskId last = kNoTask;
    for (auto i = columns_.piece_of(c); i < columns_.pieces_up_to(c.end()); ++i)
      last = std::max(last, pieces_[index(i)].changed);
    return last;
  }
  /// Steps are counted by piece, but the last panel and b, which may share one, are two.
  std::int64_t counter_of(std::int64_t column) const {
    return columns_.pieces_up_to(column) + (column == columns_.shape().stored_columns ? 1 : 0);
  }
  static RowRange rows_of(const Piece& piece, std::int64_t end) {
    return {piece.loaded_from, std::max<std::int64_t>(end - piece.loaded_from.value, 0)};
  }
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

  RunSpec spec_;
  const LuColumns& columns_;
  bool fetcher_updates_;
  Step workspaces_;
  Schedule schedule_;
  TaskId last_ = kNoTask, last_stored_ = kNoTask;
  Panel unused_;               // the workspaces were empty
  std::vector<Panel> panels_;  // by step
  std::vector<Piece> pieces_;
  std::vector<Step> next_step_;  // by counter_of(): the first step not yet applied
  std::array<TaskId, kExchangeBuffers> buffer_freed_;
  std::deque<int> free_slots_;      // the longest free first
  std::vector<TaskId> slot_freed_;  // by slot
  std::int64_t eliminations_ = 0, host_eliminations_ = 0, divided_visits_ = 0;
};

}  // namespace hpl
