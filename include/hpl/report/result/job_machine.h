#pragma once

#include <string>

#include "hpcx/telemetry.h"
#include "hpl/base/record/program_info.h"
#include "hpl/base/record/record.h"

namespace hpl {

void describe(Record& record, hpcx::RemappedRows& rows);
void describe(Record& record, hpcx::DeviceHealth& health);

class Record;

/// The part of the machine that a job has.
struct JobResources {
  int ranks = 1, nodes = 1;
  int threads_per_rank = 1;  ///< compute threads on the host
  int cores_per_rank = 1;
};
void describe(Record& record, JobResources& resources);
/// "4 on 1 node, 16 compute threads each"
std::string to_string(const JobResources& resources);

/// Ranks of a job have numbers below this, those of a merged one as well.
inline constexpr int kMostRanks = 100'000'000;

/// A device of a job: its identity, and its condition before the first run.
struct JobDevice {
  int rank = 0;  ///< of the job
  std::string host;
  std::string backend;  ///< "cpu", "cuda", "hip"
  int index = 0;        ///< among the host's devices of that back end
  std::string model;
  hpcx::DeviceIdentity identity;
  hpcx::DeviceHealth health;
};
void describe(Record& record, JobDevice& device);

/// A host of a job.
struct JobHost {
  std::string name;
  int ranks = 0;
  int devices = 0;        ///< devices of the job's back end that the host shows
  std::string why_out{};  ///< why ranks of it took no part, or not to the end; empty: all did
  /// Software and firmware, by the same names on every host: processor, kernel, system, board,
  /// bios, blas, mpi, driver, libraries that compute or communicate, ...
  NamedValues facts{};
};
void describe(Record& record, JobHost& host);

}  // namespace hpl
