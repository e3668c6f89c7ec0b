#include "hpl/submit/top500_form.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "half_rate_order.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/report/page/format.h"
#include "hpl/report/result/device_telemetry.h"
#include "hpl/report/result/run_failures.h"
#include "hpl/run/page/run_groups.h"

namespace hpl::page {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kByHand = "to be filled in by hand";

/// A field of a value, or the words on where to get it.
template <class T>
FormField field(std::string key, std::string label, std::string unit, const std::optional<T>& value,
                const std::string& note = "", const std::string& otherwise = kByHand) {
  return {std::move(key), std::move(label), std::move(unit), value ? Json(*value) : Json(nullptr),
          value ? note : otherwise};
}

FormField text_field(std::string key, std::string label, const std::string& text,
                     const std::string& otherwise = kByHand) {
  return field(std::move(key), std::move(label), "",
               text.empty() ? std::nullopt : std::optional(text), "", otherwise);
}

FormField cores(const RunFile& file) {
  const std::optional<JobResources>& resources = file.job.header.resources;
  if (!resources) return field("cores", "Cores used", "", std::optional<std::int64_t>());
  return field("cores", "Cores used", "",
               std::optional(std::int64_t{resources->ranks} * resources->threads_per_rank),
               "ranks times compute threads: " + to_string(*resources));
}

FormField accelerators(const RunResult& run) {
  std::set<std::string> models;
  std::int64_t count = 0;
  for (const DeviceTelemetry& device : distinct_devices(run.devices)) {
    if (device.backend == "cpu") continue;
    ++count;
    models.insert(device.device);
  }
  return {"accelerators", "Accelerators", "", count, fmt::format("{}", fmt::join(models, ", "))};
}

std::optional<std::int64_t> nodes_of(const RunResult& run) {
  std::set<std::string_view> hosts;
  for (const DeviceTelemetry& device : run.devices)
    hosts.insert(device.host);
  return hosts.empty() ? std::nullopt : std::optional(std::ssize(hosts));
}

/// The threshold of netlib's HPL.dat.
constexpr double kLargestThreshold = 16;

/// Why the lists do not take a run; empty: they do.
std::string why_left_out(const RunFile& file, const RunResult& run) {
  std::vector<std::string> reasons;
  const double threshold = run.spec.threshold;
  if (run.spec.emulated_moduli > 0)
    reasons.push_back("the tail update is in " + arithmetic_text(run.spec));
  if (!(threshold > 0 && threshold <= kLargestThreshold))
    reasons.push_back(fmt::format("the threshold must be above 0 and at most {:g}, found {:g}",
                                  kLargestThreshold, threshold));
  const std::vector<std::string> failures = run_failures(run);
  reasons.insert(reasons.end(), failures.begin(), failures.end());
  if (const RunStatus status = run_status(run); failures.empty() && status != RunStatus::Passed)
    reasons.push_back(fmt::format("its status is {}", to_string(status)));
  else if (failures.empty() && !(run.residual->scaled < threshold))
    reasons.push_back("the residual is not below the threshold");
  if (!rate_of(run)) reasons.push_back("there is no rate");
  const auto& code = file.job.exit_code;
  if (!code)
    reasons.push_back("the job has not ended");
  else if (*code != ExitCode::Passed)
    reasons.push_back(fmt::format("the job ended with exit code {}", static_cast<int>(*code)));
  return fmt::format("{}", fmt::join(reasons, "; "));
}

void leave_out(std::vector<LeftOut>& all, const std::string& file, const RunResult& run,
               std::string reason) {
  auto same = std::ranges::find_if(
      all, [&](const LeftOut& one) { return one.file == file && one.reason == reason; });
  if (same == all.end())
    same = all.insert(all.end(), LeftOut{.file = file,
                                         .reason = std::move(reason),
                                         .fastest_run = std::nullopt,
                                         .gflops = std::nullopt});
  ++same->runs;
  if (rate_of(run).value_or(0) <= same->gflops.value_or(0)) return;
  same->gflops = run.gflops;
  same->fastest_run = run.run_index;
}

std::string left_out_text(const LeftOut& one) {
  std::string text = fmt::format("{}: {}", one.file, count_text(one.runs, "run"));
  if (one.fastest_run)
    text += fmt::format(", the fastest run {} with {}", *one.fastest_run + 1,
                        hpl::rate_text(*one.gflops, 4));
  return text + (one.reason.empty() ? "" : ": " + one.reason);
}

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
           text_field("memory", "Memory of rank 0's node", environment(file, "memory")),
           {"program", "HPL", "", program_of(file), ""},
           text_field("compiler", "Compiler", environment(file, "compiler")),
           text_field("math_library", "Math library", environment(file, "BLAS")),
           text_field("mpi", "MPI", environment(file, "MPI")),
           text_field("device", "Device", environment(file, "device")),
           text_field("operating_system", "Operating system", "")}};
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

