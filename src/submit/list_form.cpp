#include "hpl/submit/list_form.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "form_fields.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/report/page/format.h"
#include "hpl/report/result/device_telemetry.h"
#include "hpl/report/result/run_failures.h"
#include "hpl/run/page/run_groups.h"

namespace hpl::page {

namespace {

using Json = nlohmann::ordered_json;

/// The threshold of netlib's HPL.dat.
constexpr double kLargestThreshold = 16;

/// The reason why a run is not one of the benchmark, or not by its rules; empty: it is.
std::string why_of_another(const RunSpec& spec, Benchmark benchmark) {
  if (benchmark == Benchmark::Hpl) return spec.mixed ? "it is a run of HPL-MxP" : "";
  if (!spec.mixed) return "it is a run of HPL";
  return is_for_testing(spec.mixed->entries) ? "its matrix is for testing only" : "";
}

/// Why the lists do not take a run; empty: they do.
std::string why_left_out(const RunFile& file, const RunResult& run, Benchmark benchmark) {
  std::vector<std::string> reasons;
  const double threshold = run.spec.threshold;
  if (std::string reason = why_of_another(run.spec, benchmark); !reason.empty())
    reasons.push_back(std::move(reason));
  if (run.spec.emulated_moduli > 0)
    reasons.push_back(fmt::format("the tail update is in {}, for which the lists have no rule",
                                  arithmetic_text(run.spec)));
  if (!(threshold > 0 && threshold <= kLargestThreshold))
    reasons.push_back(fmt::format("the threshold must be above 0 and at most {:g}, found {:g}",
                                  kLargestThreshold, threshold));
  const std::vector<std::string> failures = run_failures(run);
  reasons.insert(reasons.end(), failures.begin(), failures.end());
  if (const Verdict verdict = run_verdict(run); failures.empty() && verdict != Verdict::Passed)
    reasons.push_back(lacks_check(run)
                          ? "its check was not completed"
                          : fmt::format("its status is {}", name_of(kRunVerdicts, verdict)));
  else if (failures.empty() && !(run.residual->scaled < threshold))
    reasons.push_back("the residual is not below the threshold");
  if (!rate_of(run)) reasons.push_back("there is no rate");
  const auto& code = file.job.exit_code;
  if (!code)
    reasons.push_back("the job has not ended");
  else if (*code != ExitCode::Passed && *code != ExitCode::Slow)
    reasons.push_back(fmt::format("the job ended with exit code {}", static_cast<int>(*code)));
  return fmt::format("{}", fmt::join(reasons, "; "));
}

void leave_out(std::vector<LeftOut>& all, const std::string& file, const RunResult& run,
               std::string reason) {
  auto same = std::ranges::find_if(
      all, [&](const LeftOut& one) { return one.file == file && one.reason == reason; });
  if (same == all.end())
    same = all.insert(all.end(), LeftOut{.file = file, .reason = std::move(reason)});
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

std::string value_text(const FormField& field) {
  if (field.value.is_null()) return field.key == kHplRate ? "none" : "unknown";
  if (field.key == "power_level" && field.value == 0) return "none";
  std::string text = field.value.is_string() ? field.value.get<std::string>()
                     : field.value.is_number_float()
                         ? fmt::format("{:.6g}", field.value.get<double>())
                         : field.value.dump();
  return field.unit.empty() ? text : text + " " + field.unit;
}

}  // namespace

TakenRuns taken_runs(std::span<const RunFile> files, Benchmark benchmark) {
  TakenRuns taken;
  for (const RunFile& file : files) {
    if (file.job.runs.empty()) taken.left_out.push_back({.file = file.name});
    for (const RunResult& run : file.job.runs) {
      if (std::string reason = why_left_out(file, run, benchmark); !reason.empty()) {
        leave_out(taken.left_out, file.name, run, std::move(reason));
        continue;
      }
      taken.runs.push_back(&run);
      if (taken.best != nullptr && taken.best->gflops >= run.gflops) continue;
      taken.best = &run;
      taken.file = &file;
    }
  }
  return taken;
}

void require_run(const TakenRuns& taken, std::string_view flag) {
  if (taken.best != nullptr) return;
  std::string found;
  for (const LeftOut& one : taken.left_out)
    found += (found.empty() ? "" : "; ") + left_out_text(one);
  throw ConfigError("{} needs a run that the lists take, found {}", flag, found);
}

std::vector<std::string> missed_gates(const TakenRuns& taken) {
  std::vector<std::string> texts;
  for (const GateResult& gate : taken.file->job.gates)
    if (!gate.held) texts.push_back(fmt::format("the job missed {} {:g}", gate.gate, gate.limit));
  return texts;
}

FormField text_field(std::string key, std::string label, const std::string& text,
                     const std::string& otherwise) {
  return field(std::move(key), std::move(label), "",
               text.empty() ? std::nullopt : std::optional(text), "", otherwise);
}

namespace {

/// A fact of the host of rank 0; empty where the document has none.
std::string host_fact(const RunFile& file, std::string_view name) {
  if (file.job.hosts.empty()) return {};
  const NamedValues& facts = file.job.hosts.front().facts;
  const auto found = std::ranges::find(facts, name, &NamedValues::value_type::first);
  return found == facts.end() ? "" : found->second;
}

std::optional<std::int64_t> count_in(const RunFile& file, std::string_view name) {
  return parse_integer(host_fact(file, name));
}

}  // namespace

FormField clock(const RunFile& file) {
  const std::string text = host_fact(file, "clock");  // "2445 MHz"
  const auto mhz = parse_integer(text.substr(0, text.find(' ')));
  return field("clock", "Clock of the processor", "GHz",
               mhz ? std::optional(1e-3 * static_cast<double>(*mhz)) : std::nullopt);
}

FormField cores_per_socket(const RunFile& file) {
  const auto cores = count_in(file, "cores"), sockets = count_in(file, "sockets");
  const bool even = cores && sockets && *sockets > 0 && *cores % *sockets == 0;
  return field("cores_per_socket", "Cores per socket", "",
               even ? std::optional(*cores / *sockets) : std::nullopt);
}

FormField sockets_per_node(const RunFile& file) {
  return field("sockets_per_node", "Sockets per node", "", count_in(file, "sockets"));
}

FormField memory(const RunFile& file) {
  const std::string whole = host_fact(file, "memory");
  return text_field("memory", "Memory of rank 0's node",
                    whole.empty() ? environment(file, "memory") : whole);
}

FormField operating_system(const RunFile& file) {
  return text_field("operating_system", "Operating system", host_fact(file, "os"));
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

std::string form_text(const ListForm& form) {
  std::string text;
  for (const FormPart& part : form.parts) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", part.list);
    for (const FormField& field : part.fields)
      text += fmt::format("  {:<26} {}{}\n", field.label, value_text(field),
                          field.note.empty() ? "" : fmt::format("  ({})", field.note));
  }
  for (const std::string& remark : form.remarks)
    text += fmt::format("\n# {}\n", remark);
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
         "rmax_gflops, mxp_gflops, nmax, n_half, rpeak_gflops, power_watts, power_level, ...");
  record("label", field.label);
  record("unit", field.unit);
  record.computed(
      "value", [&] { return field.value; }, ScalarForm{}, "null: unknown");
  record("note", field.note,
         "where the value is from (measured or predicted), or what would bring it");
}

void describe(Record& record, FormPart& part) {
  record("list", part.list, one_of("TOP500", "Green500", "HPL-MxP"));
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

void describe(Record& record, ListForm& form) {
  record.document({.title = "Form of xhpl-report --top500 or --mxp",
                   .description =
                       "What the forms of the TOP500 and Green500 lists, or that of HPL-MxP, ask "
                       "for, as far as the reports tell it. Readers should ignore members they do "
                       "not know: new members do not raise schema_version.",
                   .kind = "top500"});
  record("forms", form.parts);
  record("remarks", form.remarks, "gates that the job of the run missed", kAddedLater);
  record("left_out", form.left_out, "runs that the lists do not take, and files without a run");
}

}  // namespace hpl::page
