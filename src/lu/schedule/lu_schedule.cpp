#include "hpl/lu/schedule/lu_schedule.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/lu/matrix/step_geometry.h"
#include "hpl/lu/swap/row_exchange_plan.h"
#include "hpl/lu/update/tail_chunks.h"

namespace hpl {

namespace {

using Step = std::int64_t;

/// Merges two lists: both keep their order, and the second is spread evenly over the first.
std::vector<ColumnRange> interleaved(const std::vector<ColumnRange>& a,
                                     const std::vector<ColumnRange>& b) {
  std::vector<ColumnRange> all;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();)
    all.push_back(j == b.size() || (i < a.size() && i * b.size() <= j * a.size()) ? a[i++]
                                                                                  : b[j++]);
  return all;
}

/// Writes the schedule. A(k:, j) stands for the rows of block column j from block row k on, c for
/// some columns of the tail.
class LuWriter {
 public:
  LuWriter(const RunSpec& spec, const LocalShape& shape, const SchedulePolicy& policy);

  /// Round j makes panel j and updates the tail with panel k, d steps behind. Block column j runs
  /// ahead of the tail: it gets its last d updates before them.
  Schedule write() && {
    for (Step j = 0; j < steps_ + d_; ++j) {
      const Step k = j - d_;
      if (j < steps_) {
        bring_up_to(j - 1, block_column(j));
        make_panel(j);
        put_away(j);
      }
      if (k >= 0) {
        if (policy_.host_takes_part) offer_to_host(k, tail(k));
        bring_up_to(k, tail(k));
        at(through_, k) = at(done_, k);
      }
      // Behind what the tail stores, whose slots others wait for while the panel is made.
      if (j < steps_) {
        store_diagonal(j);
        load_u(j);
      }
      if (k >= 0) finish(k - policy_.host_ahead);
    }
    for (Step k = steps_ - policy_.host_ahead; k < steps_; ++k)
      finish(k);
    return std::move(schedule_);
  }

 private:
  /// Columns under elimination, and the first step they get in this visit.
  struct Visit {
    ColumnRange columns;
    Step first;
  };

  void make_panel(Step j) {
    if (owns(j)) {
      fetch(j);      // X := A(j:, j)
      factorize(j);  // P X = L(j:, j) U(j, j)
    }
    broadcast(j);  // X, P -> process row
    prepare(j);    // P as an exchange of rows; L(j, j)^-1
    if (host_needs(j)) store_panel(j);
  }

  void eliminate(Step k, const ColumnRange& c) {
    swap(k, c);        // A(k:, c) := P A(k:, c)
    solve(k, c);       // U(k, c) := L(k, k)^-1 A(k, c)
    all_gather(k, c);  // U(k, c) -> process column, where each process has solved a part
    update(k, c);      // A(k+1:, c) := A(k+1:, c) - L(k+1:, k) U(k, c)
  }

  /// Applies to each chunk all panels up to k that it has not seen: just one where the chunk is
  /// always on the device. Two visits take turns, half a visit apart: rows of one are exchanged and
  /// solved while the other is updated.
  void bring_up_to(Step k, const std::vector<ColumnRange>& chunks) {
    for (const ColumnRange& c : chunks) {
      load(c);
      if (!visits_.empty()) begin_half_a_visit_ahead(k);
      visits_.push_back({c, next_step(c)});
      while (visits_.size() > 1)
        take_turn(k);
    }
    while (!visits_.empty())
      take_turn(k);
  }
  /// Gives a lone visit that is about to begin half of its steps, so that the next one does not
  /// keep step with it.
  void begin_half_a_visit_ahead(Step k) {
    const auto [c, first] = visits_.front();
    if (next_step(c) > first) return;
    for (Step half = (k + 1 - first) / 2; half > 0; --half)
      take_turn(k);
  }
  void take_turn(Step k) {
    const auto [c, first] = visits_.front();
    visits_.pop_front();
    if (next_step(c) <= k) eliminate(next_step(c), c);
    if (next_step(c) <= k)
      visits_.push_back({c, first});
    else if (is_visited(c) && first_step_of(c) > last_ahead(k))
      store(k, c, shape_.stored_rows);
  }

