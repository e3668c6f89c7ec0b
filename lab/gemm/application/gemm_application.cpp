#include "gemm_application.h"

#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "gemm/application/options.h"
#include "gemm/result/result.h"
#include "hpl/base/error/error.h"
#include "hpl/base/file/atomic_file.h"
#include "hpl/base/file/named_files.h"
#include "hpl/base/file/standard_output.h"
#include "hpl/machine/host/memory.h"
#include "hpl/report/trace/trace_file.h"
#include "machine.h"
#include "session.h"

namespace hpl::gemm {

namespace {

/// Rows of one device, or of the host: a stage each, of products a lane each.
TracedProcess process_of(int number, const std::string& name, const std::string& label,
                         const std::vector<StageSpan>& spans) {
  std::map<std::pair<Stage, int>, TracedRow> rows;
  for (const StageSpan& span : spans) {
    TracedRow& row = rows[{span.stage, span.lane}];
    if (row.name.empty())
      row.name = span.lane == 0 ? std::string(to_string(span.stage))
                                : fmt::format("{} {}", to_string(span.stage), span.lane + 1);
    row.slices.push_back({to_string(span.stage), span.begin, span.end, span.step, span.lane});
  }
  TracedProcess process{number, name, label, {}};
  for (auto& [key, row] : rows)
    process.rows.push_back(std::move(row));
  return process;
}

TracedStages traced(const std::string& name, const GemmRun& run, const JobResult& job) {
  TracedStages stages{name, run.seconds, {}};
  int number = 0;
  for (const DeviceRun& device : run.devices) {
    const auto i = static_cast<std::size_t>(number);
    stages.processes.push_back(process_of(number, fmt::format("device {}", number),
                                          i < job.devices.size() ? job.devices[i] : "",
                                          device.spans));
    ++number;
  }
  if (!run.host.spans.empty())
    stages.processes.push_back(process_of(number, "host", job.host_processor, run.host.spans));
  return stages;
}

ExitCode measure(const GemmOptions& options) {
  const std::vector<NamedFile> files{standard_output_file(),
                                     standard_error_file(),
                                     {"--json", options.json},
                                     {"--trace", options.trace}};
  require_distinct_files(files);
  std::optional<AtomicFile> json;
  std::optional<TraceFile> trace;
  if (!options.json.empty()) json.emplace(options.json, "the JSON report");
  if (!options.trace.empty()) trace.emplace(options.trace);

  JobResult job;
  const auto write_json = [&](bool at_the_end) {
    if (json && (at_the_end || !json->in_place())) json->write(json_text(to_json_value(job)));
  };
  const RunListener listener = [&](const std::string& name, const GemmRun& run) {
    if (trace) trace->add(traced(name, run, job));
  };
  const Machine machine(options, job);
  write_standard_output(head_text(job));
  try {
    for (const Shape& shape : machine.shapes()) {
      job.cases.push_back(run_case(machine, options, shape, listener));
      write_standard_output(case_text(job.cases.back()));
      write_json(false);  // what is measured is not lost
    }
  } catch (const std::exception& failure) {
    const bool input = dynamic_cast<const ConfigError*>(&failure) != nullptr;
    job.error = failure.what();
    job.exit_code = static_cast<int>(input ? ExitCode::BadInput : ExitCode::Broken);
    if (!job.cases.empty()) write_json(true);
    throw;
  }
  const ExitCode code = job.passed() ? ExitCode::Passed : ExitCode::Failed;
  job.exit_code = static_cast<int>(code);
  write_json(true);
  if (trace) trace->finish();
  return code;
}

}  // namespace

int run_gemm_application(int argc, const char* const* argv) {
  make_file_size_limit_an_error();
  share_heap_under_limit();
  return run_program("xhpl-gemm", [&] {
    const GemmOptions options = parse_gemm_command_line(argc, argv);
    if (options.text.empty()) return measure(options);
    write_standard_output(options.text);
    return ExitCode::Passed;
  });
}

}  // namespace hpl::gemm
