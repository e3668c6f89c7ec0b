#include "hpl/check/report/preflight_check.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <ostream>
#include <system_error>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/file/host_list_files.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/text/host_list.h"
#include "hpl/base/text/text_value.h"
#include "hpl/check/findings/check_reference.h"
#include "hpl/check/findings/check_report.h"
#include "hpl/check/probes/preflight.h"
#include "hpl/check/report/check_text.h"
#include "hpl/input/plan/plan.h"
#include "hpl/job/live/progress.h"
#include "hpl/job/live/status_line.h"
#include "hpl/job/ranks/agreement.h"
#include "hpl/machine/host/versions.h"
#include "hpl/report/text/report_stream.h"

namespace hpl {

CheckReport check_machine(CheckForm form, const JobContext& job, const JobPlan& plan,
                          const CheckReference* reference) {
  const Machine& machine = job.machine;
  const RunSpec spec = first_grid(plan.dat);
  std::int64_t needed = 0;
  for (const RunSettings& settings : plan.settings)
    needed = std::max(needed, settings.memory.total().device);
  needed -= std::min(needed, plan.link_bytes.value_or(0));  // is no longer free

  const LiveView view =
      form != CheckForm::Short && job.root() ? live_view(job.options.outputs.progress) : LiveView();
  StatusLine line(std::cerr, view);
  // A probe by itself takes up to six seconds, one of the deep form up to half of its time.
  const double deep_seconds = job.options.check.deep_seconds;
  double longest_probe = form == CheckForm::Deep ? 10 + 2 * deep_seconds : 10;
  return run_preflight(
      job.world, {.form = form,
                  .rules = {.tolerance = job.options.check.tolerance / 100,
                            .strict = job.options.check.strict,
                            .reference = reference},
                  .deep_seconds = deep_seconds,
                  .device = machine.device(),
                  .host = machine.host(),
                  .thread_level = machine.thread_level(),
                  .ranks_on_device = machine.ranks_on_device(),
                  .cores = machine.rank_cores(),
                  .bound = job.options.machine.bind && !machine.oversubscribed(),
                  .grid = {spec.grid_rows, spec.grid_columns},
                  .rank_order = spec.rank_order,
                  .grid_ranks = plan.layout->ranks_of(spec),
                  .transport = job.options.wishes.transport,
                  .needed_bytes = needed,
                  .on_size =
                      [&](const CheckSize& size) {
                        longest_probe = std::max(longest_probe, size.node_pairs);
                        constexpr double kWorthALine = 20;
                        if (view.form != LiveForm::None && size.seconds > kWorthALine)
                          std::cerr << fmt::format(
                              "# check: about {:.0f} s if nothing is measured again; its document "
                              "about {:.1f} MB\n",
                              size.seconds, 1e-6 * size.document_bytes);
                      },
                  .on_probe =
                      [&](const char* name) {
                        job.watchdog.enter(fmt::format("measures {}", name), longest_probe);
                        line.show(fmt::format("measuring {}", name));
                      }});
}

namespace {

CheckReference read_reference_file(const std::filesystem::path& path) {
  const std::string source = shown_text(path.string());
  std::error_code none;
  if (std::filesystem::is_directory(path, none))
    throw ConfigError(
        "{} must be the document of a check (xhpl check --json), found a folder: that of a "
        "campaign has check.json",
        source);
  const JsonCursor::Json document =
      parse_json(source, read_json_text(path.string()), "xhpl check --json");
  return read_check_reference(JsonCursor(document, source), source);
}

}  // namespace

ExitCode run_check(const JobContext& job, const JobPlan& plan) {
  const Options& options = job.options;
  std::optional<ReportStream> out;
  std::optional<CheckReference> reference;  // of rank 0, empty elsewhere
  if (const auto& file = options.check.reference)
    reference = on_rank_0(job.world, [&] { return read_reference_file(*file); });
  std::optional<AtomicFile> json, page;
  HostListFiles lists;
  const OutputDevice device = options.outputs.report          ? OutputDevice::File
                              : options.outputs.prints_json() ? OutputDevice::Stderr
                                                              : OutputDevice::Stdout;
  on_rank_0(job.world, [&] {  // before anything is measured
    if (options.outputs.json) json.emplace(*options.outputs.json, "the JSON report");
    if (options.outputs.page) page.emplace(*options.outputs.page, "the page");
    lists = HostListFiles(options.fleet.lists);
    out.emplace(device, options.outputs.report.value_or("").string(), "--output");
  });
  CheckReport found = check_machine(options.check.deep ? CheckForm::Deep : CheckForm::Full, job,
                                    plan, reference ? &*reference : nullptr);
  append(found.remarks, job.machine.remarks());
  ExitCode code = ExitCode::Passed;
  if (job.root()) {
    code = exit_code_of(found);
    out->stream() << check_text(found, report_style(options.outputs, device)) << std::flush;
    if (!out->stream()) throw RunError("the report of the check could not be written to its end");
    const std::string document = json_text(to_json_value(
        CheckDocument{program_info("xhpl", options.words, options.outputs.labels), found, code}));
    const CheckedHosts hosts = hosts_of(found);
    lists.write(host_list(hosts.passed), host_list(hosts.warned), host_list(hosts.failed));
    if (json) json->write(document);
    if (page) page->write(job.page_of({{"this check", document}}));
  }
  return job.world.broadcast_value(code, 0);
}

}  // namespace hpl