  // Tasks, each with what it waits for.

  void fetch(Step j) {
    for (const ColumnRange& c : block_column(j))
      at(updates_, unit_of(c)) =
          add(TaskKind::Fetch, j, c, {last_update(c), freed(j), at_home(j), freed_by_host(j)});
  }
  void factorize(Step j) { add(TaskKind::Factorize, j, panel(j), {last_}); }
  void broadcast(Step j) {
    // Its owner has the panel in the workspace already.
    if (owns(j))
      add(TaskKind::StartBroadcast, j, {}, {});
    else
      add(TaskKind::StartBroadcast, j, {}, {freed(j), at_home(j), freed_by_host(j)});
    add(TaskKind::FinishBroadcast, j, {}, {});
  }
  void prepare(Step j) {
    at(prepared_, j) = at(done_, j) =
        add(TaskKind::Prepare, j, owns(j) ? panel(j) : ColumnRange{}, {last_});
  }

  void swap(Step k, const ColumnRange& c) {
    add(TaskKind::Swap, k, c, {at(prepared_, k), last_update(c), buffer_freed()});
  }
  void solve(Step k, const ColumnRange& c) { add(TaskKind::Solve, k, c, {}); }
  void all_gather(Step k, const ColumnRange& c) {
    if (solved_in_parts(c)) add(TaskKind::AllGather, k, c, {});
  }
  void update(Step k, const ColumnRange& c) {
    at(done_, k) = buffer_freed() = add(TaskKind::Update, k, c, {last_});
    for (auto [unit, end] = units_of(c); unit < end; ++unit)
      at(updates_, unit) = last_;
    for (std::int64_t part = part_of(c); part < part_of(c.end()); ++part)
      at(next_step_, part) = k + 1;
    ++at(chunks_, k);
    ++eliminations_;
  }
  /// Once the host learns of the last step it may read what was stored.
  void finish(Step k) {
    if (k < 0) return;
    add(TaskKind::Finish, k, {}, {at(through_, k), k == steps_ - 1 ? last_stored_ : kNoTask});
  }

  // Copies of columns that live in host memory.

  /// To the device, unless already there: only the rows that later steps need.
  void load(const ColumnRange& c) {
    if (!is_visited(c) || slot_of(c) != kNoSlot) return;
    HPL_ASSERT(!free_slots_.empty());
    slot_of(c) = free_slots_.front();
    free_slots_.pop_front();
    at(loaded_from_, unit_of(c)) = geometry(next_step(c)).row_begin;
    at(updates_, unit_of(c)) = add(TaskKind::Load, next_step(c), c,
                                   {std::max(at(slot_freed_, slot_of(c)), at(stored_, unit_of(c))),
                                    at(host_through_, unit_of(c))},
                                   rows_of(c, shape_.stored_rows));
  }
  /// Back to the host after step k, rows before `end`.
  void store(Step k, const ColumnRange& c, std::int64_t end) {
    at(stored_, unit_of(c)) = at(slot_freed_, slot_of(c)) = last_stored_ =
        add(TaskKind::Store, k, c, {last_update(c)}, rows_of(c, end));
    free_slots_.push_back(slot_of(c));
    slot_of(c) = kNoSlot;
    at(divided_, unit_of(c)) = kNotDivided;
    at(host_through_, unit_of(c)) = at(host_updates_, unit_of(c));
  }
  /// Stores what panel j leaves in the matrix above U(j, j): it is final since the panel was
  /// fetched.
  void put_away(Step j) {
    if (!owns(j) || !is_visited(panel(j))) return;
    for (const ColumnRange& c : block_column(j))
      store(j, c, geometry(j).row_begin.value);
  }
  void store_diagonal(Step j) {
    if (!owns(j) || !is_visited(panel(j))) return;
    at(diagonal_stored_, j) = last_stored_ =
        add(TaskKind::StoreDiagonal, j, panel(j), {at(prepared_, j)});
  }
  /// Behind the last panel in host memory no column visits any more. The slots are free and the
  /// link idle, which back substitution waits for else.
  void load_u(Step j) {
    const bool to_be_solved = steps_ == step_count(shape_);
    if (visited_.columns == 0 || j != last_visited_step() || !to_be_solved) return;
    add(TaskKind::LoadU, j, {}, {last_stored_});
  }
  Step last_visited_step() const { return first_step_of({{visited_.columns - unit_}, unit_}); }
  /// The last task that stores anything out of the workspace that panel j takes: U(i, i) of the
  /// panel before it, or all of that.
  TaskId at_home(Step j) const {
    if (j < workspaces_) return kNoTask;
    return std::max(diagonal_stored_[index(j - workspaces_)],
                    panel_stored_[index(j - workspaces_)]);
  }
  RowRange rows_of(const ColumnRange& c, std::int64_t end) const {
    const LocalRow begin = loaded_from_[index(unit_of(c))];
    return {begin, std::max<std::int64_t>(end - begin.value, 0)};
  }

