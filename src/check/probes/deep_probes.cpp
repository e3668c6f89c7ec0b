#include <iterator>
#include <utility>

#include "hpl/check/deep/deep_check.h"
#include "hpl/check/probes/probe.h"

namespace hpl {
namespace {

void add(const CheckContext& context, RankRecord& record, const char* name,
         DeepResult (*measure)(const DeepSetup&)) {
  DeepResult result = measure({.device = context.device,
                               .host = context.host,
                               .world = context.world,
                               .node = context.node,
                               .seconds = context.deep_seconds,
                               .memory_bytes = record.free_bytes});
  std::move(result.figures.begin(), result.figures.end(), std::back_inserter(record.deep));
  if (!result.skipped.empty()) record.skipped.push_back({name, result.skipped});
  if (!result.failed.empty()) record.failed.push_back({name, result.failed});
}

}  // namespace

void probe_host_ladder(const CheckContext& context, RankRecord& record) {
  add(context, record, "products on the host", measure_host_products);
}

void probe_device_ladder(const CheckContext& context, RankRecord& record) {
  add(context, record, "products on the device", measure_device_products);
}

void probe_streams(const CheckContext& context, RankRecord& record) {
  add(context, record, "products through streams", measure_streams);
}

void probe_copies_alone(const CheckContext& context, RankRecord& record) {
  add(context, record, "copies one by one and at once", measure_copies);
}

void probe_latency(const CheckContext& context, RankRecord& record) {
  add(context, record, "latency of memory", measure_latency);
}

void probe_tall_skinny(const CheckContext& context, RankRecord& record) {
  add(context, record, "tall and narrow matrices", measure_tall_skinny);
}

void probe_starts(const CheckContext& context, RankRecord& record) {
  add(context, record, "begin of device and memory", measure_starts);
}

}  // namespace hpl
