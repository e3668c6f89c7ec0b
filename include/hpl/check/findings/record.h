#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hpcx/telemetry.h"
#include "hpl/base/record/record.h"
#include "hpl/base/result/figure.h"
#include "hpl/check/deep/deep_figure.h"
#include "hpl/comm/mpi/environment.h"

namespace hpl {

inline constexpr std::int32_t kNoPeer = -1;

/// A figure of one rank, or of the link between it and `peer`.
struct Measurement {
  Figure metric = Figure::HostDgemm;
  std::int32_t peer = kNoPeer;  ///< a rank of the job
  double value = 0;             ///< in the unit of the metric
  bool crowded = false;         ///< other processes were there whenever it was measured

  bool operator==(const Measurement&) const = default;
};

/// The products of one core, apart from its clock and from other work on it. A tick is the time of
/// one multiplication of integers in a chain of them: the same number of cycles on all cores of a
/// model, whatever a second hardware thread does beside it.
struct CoreProducts {
  double flops_per_tick = 0;
  double clock = 1;  ///< ticks in a nanosecond; 1 where no tick was measured
  double width = 0;  ///< additions of integers in a tick, as many as the core can make; 0: unknown

  double gflops() const { return flops_per_tick * clock; }

  bool operator==(const CoreProducts&) const = default;
};

/// A probe that gave no figure, and why.
struct ProbeNote {
  std::string probe, reason;

  bool operator==(const ProbeNote&) const = default;
};

/// The check's knowledge of one rank.
struct RankRecord {
  int rank = 0;
  int node = 0;           ///< ranks with equal numbers share a host; counted from 0
  std::string host;       ///< its name, which hosts may share
  std::string processor;  ///< model
  std::string device;     ///< "cuda 1", "cpu"
  std::string device_model;

  std::string blas_kernel;     ///< empty where the library does not tell
  std::string kernel_warning;  ///< the kernel is below the machine: why; else empty
  mpi::ThreadLevel thread_level = mpi::ThreadLevel::Single;  ///< MPI's promise to threads
  bool threads_granted = true;  ///< that is enough for the fine pipeline

  std::vector<int> cores;        ///< of this rank, by the host's numbers
  int numa_node = 0;             ///< of the first of them
  bool bound = false;            ///< the compute threads are bound to them
  bool oversubscribed = false;   ///< there are more ranks than cores, here or elsewhere
  int device_numa_node = -1;     ///< -1: unknown
  bool far_from_device = false;  ///< none of the cores is near the device

  std::int64_t free_bytes = 0;    ///< for this rank, in the memory of its matrix
  std::string memory_source;      ///< the limit that sets it
  std::int64_t needed_bytes = 0;  ///< by the largest run; 0: no run is planned

  hpcx::DeviceHealth health;
  hpcx::EventCounts events;                        ///< of the device, during the check
  std::optional<hpcx::EventCounts> host_events{};  ///< on the first rank of a host
  std::vector<std::string> throttle_reasons;       ///< seen while the device was multiplying

  std::vector<ProbeNote> skipped;  ///< there is nothing to measure
  std::vector<ProbeNote> failed;   ///< it could not be measured
  /// On the first rank of a host: measured again, and disturbed by other processes each time.
  std::vector<ProbeNote> disturbed;
  std::vector<Measurement> measurements;
  std::vector<CoreProducts> core_products;  ///< in the order of cores
  std::vector<double> core_gflops;          ///< their rates
  std::vector<int> crowded_cores;           ///< by the host's numbers, see settle_host_dgemm()
  std::vector<DeepFigure> deep;

  bool operator==(const RankRecord&) const = default;
};

void describe(Record& record, Measurement& measured);
void describe(Record& record, ProbeNote& note);
void describe(Record& record, RankRecord& rank);

}  // namespace hpl