  // The host's part: it eliminates columns where they lie in its memory.

  /// Gives the host tasks, too, for visits that end with step k, from the left: who updates which
  /// columns is decided when their time comes (WorkDivision). Not for a column's last visit, after
  /// which it stays on the device.
  void offer_to_host(Step k, std::vector<ColumnRange> chunks) {
    std::reverse(chunks.begin(), chunks.end());
    for (const ColumnRange& c : chunks) {
      if (!is_visited(c) || slot_of(c) != kNoSlot || first_step_of(c) <= last_ahead(k)) continue;
      at(divided_, unit_of(c)) = divided_visits_++;
      for (Step i = next_step(c); i <= k; ++i)
        host_update(i, c);
    }
  }
  void host_update(Step i, const ColumnRange& c) {
    at(host_updates_, unit_of(c)) = at(host_done_, i) =
        add(TaskKind::HostUpdate, i, c, {std::max(at(panel_stored_, i), at(stored_, unit_of(c)))});
    ++host_eliminations_;
  }
  void store_panel(Step j) {
    at(panel_stored_, j) = add(TaskKind::StorePanel, j, {}, {at(prepared_, j)});
  }
  /// Whether columns in host memory may get panel j there.
  bool host_needs(Step j) const {
    return policy_.host_takes_part && visited_.columns > 0 && last_visited_step() > last_ahead(j);
  }
  /// The host's last task with the panel in the workspace that panel j takes.
  TaskId freed_by_host(Step j) const {
    return j < workspaces_ ? kNoTask : host_done_[index(j - workspaces_)];
  }

  /// Whether nothing was in the slot before these columns, and they are as they were generated.
  bool is_first_in_slot(const ColumnRange& c) const {
    const auto unit = index(unit_of(c));
    return slot_freed_[index(slots_[unit])] == kNoTask && stored_[unit] == kNoTask &&
           host_updates_[unit] == kNoTask;
  }

  bool is_visited(const ColumnRange& c) const { return c.begin.value < visited_.columns; }
  int& slot_of(const ColumnRange& c) { return at(slots_, unit_of(c)); }
  /// The first step not yet applied to these columns.
  Step next_step(const ColumnRange& c) const { return next_step_[index(part_of(c))]; }
  std::int64_t unit_of(const ColumnRange& c) const { return c.begin.value / unit_; }
  /// The last panel that is made before the next tail update: its columns stay on the device.
  Step last_ahead(Step k) const { return std::min(k + 1 + d_, steps_ - 1); }
  /// Steps are counted by part: by unit, but the last panel and b, which may share one, are two.
  std::int64_t part_of(const ColumnRange& c) const { return part_of(c.begin.value); }
  std::int64_t part_of(std::int64_t column) const {
    return (column + unit_ - 1) / unit_ + (column == shape_.stored_columns ? 1 : 0);
  }
  /// The step whose panel these columns belong to.
  Step first_step_of(const ColumnRange& c) const {
    return shape_.columns.to_global(c.begin).value / shape_.columns.block();
  }
  /// Whether a visit of these columns ends with step k: with the last at the latest.
  bool visited_in(Step k, const ColumnRange& c) const {
    return k == steps_ - 1 || visit_ends(policy_.visits, unit_of(c), first_step_of(c) - d_ - 1, k);
  }

