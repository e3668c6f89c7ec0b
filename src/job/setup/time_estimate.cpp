#include "hpl/job/setup/time_estimate.h"

#include <fmt/format.h>

#include <algorithm>

#include "hpl/base/error/error.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/text/text_value.h"
#include "hpl/job/setup/on_rank_0.h"
#include "hpl/machine/host/sizing.h"
#include "hpl/machine/host/topology.h"
#include "hpl/machine/model/search.h"

namespace hpl {

namespace {

/// As the job would carry it out.
Configuration configuration_of(const RunSpec& spec, const RunSettings& settings,
                               const Rates& rates) {
  Configuration configuration = default_configuration(spec, rates);
  configuration.pipeline = settings.pipeline;
  configuration.schedule = settings.stages.schedule;
  configuration.device_panel = settings.stages.device_panel;
  return configuration;
}

}  // namespace

double TimeEstimate::seconds(const RunSpec& spec, const RunSettings& settings) const {
  if (rates == nullptr) return estimated_seconds(spec.order, kUsualEfficiency * attainable_gflops);
  if (spec.order == 0) return 0;
  const Configuration configuration = configuration_of(spec, settings, *rates);
  return predict(affordable_model(configuration), configuration, *rates).seconds;
}

std::int64_t TimeEstimate::order_within(const RunSpec& spec, const RunSettings& settings,
                                        double seconds) const {
  if (rates == nullptr)
    return order_for_seconds(kUsualEfficiency * attainable_gflops, seconds, spec.block_size);
  return hpl::order_within(configuration_of(spec, settings, *rates), *rates, seconds);
}

std::string TimeEstimate::basis() const {
  if (rates != nullptr) return "by the performance model and the rates of --rates";
  return fmt::format("at {:.0f} % of the measured DGEMM rate of {:.1f} GFLOP/s",
                     100 * kUsualEfficiency, attainable_gflops);
}

void require_same_processor(const std::string& file, const Rates& rates, ProcessorKind kind,
                            const std::string& processor) {
  const bool measured = rates.origin == "measured";
  if (rates.kind == kind && (!measured || rates.machine == processor)) return;
  throw ConfigError(
      fmt::format("--rates {}: must be of this machine, {}, found those of {}; xhpl "
                  "--measure-rates writes them",
                  shown_text(file), processor, shown_text(rates.machine)));
}

std::optional<Rates> rates_of_job(const mpi::Communicator& world, const Options& options,
                                  const Machine& machine) {
  if (!options.machine_rates) return std::nullopt;
  const std::string file = options.machine_rates->string();
  const std::string text =
      world.broadcast(on_rank_0(world, [&] { return read_json_text(file); }), 0);
  Rates rates = parse_rates(file, text);
  require_same_processor(
      file, rates, machine.kind(),
      // Ranks may have different processors; that of rank 0 speaks for all.
      world.broadcast(
          machine.kind() == ProcessorKind::Gpu ? machine.device().properties().name : cpu_model(),
          0));
  return rates;
}

}  // namespace hpl
