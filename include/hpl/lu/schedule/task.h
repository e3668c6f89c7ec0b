#pragma once

#include <array>
#include <cstdint>

#include "hpl/base/result/timeline.h"
#include "hpl/lu/grid/block_cyclic.h"

namespace hpl {

/// The threads of a rank. Each carries out its tasks in the order of the schedule, and the tasks of
/// one worker are finished in that order too: what follows them on the device does so in one
/// stream.
///
/// Load and Store have work only where part of the matrix is in host memory, Host only where the
/// host's cores update some of it there.
enum class Worker { Panel, Transfer, Swap, Update, Load, Store, Host };
inline constexpr int kWorkerCount = 7;
const char* to_string(Worker worker);
// The row in which a worker's work is drawn: that of its thread, or of its stream.
Track thread_of(Worker worker);
Track stream_of(Worker worker);

/// The processes whose messages a worker's task may wait for: those of its row or column.
enum class Peers { None, Row, Column };

/// The kinds of tasks in step k; c stands for some columns right of panel k.
enum class TaskKind {
  Fetch,            ///< X := A(k:, k), from the matrix to a panel workspace
  Factorize,        ///< P X = L(k:, k) U(k, k)
  StartBroadcast,   ///< L(k:, k), U(k, k) and pivots to the process row: begun
  FinishBroadcast,  ///< and arrived
  Prepare,          ///< exchange plan of P; L(k, k)^-1
  Swap,             ///< A(k:, c) := P A(k:, c)
  Solve,            ///< U(k, c) := L(k, k)^-1 A(k, c)
  AllGather,        ///< U(k, c) to the process column, where each process has solved a part of it
  Update,           ///< A(k+1:, c) := A(k+1:, c) - L(k+1:, k) U(k, c)
  Finish,           ///< the host learns that step k is done
  Load,             ///< columns that live in host memory: to the device, before their updates
  Store,            ///< and back
  StoreDiagonal,    ///< U(k, k) to columns that live in host memory
  LoadU,            ///< U of such columns to the slots, when the last has left: for the solution
  StorePanel,       ///< L(k:, k) to host memory, for the host's own updates
  HostUpdate        ///< Swap, Solve and Update of columns in host memory, by the host's cores
};
inline constexpr int kTaskKindCount = 16;

/// Properties of all tasks of a kind.
struct TaskTraits {
  Worker worker;
  Peers peers;
  Phase phase;  ///< the phase of its time
  /// The host itself waits for the inputs, since it uses memory that the device used before.
  bool on_host;
  /// It works on its columns where they are on the device.
  bool on_columns;
  /// Messages are on their way meanwhile: whoever has other things to do puts it off.
  bool can_wait;
  const char* doing;     ///< of its worker while it is carried out: "exchanges rows"
  const char* awaiting;  ///< of a worker that waits for it: "waits for ..."
};
const TaskTraits& traits(TaskKind kind);
/// The row in which such a task of that worker is drawn: that of the work, not of its enqueuing.
Track track_of(TaskKind kind, Worker worker);

/// Number of a task in its schedule.
using TaskId = std::int64_t;
inline constexpr TaskId kNoTask = -1;
/// By worker.
using TaskOfEach = std::array<TaskId, kWorkerCount>;
constexpr TaskOfEach no_tasks() {
  TaskOfEach tasks{};
  tasks.fill(kNoTask);
  return tasks;
}

/// Columns that live in device memory are in no slot.
inline constexpr int kNoSlot = -1;
/// The device alone works on the columns.
inline constexpr std::int64_t kNotDivided = -1;

/// A piece of work of one rank.
struct Task {
  TaskKind kind = TaskKind::Finish;
  std::int64_t step = 0;
  ColumnRange columns;     ///< of the local matrix: the panel's, or those of the tail it works on
  std::int64_t chunk = 0;  ///< number of these columns among those of its step
  /// Sequence number among the tasks of its kind that have the same peers: equal on all of them.
  std::int64_t sequence = 0;
  int panel = 0;       ///< panel workspace
  int buffer = 0;      ///< exchange buffer
  int slot = kNoSlot;  ///< place of the columns on the device; kNoSlot: they are always there
  RowRange rows;       ///< of the local matrix: what Load and Store copy
  /// Load: nothing to copy, the first columns that a slot holds are in it before the clock starts.
  bool in_slot_at_start = false;
  /// Number of the visit whose columns host and device divide; both have tasks for all of them, and
  /// leave out those that the other takes (WorkDivision).
  std::int64_t visit = kNotDivided;
  /// Factorize: local columns that are updated meanwhile.
  std::int64_t overlapped_columns = 0;
  Worker worker = Worker::Panel;
  /// By worker: the last of its tasks that must come before; kNoTask where none needs to.
  TaskOfEach after = no_tasks();
};

}  // namespace hpl
