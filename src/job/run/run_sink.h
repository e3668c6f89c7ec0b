#pragma once

#include <vector>

#include "hpl/report/result/run_result.h"
#include "hpl/report/trace/trace_file.h"

namespace hpl {

/// Where runs hand what they measure. Results are complete on rank 0.
class RunSink {
 public:
  virtual ~RunSink() = default;

  virtual void run(const RunResult& result) = 0;
  /// What the checksums found, below the run.
  virtual void checksums(const RunResult& result) = 0;
  /// The run is complete.
  virtual void keep(const RunResult& result) = 0;
  virtual void repeats(const std::vector<RunResult>& results) = 0;
  virtual void trace(TracedRun run) = 0;
};

}  // namespace hpl
