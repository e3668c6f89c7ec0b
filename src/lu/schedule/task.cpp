#include "hpl/lu/schedule/task.h"

#include "hpl/base/error/error.h"

namespace hpl {

const char* to_string(Worker worker) {
  switch (worker) {
    case Worker::Panel:
      return "panel";
    case Worker::Transfer:
      return "transfer";
    case Worker::Swap:
      return "swap";
    case Worker::Update:
      return "update";
    case Worker::Load:
      return "load";
    case Worker::Store:
      return "store";
    case Worker::Host:
      return "host";
  }
  HPL_ASSERT(!"a worker");
  return "";
}

Track thread_of(Worker worker) {
  return static_cast<Track>(static_cast<int>(Track::PanelWorker) + static_cast<int>(worker));
}

Track stream_of(Worker worker) {
  HPL_ASSERT(worker != Worker::Host);
  return static_cast<Track>(static_cast<int>(Track::PanelStream) + static_cast<int>(worker));
}

const TaskTraits& traits(TaskKind kind) {
  // clang-format off
  static constexpr TaskTraits kTraits[kTaskKindCount] = {
    // worker,         peers,         phase,                     on_host, on_columns, can_wait, doing,                      awaiting
    {Worker::Transfer, Peers::None,   Phase::PanelTransfer,      false,   true,       false,    "fetches the panel",        "waits for the panel's columns"},
    {Worker::Panel,    Peers::Column, Phase::PanelFactorization, false,   false,      false,    "factorizes the panel",     "waits for the factored panel"},
    {Worker::Panel,    Peers::Row,    Phase::PanelBroadcast,     true,    false,      false,    "broadcasts the panel",     "waits for the broadcast"},
    {Worker::Panel,    Peers::Row,    Phase::PanelBroadcast,     false,   false,      true,     "broadcasts the panel",     "waits for the panel's broadcast"},
    {Worker::Transfer, Peers::None,   Phase::PanelTransfer,      false,   false,      true,     "prepares the panel",       "waits for the panel"},
    {Worker::Swap,     Peers::Column, Phase::RowSwap,            false,   true,       false,    "exchanges rows",           "waits for the exchange of rows"},
    {Worker::Swap,     Peers::None,   Phase::Solve,              false,   true,       false,    "solves for U",             "waits for rows of U"},
    {Worker::Swap,     Peers::Column, Phase::RowSwap,            false,   true,       false,    "gathers rows of U",        "waits for rows of U"},
    {Worker::Update,   Peers::None,   Phase::Multiply,           false,   true,       false,    "updates the tail",         "waits for an update of the tail"},
    {Worker::Update,   Peers::None,   Phase::Multiply,           true,    false,      false,    "waits for the device",     "waits for the end of a step"},
    {Worker::Load,     Peers::None,   Phase::MatrixLoad,         false,   true,       false,    "loads columns",            "waits for columns from host memory"},
    {Worker::Store,    Peers::None,   Phase::MatrixStore,        false,   true,       false,    "stores columns",           "waits for columns to leave the device"},
    {Worker::Store,    Peers::None,   Phase::MatrixStore,        false,   false,      false,    "stores U(k, k)",           "waits for U(k, k) to leave the device"},
    {Worker::Load,     Peers::None,   Phase::MatrixLoad,         false,   false,      false,    "loads U",                  "waits for U from host memory"},
    {Worker::Store,    Peers::None,   Phase::MatrixStore,        false,   false,      false,    "stores the panel",         "waits for the panel in host memory"},
    {Worker::Host,     Peers::Column, Phase::HostUpdate,         true,    false,      false,    "updates columns by itself", "waits for the host's updates"},
  };
  // clang-format on
  return kTraits[static_cast<std::size_t>(kind)];
}

Track track_of(TaskKind kind, Worker worker) {
  return is_work_of_a_stream(traits(kind).phase) ? stream_of(worker) : thread_of(worker);
}

}  // namespace hpl
