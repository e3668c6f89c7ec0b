#include "hpl/lu/schedule/lu_schedule.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "hpl/lu/matrix/step_geometry.h"
#include "hpl/lu/swap/row_exchange_plan.h"
#include "hpl/lu/update/tail_chunks.h"

namespace hpl {

namespace {

using Step = std::int64_t;

/// Writes the schedule down. NB columns are a block column; A(k:, j) stands for the rows from block
/// row k on of block column j, c for some columns of the tail.
class LuWriter {
 public:
  LuWriter(const RunSpec& spec, const LocalShape& shape, const SchedulePolicy& policy);

  /// Round j makes panel j, and updates the tail with panel k, which is d steps behind. Block
  /// column j is ahead of the tail: it gets its last d updates first.
  Schedule write() && {
    for (Step j = 0; j < steps_ + d_; ++j) {
      const Step k = j - d_;
      if (j < steps_) {
        for (Step s = std::max<Step>(k, 0); s < j; ++s)
          eliminate(s, block_column(j));
        make_panel(j);
      }
      if (k >= 0) {
        eliminate(k, tail(k));
        finish(k - policy_.host_ahead);
      }
    }
    for (Step k = steps_ - policy_.host_ahead; k < steps_; ++k)
      finish(k);
    return std::move(schedule_);
  }

 private:
  void make_panel(Step j) {
    if (owns(j)) {
      fetch(j);      // X := A(j:, j)
      factorize(j);  // P X = L(j:, j) U(j, j)
    }
    broadcast(j);  // X, P -> process row
    prepare(j);    // P as an exchange of rows; L(j, j)^-1
  }

  void eliminate(Step k, const std::vector<ColumnRange>& chunks) {
    for (const ColumnRange& c : chunks) {
      swap(k, c);        // A(k:, c) := P A(k:, c)
      solve(k, c);       // U(k, c) := L(k, k)^-1 A(k, c)
      all_gather(k, c);  // U(k, c) -> process column, where each process has solved a part
      update(k, c);      // A(k+1:, c) := A(k+1:, c) - L(k+1:, k) U(k, c)
    }
  }

  // What each of these waits for.

  void fetch(Step j) { add(TaskKind::Fetch, j, panel(j), {last_update(panel(j)), freed(j)}); }
  void factorize(Step j) { add(TaskKind::Factorize, j, panel(j), {last_}); }
  void broadcast(Step j) {
    // On the process column that owns it, the panel is in its workspace already.
    add(TaskKind::StartBroadcast, j, {}, {owns(j) ? kNoTask : freed(j)});
    add(TaskKind::FinishBroadcast, j, {}, {});
  }
  void prepare(Step j) { at(prepared_, j) = at(done_, j) = add(TaskKind::Prepare, j, {}, {last_}); }

  void swap(Step k, const ColumnRange& c) {
    add(TaskKind::Swap, k, c, {at(prepared_, k), last_update(c), buffer_freed()});
  }
  void solve(Step k, const ColumnRange& c) { add(TaskKind::Solve, k, c, {}); }
  void all_gather(Step k, const ColumnRange& c) {
    if (solved_in_parts(c)) add(TaskKind::AllGather, k, c, {});
  }
  void update(Step k, const ColumnRange& c) {
    at(done_, k) = buffer_freed() = add(TaskKind::Update, k, c, {last_});
    for (auto [block, end] = blocks_of(c); block < end; ++block)
      at(updates_, block) = last_;
    ++at(chunks_, k);
    ++eliminations_;
  }
  void finish(Step k) {
    if (k >= 0) add(TaskKind::Finish, k, {}, {at(done_, k)});
  }

  // Where columns are.

  bool owns(Step j) const { return geometry(j).on_owner_column; }
  ColumnRange panel(Step j) const { return {geometry(j).panel_begin, geometry(j).width}; }
  /// The columns of panel j, on the process column that owns them.
  std::vector<ColumnRange> block_column(Step j) const {
    return owns(j) ? std::vector{panel(j)} : std::vector<ColumnRange>{};
  }
  /// What panel k updates behind the block columns that are ahead.
  std::vector<ColumnRange> tail(Step k) const {
    if (geometry(k).tail_columns == 0) return {};
    const Step ahead = std::min(k + d_, steps_ - 1);
    return tail_chunks(shape_, geometry(ahead).tail_begin, policy_.chunk_columns);
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

  // What was done last.

  /// The workspace of panel j was last used by panel j - workspaces.
  TaskId freed(Step j) const { return j < workspaces_ ? kNoTask : done_[index(j - workspaces_)]; }
  TaskId& buffer_freed() { return buffers_[index(eliminations_ % kExchangeBuffers)]; }
  TaskId last_update(const ColumnRange& c) const {
    const auto [begin, end] = blocks_of(c);
    return *std::max_element(updates_.begin() + begin, updates_.begin() + end);
  }
  std::pair<std::int64_t, std::int64_t> blocks_of(const ColumnRange& c) const {
    const std::int64_t block = shape_.columns.block();
    return {c.begin.value / block, (c.end() + block - 1) / block};
  }

  TaskId add(TaskKind kind, Step step, const ColumnRange& columns,
             std::initializer_list<TaskId> after) {
    const bool of_tail = traits(kind).worker == Worker::Swap || kind == TaskKind::Update;
    last_ = schedule_.add(
        {.kind = kind,
         .step = step,
         .columns = columns,
         .chunk = of_tail ? at(chunks_, step) : 0,
         .turn = of_tail ? eliminations_ : step,
         .panel = static_cast<int>(step % workspaces_),
         .buffer = static_cast<int>(eliminations_ % kExchangeBuffers),
         .beside = kind == TaskKind::Factorize && d_ > 0 ? tail_columns(step - d_) : 0,
         .worker = traits(kind).worker},
        after);
    return last_;
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
  Schedule schedule_;
  TaskId last_ = kNoTask;
  std::vector<TaskId> prepared_, done_;  // by step: panel ready for use; the last that used it
  std::vector<std::int64_t> chunks_;     // by step: how many there are so far
  std::vector<TaskId> updates_;          // by block of local columns
  std::array<TaskId, kExchangeBuffers> buffers_{kNoTask, kNoTask, kNoTask};
  std::int64_t eliminations_ = 0;
};

LuWriter::LuWriter(const RunSpec& spec, const LocalShape& shape, const SchedulePolicy& policy)
    : spec_(spec),
      shape_(shape),
      policy_(policy),
      steps_(steps_to_make(shape, policy)),
      d_(policy.look_ahead),
      workspaces_(panel_workspaces(policy.look_ahead)),
      prepared_(index(steps_), kNoTask),
      done_(index(steps_), kNoTask),
      chunks_(index(steps_), 0),
      updates_(index(shape.stored_columns / shape.columns.block() + 1), kNoTask) {}

}  // namespace

int panel_workspaces(int look_ahead) {
  return std::max(2, look_ahead + 1);
}

std::int64_t steps_to_make(const LocalShape& shape, const SchedulePolicy& policy) {
  const std::int64_t all = step_count(shape);
  return policy.step_limit > 0 ? std::min(policy.step_limit, all) : all;
}

Schedule lu_schedule(const RunSpec& spec, const LocalShape& shape, const SchedulePolicy& policy) {
  return LuWriter(spec, shape, policy).write();
}

}  // namespace hpl
