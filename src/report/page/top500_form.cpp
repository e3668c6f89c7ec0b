#include "hpl/report/page/top500_form.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "findings.h"
#include "format.h"
#include "half_rate_order.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/zoned_time.h"
#include "power_part.h"
#include "selection.h"

namespace hpl::page {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kByHand = "to be filled in by hand";

/// A value of the environment that rank 0 reported.
std::string environment(const RunFile& file, std::string_view name) {
  for (const auto& [key, value] : file.environment)
    if (key == name) return value;
  return {};
}

FormField known_text(std::string key, std::string label, const std::string& value,
                     std::string otherwise = kByHand) {
  return {std::move(key), std::move(label), "", value.empty() ? Json(nullptr) : Json(value),
          value.empty() ? std::move(otherwise) : std::string()};
}

FormField unknown(std::string key, std::string label, std::string unit, std::string note) {
  return {std::move(key), std::move(label), std::move(unit), nullptr, std::move(note)};
}

/// All whole numbers in "4 on 1 node(s), 16 compute thread(s) each".
std::vector<std::int64_t> numbers_in(const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (const char* at = text.data(); at < text.data() + text.size();) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), value);
    if (error == std::errc() && *at != '-') numbers.push_back(value);
    at = end > at ? end : at + 1;
  }
  return numbers;
}

FormField cores(const RunFile& file) {
  const std::string ranks = environment(file, "ranks");
  const auto numbers = numbers_in(ranks);
  if (numbers.size() != 3) return unknown("cores", "Cores used", "", kByHand);
  return {"cores", "Cores used", "", numbers[0] * numbers[2],
          fmt::format("ranks times compute threads: {}", ranks)};
}

void add_accelerators(std::vector<FormField>& fields, const Run& run) {
  std::set<std::string> models;
  std::int64_t count = 0;
  for (const Device* device : distinct_devices(run)) {
    if (device->backend == "cpu") continue;
    ++count;
    models.insert(device->name);
  }
  std::string names;
  for (const std::string& name : models)
    names += (names.empty() ? "" : ", ") + name;
  fields.push_back({"accelerators", "Accelerators", "", count, names});
}

std::int64_t nodes_of(const Run& run) {
  std::set<std::string_view> hosts;
  for (const Device& device : run.devices)
    hosts.insert(device.host);
  return static_cast<std::int64_t>(hosts.size());
}

/// The threshold of netlib's HPL.dat.
constexpr double kLargestThreshold = 16;

/// Why the lists do not take a run; empty: they do.
std::string why_left_out(const RunFile& file, const Run& run) {
  std::string reason;
  const auto add = [&reason](const std::string& clause) {
    reason += (reason.empty() ? "" : "; ") + clause;
  };
  if (run.arithmetic != "FP64") add("the tail update is in " + run.arithmetic);
  const double threshold = run.threshold.value_or(0);
  if (!(threshold > 0 && threshold <= kLargestThreshold))
    add(fmt::format("the threshold must be above 0 and at most {:g}, found {}", kLargestThreshold,
                    run.threshold ? fmt::format("{:g}", threshold) : "none"));
  for (const std::string& failure : run.failures)
    add(failure);
  if (run.failures.empty() && run.status != "passed")
    add("its status is " + run.status);
  else if (run.failures.empty() && !(run.scaled_residual.value_or(NAN) < threshold))
    add("the residual is not below the threshold");
  if (run.gflops.value_or(0) <= 0) add("there is no rate");
  if (!file.exit_code)
    add("the job has not ended");
  else if (*file.exit_code != static_cast<int>(ExitCode::Passed))
    add(fmt::format("the job ended with exit code {}", *file.exit_code));
  return reason;
}

void leave_out(std::vector<LeftOut>& all, const std::string& file, const Run& run,
               std::string reason) {
  auto same = std::ranges::find_if(
      all, [&](const LeftOut& one) { return one.file == file && one.reason == reason; });
  if (same == all.end())
    same = all.insert(all.end(), LeftOut{.file = file,
                                         .reason = std::move(reason),
                                         .fastest_run = std::nullopt,
                                         .gflops = std::nullopt});
  ++same->runs;
  if (run.gflops.value_or(0) <= same->gflops.value_or(0)) return;
  same->gflops = run.gflops;
  same->fastest_run = run.run_index;
}

std::string left_out_text(const LeftOut& one) {
  std::string text = fmt::format("{}: {}", one.file, count_text(one.runs, "run"));
  if (one.fastest_run)
    text +=
        fmt::format(", the fastest run {} with {:.6g} GFLOP/s", *one.fastest_run + 1, *one.gflops);
  return text + (one.reason.empty() ? "" : ": " + one.reason);
}

