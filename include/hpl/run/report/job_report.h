#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/base/record/program_info.h"
#include "hpl/base/result/remark.h"
#include "hpl/check/findings/check_report.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/report/result/gates.h"
#include "hpl/report/result/job_machine.h"
#include "hpl/report/result/run_result.h"

namespace hpl {

/// The values the runs are made of: the lists of HPL.dat after the command line has had its say.
struct ParameterBlock {
  std::vector<std::int64_t> orders, block_sizes;
  RankOrder rank_order = RankOrder::RowMajor;
  std::vector<int> grid_rows, grid_columns;  ///< same length, one grid each
  std::vector<PanelVariant> panel_variants;
  std::vector<int> recursion_stops, recursion_divisors;
  std::vector<PanelVariant> recursive_variants;
  std::vector<BroadcastVariant> broadcasts;
  std::vector<int> depths;
  SwapVariant swap = SwapVariant::SpreadRoll;
  std::int64_t swap_threshold = 64;
  bool transposed_l1 = true, transposed_u = true, equilibrate = true;
  std::int64_t alignment = 8;
  std::optional<MixedSpec> mixed{};  ///< of HPL-MxP
  double threshold = 16.0;
};

/// The distinct values of a plan in the order of their first use; what a list cannot hold (SWAP and
/// below) is the first run's. An empty plan gives empty lists.
ParameterBlock parameter_block(std::span<const RunSpec> plan);

/// Facts that are known before the first run.
struct JobHeader {
  ProgramInfo program;
  NamedValues environment;
  std::vector<Remark> remarks;  ///< what is used in place of what was asked for, for the whole job
  std::vector<Decision> choices{};          ///< of the first run
  std::optional<JobResources> resources{};  ///< empty: written before documents had them
  ParameterBlock parameters;
  bool reproducible =
      false;  ///< nothing that the bits of a solution depend on follows a measurement
};

/// A whole job as data. Complete on world rank 0 only. The document of --json, which
/// docs/schema/run.schema.json describes.
struct JobReport {
  JobHeader header;
  std::optional<CheckReport> preflight{};  ///< empty when none was made
  std::vector<JobHost> hosts{};            ///< empty where nothing was gathered
  std::vector<JobDevice> devices{};        ///< by rank; empty where nothing was gathered
  std::vector<RunSpec> plan;
  std::vector<RunResult> runs;
  Tally tally;
  std::vector<GateResult> gates{};      ///< empty until all runs are made
  std::optional<ExitCode> exit_code{};  ///< empty while the job goes on
  std::optional<std::string> error{};   ///< why the job ended early
};
void describe(Record& record, JobReport& job);

/// The member "exit_code" of a job's document.
void describe_exit_code(Record& record, std::optional<ExitCode>& code);

/// A line of the journal beside a document (named_files.h).
struct JournalLine {
  std::size_t index = 0;  ///< of the run in the document
  RunResult run;
};
void describe(Record& record, JournalLine& line);

}  // namespace hpl
