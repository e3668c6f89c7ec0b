#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hpcx/device.h"
#include "hpl/base/choice/choices.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/base/result/remark.h"
#include "hpl/comm/mpi/environment.h"
#include "hpl/input/command_line/wishes.h"
#include "hpl/lu/grid/node_tiles.h"
#include "hpl/lu/pipeline/factorization_stages.h"
#include "hpl/machine/host/memory.h"

namespace hpl {

/// Facts about a rank that decisions follow from. A job learns them from its Machine, a prediction
/// from rates.
struct Facts {
  ProcessorKind kind = ProcessorKind::Cpu;
  std::string device = "cpu";      ///< name of the device's back end
  bool shares_host_memory = true;  ///< the device's memory is the host's
  bool factorizes_panels = false;  ///< the device has a solver for panels
  int multiprocessors = 0;         ///< of the device, for its panels; 0: unknown
  bool emulates = true;            ///< the device has products by INT8
  double int8_per_fp64 = 0;        ///< rate of its products by INT8 over that by FP64; 0: unknown
  bool mixed = true;               ///< the device has the operations of HPL-MxP
  std::int64_t stream_bytes = 0;   ///< device memory that each stream takes
  /// Device memory that the transports of a run have taken; empty before they are made.
  std::optional<std::int64_t> link_bytes{};
  int threads = 1;              ///< compute threads of a rank on the host
  int cores = 1;                ///< for the threads of a rank
  bool oversubscribed = false;  ///< ranks share cores
  mpi::ThreadLevel thread_level = mpi::ThreadLevel::Multiple;
  int ranks_per_node = 1;
  GridShape tile{0, 0};  ///< p x q that the ranks of a node form; 0: as suits the grid
  MemoryBounds memory;   ///< of a rank
};
/// Facts that a device knows. The rest is left open.
Facts facts_of(hpcx::Device& device);

/// Chooses what `wishes` leave open of a run of HPL-MxP: operands of FP16 on a GPU or where the
/// matrix is to have 16 bits, else of FP32; a matrix of their format. Throws ConfigError for a
/// matrix of fewer bits than its operands.
MixedSpec mixed_spec(const MixedWishes& wishes, ProcessorKind kind);

/// Settings that carry out a run.
struct RunSettings {
  PipelineKind pipeline = PipelineKind::Serial;
  PipelineSettings stages;
  std::int64_t checksum_interval = 1;         ///< steps between comparisons of checksums
  std::optional<std::int64_t> pinned_memory;  ///< most bytes to pin of a matrix in host memory
  std::optional<double> host_share;  ///< of the updates, where the host takes part; empty: by rates
  bool staged_messages = false;      ///< messages may have to pass through pinned memory
  BalanceRequest balance = BalanceRequest::Off;  ///< distribution of blocks, never Auto
  GridShape tile;                                ///< p x q, the part of the grid on one node
  MemoryAccount memory;                          ///< of the rank that needs most
  std::vector<Decision> decisions;               ///< the choices among all this, and their reasons
  std::vector<Remark> remarks;                   ///< replacements of requests
};

/// A run and how it is carried out.
struct DecidedRun {
  RunSpec spec;
  RunSettings settings;
};

/// Decision::about of the part of the matrix in host memory.
inline constexpr const char* kHostMemory = "host memory of a rank";

/// Decides the execution of `spec` on such a machine, as far as `wishes` leave it open. Every
/// program and mode asks here. Throws ConfigError if a wish cannot be granted. Pure.
RunSettings decide(const RunSpec& spec, const Facts& facts, const Wishes& wishes);

/// Whether several threads of a rank can drive a run of so many processes. Pure.
bool several_threads_can_send(const Facts& facts, int processes);
/// Whether a rank has a core to spare beside the products, so that other pipelines than the serial
/// one make sense. Pure.
bool has_core_to_spare(const Facts& facts);

/// The part of the grid for the ranks of a node, for the least traffic between nodes: on several
/// nodes of GPUs whose ranks are all in the grid. Empty: ranks lie in the order of their numbers.
/// Pure.
std::optional<GridShape> node_tile(GridShape grid, const NodeMap& nodes, ProcessorKind kind);

/// Runs of smaller orders end before a warm-up or a measured rate would: they do without.
inline constexpr std::int64_t kLeastWorthMeasuring = 1000;

/// The distribution of a run's blocks; never Auto. Pure.
BalanceRequest choose_balance(const RunSpec& spec, ProcessorKind kind, const Wishes& wishes);

}  // namespace hpl
