#include "hpl/machine/check/record.h"

#include <optional>

#include <nlohmann/json.hpp>

namespace hpl {
namespace {

using Json = nlohmann::json;

template <class T>
Json packed(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <class T>
void unpack(const Json& value, std::optional<T>& target) {
  if (!value.is_null()) target = value.get<T>();
}

Json packed(const std::vector<ProbeNote>& notes) {
  Json list = Json::array();
  for (const ProbeNote& note : notes)
    list.push_back({note.probe, note.reason});
  return list;
}

std::vector<ProbeNote> notes_of(const Json& list) {
  std::vector<ProbeNote> notes;
  for (const Json& note : list)
    notes.push_back({note.at(0), note.at(1)});
  return notes;
}

Json packed(const hpcx::DeviceHealth& health) {
  Json rows = nullptr;
  if (const auto& r = health.remapped_rows)
    rows = {r->after_corrected, r->after_uncorrected, r->pending, r->failed};
  return {health.pci_address,
          packed(health.maximum_clock_mhz),
          packed(health.power_limit_watts),
          packed(health.default_power_limit_watts),
          packed(health.ecc),
          packed(health.corrected_errors),
          packed(health.uncorrected_errors),
          packed(health.uncorrected_errors_ever),
          rows};
}

hpcx::DeviceHealth health_of(const Json& list) {
  hpcx::DeviceHealth health;
  health.pci_address = list.at(0);
  unpack(list.at(1), health.maximum_clock_mhz);
  unpack(list.at(2), health.power_limit_watts);
  unpack(list.at(3), health.default_power_limit_watts);
  unpack(list.at(4), health.ecc);
  unpack(list.at(5), health.corrected_errors);
  unpack(list.at(6), health.uncorrected_errors);
  unpack(list.at(7), health.uncorrected_errors_ever);
  if (const Json& rows = list.at(8); !rows.is_null())
    health.remapped_rows = hpcx::RemappedRows{.after_corrected = rows.at(0),
                                              .after_uncorrected = rows.at(1),
                                              .pending = rows.at(2),
                                              .failed = rows.at(3)};
  return health;
}

Json packed(const std::vector<DeepFigure>& figures) {
  Json list = Json::array();
  for (const DeepFigure& figure : figures)
    list.push_back({figure.key, figure.label, figure.unit, figure.of_device, figure.lower_is_better,
                    figure.value, static_cast<int>(figure.bound), packed(figure.share),
                    packed(figure.error)});
  return list;
}

std::vector<DeepFigure> figures_of(const Json& list) {
  std::vector<DeepFigure> figures;
  for (const Json& one : list) {
    DeepFigure figure{.key = one.at(0),
                      .label = one.at(1),
                      .unit = one.at(2),
                      .of_device = one.at(3),
                      .lower_is_better = one.at(4),
                      .value = one.at(5),
                      .bound = static_cast<Bound>(one.at(6).get<int>()),
                      .share = {},
                      .error = {}};
    unpack(one.at(7), figure.share);
    unpack(one.at(8), figure.error);
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace

std::string to_bytes(const RankRecord& record) {
  Json measurements = Json::array();
  for (const Measurement& m : record.measurements)
    measurements.push_back({static_cast<int>(m.metric), m.peer, m.value});
  const Json all = {{"rank", record.rank},
                    {"node", record.node},
                    {"host", record.host},
                    {"processor", record.processor},
                    {"device", record.device},
                    {"device_model", record.device_model},
                    {"device_is_host", record.device_is_host},
                    {"blas_kernel", record.blas_kernel},
                    {"kernel_warning", record.kernel_warning},
                    {"thread_level", record.thread_level},
                    {"threads_granted", record.threads_granted},
                    {"cores", record.cores},
                    {"numa_node", record.numa_node},
                    {"bound", record.bound},
                    {"oversubscribed", record.oversubscribed},
                    {"device_numa_node", record.device_numa_node},
                    {"far_from_device", record.far_from_device},
                    {"free_bytes", record.free_bytes},
                    {"memory_source", record.memory_source},
                    {"needed_bytes", record.needed_bytes},
                    {"health", packed(record.health)},
                    {"throttle_reasons", record.throttle_reasons},
                    {"skipped", packed(record.skipped)},
                    {"failed", packed(record.failed)},
                    {"measurements", std::move(measurements)},
                    {"deep", packed(record.deep)}};
  // CBOR: texts are carried as they are, whatever their bytes, and numbers keep every bit.
  std::string bytes;
  Json::to_cbor(all, bytes);
  return bytes;
}

RankRecord rank_record(const std::string& bytes) {
  const Json all = Json::from_cbor(bytes);
  RankRecord record{.rank = all.at("rank"),
                    .node = all.at("node"),
                    .host = all.at("host"),
                    .processor = all.at("processor"),
                    .device = all.at("device"),
                    .device_model = all.at("device_model"),
                    .device_is_host = all.at("device_is_host"),
                    .blas_kernel = all.at("blas_kernel"),
                    .kernel_warning = all.at("kernel_warning"),
                    .thread_level = all.at("thread_level"),
                    .threads_granted = all.at("threads_granted"),
                    .cores = all.at("cores"),
                    .numa_node = all.at("numa_node"),
                    .bound = all.at("bound"),
                    .oversubscribed = all.at("oversubscribed"),
                    .device_numa_node = all.at("device_numa_node"),
                    .far_from_device = all.at("far_from_device"),
                    .free_bytes = all.at("free_bytes"),
                    .memory_source = all.at("memory_source"),
                    .needed_bytes = all.at("needed_bytes"),
                    .health = health_of(all.at("health")),
                    .throttle_reasons = all.at("throttle_reasons"),
                    .skipped = notes_of(all.at("skipped")),
                    .failed = notes_of(all.at("failed"))};
  record.deep = figures_of(all.at("deep"));
  for (const Json& m : all.at("measurements"))
    record.measurements.push_back({static_cast<Metric>(m.at(0).get<int>()),
                                   m.at(1).get<std::int32_t>(), m.at(2).get<double>()});
  return record;
}

}  // namespace hpl