  // Where columns lie.

  bool owns(Step j) const { return geometry(j).on_owner_column; }
  ColumnRange panel(Step j) const { return {geometry(j).panel_begin, geometry(j).width}; }
  /// The columns of panel j on their owner, in the pieces in which they lie on the device; empty
  /// elsewhere.
  std::vector<ColumnRange> block_column(Step j) const {
    if (!owns(j)) return {};
    if (!is_visited(panel(j))) return {panel(j)};
    return units_between(panel(j).begin.value, panel(j).end());
  }
  std::vector<ColumnRange> units_between(std::int64_t begin, std::int64_t end) const {
    std::vector<ColumnRange> units;
    for (std::int64_t c = begin; c < end; c += unit_)
      units.push_back({{c}, unit_});
    return units;
  }
  /// Chunks that panel k updates behind the block columns that are ahead: all resident columns, and
  /// among them, evenly spread and from the right, the visits that end with step k.
  std::vector<ColumnRange> tail(Step k) const {
    if (geometry(k).tail_columns == 0) return {};
    const LocalColumn begin = geometry(std::min(k + d_, steps_ - 1)).tail_begin;
    const std::int64_t first = std::max(begin.value, visited_.columns);
    std::vector<ColumnRange> resident =
        tail_chunks(shape_, {first},
                    chunk_width(policy_, shape_.stored_columns - first, shape_.columns.block()));
    std::vector<ColumnRange> visited = units_between(begin.value, visited_.columns);
    std::erase_if(visited, [&](const ColumnRange& c) { return !visited_in(k, c); });
    std::reverse(visited.begin(), visited.end());
    return interleaved(resident, visited);
  }
  std::int64_t tail_columns(Step k) const {
    return k < 0 ? 0 : shape_.stored_columns - geometry(k + d_).tail_begin.value;
  }
  bool solved_in_parts(const ColumnRange& c) const {
    return shape_.rows.processes() > 1 &&
           solve_site(resolve_swap(spec_.swap, spec_.swap_threshold, c.count), spec_.equilibrate) ==
               SolveSite::Divided;
  }
  StepGeometry geometry(Step k) const { return step_geometry(shape_, k); }

  // The last task on each resource.

  /// The last task that used the workspace of panel j, which was that of panel j - workspaces.
  TaskId freed(Step j) const { return j < workspaces_ ? kNoTask : done_[index(j - workspaces_)]; }
  TaskId& buffer_freed() { return buffers_[index(eliminations_ % kExchangeBuffers)]; }
  /// The last task that changed these columns.
  TaskId last_update(const ColumnRange& c) const {
    const auto [begin, end] = units_of(c);
    return *std::max_element(updates_.begin() + begin, updates_.begin() + end);
  }
  std::pair<std::int64_t, std::int64_t> units_of(const ColumnRange& c) const {
    return {c.begin.value / unit_, (c.end() + unit_ - 1) / unit_};
  }

  TaskId add(TaskKind kind, Step step, const ColumnRange& columns,
             std::initializer_list<TaskId> after, const RowRange& rows = {}) {
    const bool of_tail = traits(kind).worker == Worker::Swap || kind == TaskKind::Update;
    const bool of_host = kind == TaskKind::HostUpdate;
    last_ = schedule_.add(
        {.kind = kind,
         .step = step,
         .columns = columns,
         .chunk = of_tail ? at(chunks_, step) : 0,
         .turn = of_tail   ? eliminations_
                 : of_host ? host_eliminations_
                           : step,
         .panel = static_cast<int>(step % workspaces_),
         .buffer = static_cast<int>(eliminations_ % kExchangeBuffers),
         .slot = traits(kind).on_columns && is_visited(columns) ? slot_of(columns) : kNoSlot,
         .rows = rows,
         .in_slot_at_start = kind == TaskKind::Load && is_first_in_slot(columns),
         .visit = (traits(kind).on_columns || of_host) && is_visited(columns)
                      ? at(divided_, unit_of(columns))
                      : kNotDivided,
         .beside = kind == TaskKind::Factorize && d_ > 0 ? tail_columns(step - d_) : 0,
         .worker = worker_of(kind, step, columns)},
        after);
    return last_;
  }

