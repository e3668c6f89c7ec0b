#include <map>

#include "hpl/base/file/named_files.h"
#include "hpl/base/record/record.h"
#include "hpl/input/run_spec/field_rules.h"
#include "hpl/report/result/phase_statistics.h"
#include "hpl/run/report/job_report.h"

namespace hpl {
namespace {

struct Grid {
  int rows = 1, columns = 1;
};

void describe(Record& record, Grid& grid) {
  record("rows", grid.rows, {}, kNotZero);
  record("columns", grid.columns, {}, kNotZero);
}

std::vector<Grid> grids_of(const ParameterBlock& block) {
  std::vector<Grid> grids;
  for (std::size_t i = 0; i < block.grid_rows.size() && i < block.grid_columns.size(); ++i)
    grids.push_back({block.grid_rows[i], block.grid_columns[i]});
  return grids;
}

void take_grids(ParameterBlock& block, const std::vector<Grid>& grids) {
  for (const auto& [rows, columns] : grids) {
    block.grid_rows.push_back(rows);
    block.grid_columns.push_back(columns);
  }
}

/// A run that was made more than once.
struct Repetitions {
  int run_index = 0;
  RepeatSummary rates;
};

void describe(Record& record, Repetitions& of_run) {
  record("run_index", of_run.run_index, {}, kCount);
  record("count", of_run.rates.count, {}, {.minimum = 2});
  record("minimum_gflops", of_run.rates.minimum);
  record("median_gflops", of_run.rates.median);
  record("maximum_gflops", of_run.rates.maximum);
}

std::vector<Repetitions> repetitions(const std::vector<RunResult>& runs) {
  std::map<int, std::vector<double>> by_run;
  for (const RunResult& run : runs)
    if (!run.stopped) by_run[run.run_index].push_back(run.gflops);
  std::vector<Repetitions> all;
  for (const auto& [index, rates] : by_run)
    if (rates.size() > 1) all.push_back({index, summarize_rates(rates)});
  return all;
}

}  // namespace

void describe(Record& record, ParameterBlock& block) {
  record.type(
      "configuration",
      "The values the plan is the product of: HPL.dat after the command line has had its say.");
  record("orders", block.orders);
  record("block_sizes", block.block_sizes);
  record("rank_order", block.rank_order, kRankOrders, "PMAP");
  record.converted(
      "grids", [&] { return grids_of(block); },
      [&](const std::vector<Grid>& grids) { take_grids(block, grids); });
  record("panel_variants", block.panel_variants, kPanelVariants);
  record("recursion_stops", block.recursion_stops);
  record("recursion_divisors", block.recursion_divisors);
  record("recursive_variants", block.recursive_variants, kPanelVariants);
  record("broadcasts", block.broadcasts, kBroadcastVariants);
  record("depths", block.depths);
  record("swap", block.swap, kSwapVariants, "SWAP: how pivot rows travel along the process column");
  record("swap_threshold", block.swap_threshold, "columns; the mix uses binary exchange up to it");
  record("transposed_l1", block.transposed_l1);
  record("transposed_u", block.transposed_u);
  record("equilibrate", block.equilibrate);
  record("alignment", block.alignment, "of leading dimensions, in doubles");
  record("mixed", block.mixed, "HPL-MxP; null: HPL", kAddedLater);
  record("threshold", block.threshold, "of the scaled residual; no check when it is 0 or less");
}

void describe(Record& record, JobReport& job) {
  record.document(
      {.title = "Result of a job of xhpl",
       .description = "Written by --json. A number that is not finite is null. Readers should "
                      "ignore members they do not know: new members do not raise schema_version."});
  JobHeader& header = job.header;
  record("program", header.program);
  record("configuration", header.parameters);
  record("environment", header.environment,
         "host, ranks, threads, libraries, device: names and values as in the text report");
  describe_remarks(record, header.remarks);
  record("choices", header.choices, "what was chosen for the first run, and why", kAddedLater);
  record("resources", header.resources, {}, kAddedLater);
  record("reproducible", header.reproducible,
         "--reproducible: nothing that the bits of a solution depend on followed a measurement");
  record("preflight", job.preflight,
         "the check of the machine before the runs; null when none was made");
  record("hosts", job.hosts, "The hosts of the job.", kAddedLater);
  record("devices", job.devices, "By rank: identity, and condition before the first run.",
         kAddedLater);
  record("plan", job.plan, "the runs to be made, in order, repetitions not repeated");
  record("runs", job.runs, "the runs made so far");
  record("tally", job.tally);
  record.computed(
      "repetitions", [&] { return repetitions(job.runs); },
      "One entry for every run that was made more than once.");
  record("gates", job.gates,
         "What the gates that were asked for made of the job; empty while it goes on.");
  describe_exit_code(record, job.exit_code);
  record("error", job.error, "why the job ended early");
}

void describe_exit_code(Record& record, std::optional<ExitCode>& code) {
  record.converted(
      "exit_code", [&] { return code ? std::optional(static_cast<int>(*code)) : std::nullopt; },
      [&](std::optional<int> number) {
        if (number) code = static_cast<ExitCode>(*number);
      },
      "of the process; null while the job goes on", {.minimum = 0, .maximum = 4});
}

void describe(Record& record, JournalLine& line) {
  int version = kJournalVersion;
  record("journal_version", version, {}, {.minimum = kJournalVersion, .maximum = kJournalVersion});
  record("index", line.index, {}, kCount);
  record("run", line.run);
}

}  // namespace hpl