FormPart top500_part(const RunFile& file, const Run& run, std::span<const Run* const> runs) {
  FormPart part{"TOP500", {}};
  std::vector<FormField>& fields = part.fields;
  for (const auto& [key, label] :
       {std::pair("site", "Site"), std::pair("system", "System"),
        std::pair("manufacturer", "Manufacturer"), std::pair("interconnect", "Interconnect")})
    fields.push_back(unknown(key, label, "", kByHand));
  fields.push_back({"rmax_gflops", "Rmax", "GFLOP/s", *run.gflops,
                    fmt::format("{}, run {}, residual passed", file.name, run.run_index + 1)});
  fields.push_back({"nmax", "Nmax", "", run.order, ""});
  if (const auto half = half_rate_order(run, runs))
    fields.push_back({"n_half", "N1/2", "", half->order, half->how});
  else
    fields.push_back(unknown("n_half", "N1/2", "", "a run of a smaller N (xhpl -N)"));
  if (run.peak_gflops)
    fields.push_back({"rpeak_gflops", "Rpeak", "GFLOP/s", *run.peak_gflops, run.peak_source});
  else
    fields.push_back(unknown("rpeak_gflops", "Rpeak", "GFLOP/s", "xhpl --rpeak"));
  fields.push_back({"block_size", "NB", "", run.block_size, ""});
  fields.push_back({"grid_rows", "P", "", run.grid_rows, ""});
  fields.push_back({"grid_columns", "Q", "", run.grid_columns, ""});
  fields.push_back({"seconds", "Time", "s", run.seconds ? Json(*run.seconds) : Json(nullptr), ""});
  fields.push_back({"scaled_residual", "Scaled residual", "", *run.scaled_residual,
                    fmt::format("below {:g}", *run.threshold)});
  fields.push_back(known_text("started", "Start, UTC", run.started));
  const std::int64_t nodes = nodes_of(run);
  fields.push_back({"nodes", "Nodes", "", nodes > 0 ? Json(nodes) : Json(nullptr), ""});
  fields.push_back(cores(file));
  add_accelerators(fields, run);
  fields.push_back(known_text("processor", "Processor", environment(file, "processor")));
  fields.push_back(known_text("memory", "Memory of rank 0's node", environment(file, "memory")));
  fields.push_back({"program", "HPL", "", file.program, ""});
  fields.push_back(known_text("compiler", "Compiler", environment(file, "compiler")));
  fields.push_back(known_text("math_library", "Math library", environment(file, "BLAS")));
  fields.push_back(known_text("mpi", "MPI", environment(file, "MPI")));
  fields.push_back(known_text("device", "Device", environment(file, "device")));
  fields.push_back(unknown("operating_system", "Operating system", "", kByHand));
  return part;
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

FormPart green500_part(const Run& run) {
  FormPart part{"Green500", {}};
  std::vector<FormField>& fields = part.fields;
  const PowerAverages* const averages = run.power ? best_averages(*run.power) : nullptr;
  if (averages == nullptr) {
    const char* const note = "xhpl --power-command, or xhpl-report --power-log";
    fields.push_back(unknown("power_watts", "Average power", "W", note));
    fields.push_back(unknown("gflops_per_watt", "Efficiency", "GFLOP/s per W", note));
    fields.push_back(unknown("power_level", "Level", "", note));
  } else {
    const RunPower& power = *run.power;
    FormField watts = power_field(power, *averages);
    const double total = watts.value.get<double>();
    fields.push_back(std::move(watts));
    fields.push_back({"gflops_per_watt", "Efficiency", "GFLOP/s per W",
                      total > 0 ? Json(*run.gflops / total) : Json(nullptr), ""});
    const auto evidence = power_evidence(power);
    const auto aspects = power_aspects(*evidence);
    std::string missing;
    for (const PowerAspect& aspect : aspects)
      if (!aspect.missing.empty())
        missing += fmt::format("{}{}: level {}, missing {}", missing.empty() ? "" : "; ",
                               aspect.name, aspect.level, aspect.missing);
    fields.push_back({"power_level", "Level", "", power_level(aspects), missing});
    fields.push_back({"energy_joules", "Energy of the core phase", "J", averages->joules,
                      fmt::format("seen over {:.1f} % of it", 100 * averages->covered)});
    fields.push_back({"samples", "Samples in the core phase", "", averages->samples,
                      fmt::format("at most {:.1f} s apart", averages->longest_gap)});
    if (power.meter)
      fields.push_back(known_text("power_scope", "What the meter sees",
                                  to_string(power.meter->scope),
                                  "--power-scope of xhpl or xhpl-report"));
  }
  if (run.power) {
    fields.push_back({"core_begin", "Core phase from", "",
                      iso_time({run.power->begin, run.power->utc_offset}), ""});
    fields.push_back({"core_end", "to", "", iso_time({run.power->end, run.power->utc_offset}), ""});
  }
  fields.push_back(unknown("idle_watts", "Idle power", "W",
                           "to be filled in by hand; levels 2 and 3 ask for it"));
  return part;
}

std::string value_text(const FormField& field) {
  if (field.value.is_null()) return "unknown";
  std::string text = field.value.is_string() ? field.value.get<std::string>()
                     : field.value.is_number_float()
                         ? fmt::format("{:.6g}", field.value.get<double>())
                         : field.value.dump();
  return field.unit.empty() ? text : text + " " + field.unit;
}

}  // namespace

Top500Form top500_form(std::span<const RunFile> files) {
  Top500Form form;
  std::vector<const Run*> taken;
  const RunFile* file = nullptr;
  const Run* best = nullptr;
  for (const RunFile& one : files) {
    if (one.runs.empty()) form.left_out.push_back({.file = one.name});
    for (const Run& run : one.runs) {
      if (std::string reason = why_left_out(one, run); !reason.empty()) {
        leave_out(form.left_out, one.name, run, std::move(reason));
        continue;
      }
      taken.push_back(&run);
      if (best != nullptr && *best->gflops >= *run.gflops) continue;
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
