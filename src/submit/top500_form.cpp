#include <optional>

#include <fmt/format.h>

#include "form_fields.h"
#include "half_rate_order.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/submit/list_form.h"

namespace hpl::page {

namespace {

FormPart top500_part(const RunFile& file, const RunResult& run,
                     std::span<const RunResult* const> runs) {
  const auto half = half_rate_order(run, runs);
  const auto peak = run.peak ? std::optional(run.peak->gflops) : std::nullopt;
  const RunSpec& spec = run.spec;
  return {"TOP500",
          {text_field("site", "Site", ""),
           text_field("system", "System", ""),
           text_field("manufacturer", "Manufacturer", ""),
           text_field("interconnect", "Interconnect", ""),
           {"rmax_gflops", "Rmax", "GFLOP/s", run.gflops,
            fmt::format("{}, run {}, residual passed", file.name, run.run_index + 1)},
           {"nmax", "Nmax", "", spec.order, ""},
           field("n_half", "N1/2", "", half ? std::optional(half->order) : std::nullopt,
                 half ? half->how : "", "a run of a smaller N (xhpl -N)"),
           field("rpeak_gflops", "Rpeak", "GFLOP/s", peak, peak ? run.peak->source : "",
                 "xhpl --rpeak"),
           {"block_size", "NB", "", spec.block_size, ""},
           {"grid_rows", "P", "", spec.grid_rows, ""},
           {"grid_columns", "Q", "", spec.grid_columns, ""},
           {"seconds", "Time", "s", run.seconds, ""},
           {"scaled_residual", "Scaled residual", "", run.residual->scaled,
            fmt::format("below {:g}", spec.threshold)},
           text_field("started", "Start, UTC", utc_time(run.started)),
           field("nodes", "Nodes", "", nodes_of(run), "", ""),
           cores(file),
           accelerators(run),
           text_field("processor", "Processor", environment(file, "processor")),
           clock(file),
           cores_per_socket(file),
           sockets_per_node(file),
           memory(file),
           {"program", "HPL", "", program_of(file), ""},
           text_field("compiler", "Compiler", environment(file, "compiler")),
           text_field("math_library", "Math library", environment(file, "BLAS")),
           text_field("mpi", "MPI", environment(file, "MPI")),
           text_field("device", "Device", environment(file, "device")),
           operating_system(file)}};
}

FormField power_field(const RunPower& power, const PowerAverages& averages) {
  if (!power.meter || !power.meter->averages)
    return {"power_watts", "Average power", "W", averages.watts,
            fmt::format("component power, {}: no figure for the lists; a meter is read by xhpl "
                        "--power-command or xhpl-report --power-log",
                        power.components->sensors)};
  const double share = power.meter->scope.fraction.value_or(1);
  return {"power_watts", "Average power", "W", averages.watts / share,
          share < 1 ? fmt::format("{:.1f} W at the meter ({}), which sees {:.4g} of the machine",
                                  averages.watts, power.meter->source, share)
                    : "meter: " + power.meter->source};
}

/// Average power and what goes with it, where there is any.
std::vector<FormField> measured_power(const RunResult& run, const PowerAverages& averages) {
  const RunPower& power = *run.power;
  const FormField watts = power_field(power, averages);
  const double total = watts.value.get<double>();
  const auto aspects = power_aspects(*power_evidence(power));
  std::vector<std::string> missing;
  for (const PowerAspect& aspect : aspects)
    if (!aspect.missing.empty())
      missing.push_back(
          fmt::format("{}: level {}, missing {}", aspect.name, aspect.level, aspect.missing));
  std::vector<FormField> fields{
      watts,
      field("gflops_per_watt", "Efficiency", "GFLOP/s per W",
            total > 0 ? std::optional(run.gflops / total) : std::nullopt, "", ""),
      {"power_level", "Level", "", power_level(aspects),
       fmt::format("{}", fmt::join(missing, "; "))},
      {"energy_joules", "Energy of the core phase", "J", averages.joules,
       fmt::format("seen over {:.1f} % of it", 100 * averages.covered)},
      {"samples", "Samples in the core phase", "", averages.samples,
       fmt::format("at most {:.1f} s apart", averages.longest_gap)}};
  if (power.meter)
    fields.push_back(text_field("power_scope", "What the meter sees", to_string(power.meter->scope),
                                "--power-scope of xhpl or xhpl-report"));
  return fields;
}

FormPart green500_part(const RunResult& run) {
  FormPart part{"Green500", {}};
  const PowerAverages* const averages = run.power ? best_averages(*run.power) : nullptr;
  if (averages != nullptr) {
    part.fields = measured_power(run, *averages);
  } else {
    const std::string note = "xhpl --power-command, or xhpl-report --power-log";
    const std::optional<double> none;
    part.fields = {field("power_watts", "Average power", "W", none, "", note),
                   field("gflops_per_watt", "Efficiency", "GFLOP/s per W", none, "", note),
                   field("power_level", "Level", "", none, "", note)};
  }
  if (run.power) {
    const auto time = [&](double seconds) { return iso_time({seconds, run.power->utc_offset}); };
    part.fields.push_back({"core_begin", "Core phase from", "", time(run.power->begin), ""});
    part.fields.push_back({"core_end", "Core phase until", "", time(run.power->end), ""});
  }
  part.fields.push_back(field("idle_watts", "Idle power", "W", std::optional<double>(), "",
                              "to be filled in by hand; levels 2 and 3 ask for it"));
  return part;
}

}  // namespace

ListForm top500_form(std::span<const RunFile> files) {
  const TakenRuns taken = taken_runs(files, Benchmark::Hpl);
  require_run(taken, "--top500");
  return {{top500_part(*taken.file, *taken.best, taken.runs), green500_part(*taken.best)},
          taken.left_out,
          missed_gates(taken)};
}

}  // namespace hpl::page
