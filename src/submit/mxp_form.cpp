
#include <fmt/format.h>

#include "form_fields.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/submit/list_form.h"

namespace hpl::page {

namespace {

/// Rmax of HPL, which the form asks for beside the score.
FormField hpl_rate(const TakenRuns& hpl) {
  const auto rate = hpl.best != nullptr ? std::optional(hpl.best->gflops) : std::nullopt;
  const std::string note =
      rate ? fmt::format("{}, run {}, N = {}, native FP64, residual passed", hpl.file->name,
                         hpl.best->run_index + 1, hpl.best->spec.order)
           : "";
  return field(std::string(kHplRate), "HPL FP64", "GFLOP/s", rate, note,
               "give a report of xhpl run of the same machine as well");
}

/// A number that nodes have alike; empty where they do not.
std::optional<std::int64_t> per_node(const FormField& all, const RunResult& run) {
  const std::int64_t count = all.value.get<std::int64_t>();
  const std::int64_t nodes = nodes_of(run).value_or(0);
  return nodes > 0 && count % nodes == 0 ? std::optional(count / nodes) : std::nullopt;
}

FormPart mxp_part(const RunFile& file, const RunResult& run, const TakenRuns& hpl) {
  const RunSpec& spec = run.spec;
  const FormField gpus = accelerators(run);
  return {"HPL-MxP",
          {text_field("site", "Site", ""),
           text_field("segment", "Segment", ""),
           text_field("place", "Place", ""),
           text_field("system", "System", ""),
           text_field("integrator", "Integrator", ""),
           text_field("model", "Model", ""),
           text_field("processor", "Processor", environment(file, "processor")),
           clock(file),
           cores_per_socket(file),
           sockets_per_node(file),
           memory(file),
           cores(file),
           gpus,
           field("accelerators_per_node", "Accelerators per node", "", per_node(gpus, run)),
           text_field("interconnect", "Interconnect", ""),
           field("nodes", "Nodes", "", nodes_of(run), "", ""),
           {"mxp_gflops", "HPL-MxP", "GFLOP/s", run.gflops,
            fmt::format("{}, run {}, residual passed", file.name, run.run_index + 1)},
           hpl_rate(hpl),
           {"nmax", "N", "", spec.order, ""},
           {"seconds", "Time", "s", run.seconds, "factorization and refinement"},
           {"iterations", "Iterations of the refinement", "",
            run.refinement ? run.refinement->iterations : 0, ""},
           {"scaled_residual", "Scaled residual", "", run.residual->scaled,
            fmt::format("below {:g}", spec.threshold)},
           {"arithmetic", "Arithmetic", "", mode_label(spec), ""},
           text_field("started", "Start, UTC", utc_time(run.started)),
           {"program", "Implementation", "", program_of(file), ""},
           {"output_file", "Output file", "", file.name, ""},
           operating_system(file),
           text_field("compiler", "Compiler", environment(file, "compiler")),
           text_field("math_library", "Math library", environment(file, "BLAS")),
           text_field("device", "Device", environment(file, "device")),
           text_field("mpi", "MPI", environment(file, "MPI"))}};
}

}  // namespace

ListForm mxp_form(std::span<const RunFile> files) {
  TakenRuns taken = taken_runs(files, Benchmark::Mixed);
  require_run(taken, "--mxp");
  const TakenRuns hpl = taken_runs(files, Benchmark::Hpl);
  // A report of HPL is there for its rate: its runs are left out of neither.
  std::erase_if(taken.left_out, [&](const LeftOut& one) {
    return hpl.file != nullptr && one.file == hpl.file->name;
  });
  return {
      {mxp_part(*taken.file, *taken.best, hpl)}, std::move(taken.left_out), missed_gates(taken)};
}

}  // namespace hpl::page