  Worker worker_of(TaskKind kind, Step k, const ColumnRange& c) const {
    const bool by_fetcher = policy_.fetcher_updates && kind == TaskKind::Update &&
                            c.end() <= geometry(std::min(k + d_, steps_ - 1)).tail_begin.value;
    return by_fetcher ? Worker::Transfer : traits(kind).worker;
  }

  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  template <class T>
  static T& at(std::vector<T>& values, std::int64_t i) {
    return values[index(i)];
  }

  RunSpec spec_;
  LocalShape shape_;
  SchedulePolicy policy_;
  Step steps_, d_, workspaces_;
  VisitedPart visited_;
  std::int64_t unit_;  // columns that visit the device together
  Schedule schedule_;
  TaskId last_ = kNoTask;
  // By step: the task that made the panel ready; the last that used it, so far and in the round of
  // its tail; the ones that stored its U(j, j) and all of it to host memory; the host's last with
  // it.
  std::vector<TaskId> prepared_, done_, through_, diagonal_stored_, panel_stored_, host_done_;
  std::vector<std::int64_t> chunks_;  // by step: how many it has so far
  // By unit.
  std::vector<TaskId> updates_;        // the last task that changed it
  std::vector<Step> next_step_;        // the first not yet applied, by part
  std::vector<TaskId> stored_;         // the last task that stored it
  std::vector<int> slots_;             // the slot that holds it
  std::vector<LocalRow> loaded_from_;  // the first row in that slot
  std::vector<std::int64_t> divided_;  // number of the visit that the host has tasks for as well
  std::vector<TaskId> host_updates_;   // the host's last task on it
  std::vector<TaskId> host_through_;   // that of the visits that have ended
  std::deque<int> free_slots_;         // the longest free first
  TaskId last_stored_ = kNoTask;
  std::vector<TaskId> slot_freed_;  // by slot: the last task that used it
  std::deque<Visit> visits_;        // under way
  std::array<TaskId, kExchangeBuffers> buffers_{kNoTask, kNoTask, kNoTask};
  std::int64_t eliminations_ = 0, host_eliminations_ = 0, divided_visits_ = 0;
};

LuWriter::LuWriter(const RunSpec& spec, const LocalShape& shape, const SchedulePolicy& policy)
    : spec_(spec),
      shape_(shape),
      policy_(policy),
      steps_(steps_to_make(shape, policy)),
      d_(policy.look_ahead),
      workspaces_(panel_workspaces(policy)),
      visited_(visited_part(shape, policy.visits)),
      unit_(visited_.slot_columns),
      prepared_(index(steps_), kNoTask),
      done_(index(steps_), kNoTask),
      through_(index(steps_), kNoTask),
      diagonal_stored_(index(steps_), kNoTask),
      panel_stored_(index(steps_), kNoTask),
      host_done_(index(steps_), kNoTask),
      chunks_(index(steps_), 0),
      updates_(index(shape.stored_columns / unit_ + 1), kNoTask),
      next_step_(updates_.size() + 2, 0),
      stored_(updates_.size(), kNoTask),
      slots_(updates_.size(), kNoSlot),
      loaded_from_(updates_.size()),
      divided_(updates_.size(), kNotDivided),
      host_updates_(updates_.size(), kNoTask),
      host_through_(updates_.size(), kNoTask),
      slot_freed_(index(visited_.slots), kNoTask) {
  for (int slot = 0; slot < visited_.slots; ++slot)
    free_slots_.push_back(slot);
}

}  // namespace

Schedule lu_schedule(const RunSpec& spec, const LocalShape& shape, const SchedulePolicy& policy) {
  return LuWriter(spec, shape, policy).write();
}

}  // namespace hpl