std::string value_text(const FormField& field) {
  if (field.value.is_null()) return "unknown";
  if (field.key == "power_level" && field.value == 0) return "none";
  std::string text = field.value.is_string() ? field.value.get<std::string>()
                     : field.value.is_number_float()
                         ? fmt::format("{:.6g}", field.value.get<double>())
                         : field.value.dump();
  return field.unit.empty() ? text : text + " " + field.unit;
}

}  // namespace

Top500Form top500_form(std::span<const RunFile> files) {
  Top500Form form;
  std::vector<const RunResult*> taken;
  const RunFile* file = nullptr;
  const RunResult* best = nullptr;
  for (const RunFile& one : files) {
    if (one.job.runs.empty()) form.left_out.push_back({.file = one.name});
    for (const RunResult& run : one.job.runs) {
      if (std::string reason = why_left_out(one, run); !reason.empty()) {
        leave_out(form.left_out, one.name, run, std::move(reason));
        continue;
      }
      taken.push_back(&run);
      if (best != nullptr && best->gflops >= run.gflops) continue;
      best = &run;
      file = &one;
    }
  }
  if (best == nullptr) {
    std::string found;
    for (const LeftOut& one : form.left_out)
      found += (found.empty() ? "" : "; ") + left_out_text(one);
    throw ConfigError("--top500 needs a run that the lists take, found " + found);
  }
  form.parts = {top500_part(*file, *best, taken), green500_part(*best)};
  return form;
}

std::string form_text(const Top500Form& form) {
  std::string text;
  for (const FormPart& part : form.parts) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", part.list);
    for (const FormField& field : part.fields)
      text += fmt::format("  {:<26} {}{}\n", field.label, value_text(field),
                          field.note.empty() ? "" : fmt::format("  ({})", field.note));
  }
  if (!form.left_out.empty()) text += "\nLeft out\n";
  for (const LeftOut& one : form.left_out)
    text += fmt::format("  {}\n", left_out_text(one));
  return text;
}

namespace {

/// A number, a text, or null where it is unknown.
struct ScalarForm {
  Json written(const Json& value) const { return value; }
  Json schema() const { return {{"type", {"number", "string", "null"}}}; }
};

}  // namespace

void describe(Record& record, FormField& field) {
  record("key", field.key,
         "rmax_gflops, nmax, n_half, rpeak_gflops, power_watts, power_level, ...");
  record("label", field.label);
  record("unit", field.unit);
  record.computed(
      "value", [&] { return field.value; }, ScalarForm{}, "null: unknown");
  record("note", field.note,
         "where the value is from (measured or predicted), or what would bring it");
}

void describe(Record& record, FormPart& part) {
  record("list", part.list, one_of("TOP500", "Green500"));
  record("fields", part.fields);
}

void describe(Record& record, LeftOut& left_out) {
  record("file", left_out.file);
  record("runs", left_out.runs, "of this file, left out for this reason", kCount);
  record("fastest_run", left_out.fastest_run,
         "run_index of the fastest of them; null: none has a rate");
  record("gflops", left_out.gflops, "rate of the fastest");
  record("reason", left_out.reason,
         "clauses, separated by semicolons; empty for a file without a run");
}

void describe(Record& record, Top500Form& form) {
  record.document({.title = "Form of xhpl-report --top500",
                   .description =
                       "What the forms of the TOP500 and Green500 lists ask for, as far as the "
                       "reports tell it. Readers should ignore members they do not know: new "
                       "members do not raise schema_version.",
                   .kind = "top500"});
  record("forms", form.parts);
  record("left_out", form.left_out, "runs that the lists do not take, and files without a run");
}

}  // namespace hpl::page
