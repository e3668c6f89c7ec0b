#include "hpl/report/json/check_json.h"

#include <set>

#include "health_json.h"
#include "hpl/report/result/json_values.h"
#include "preflight_json.h"

namespace hpl {
namespace {

using Json = nlohmann::ordered_json;

Json peer_or_null(int peer) {
  return peer == kNoPeer ? Json(nullptr) : Json(peer);
}

Json notes_array(const std::vector<ProbeNote>& notes) {
  Json array = Json::array();
  for (const ProbeNote& note : notes)
    array.push_back({{"probe", note.probe}, {"reason", note.reason}});
  return array;
}

Json bound_or_null(Bound bound) {
  return bound == Bound::None ? Json(nullptr) : Json(to_string(bound));
}

Json deep_array(const std::vector<DeepFigure>& figures) {
  Json array = Json::array();
  for (const DeepFigure& one : figures)
    array.push_back({{"figure", one.key},
                     {"value", number_or_null(one.value)},
                     {"bound", bound_or_null(one.bound)},
                     {"share", number_or_null(one.share)},
                     {"error", number_or_null(one.error)}});
  return array;
}

Json deep_object(const DeepSummary& summary) {
  const DeepFigure& about = summary.about;
  return {{"figure", about.key},
          {"label", about.label},
          {"unit", about.unit},
          {"group", summary.group},
          {"count", summary.count},
          {"minimum", number_or_null(summary.minimum)},
          {"median", number_or_null(summary.median)},
          {"maximum", number_or_null(summary.maximum)},
          {"lower_is_better", about.lower_is_better},
          {"worst_rank", summary.worst_rank},
          {"bound", bound_or_null(about.bound)},
          {"share", number_or_null(about.share)},
          {"error", number_or_null(summary.error)}};
}

Json rank_object(const RankRecord& rank) {
  Json measurements = Json::array();
  for (const Measurement& m : rank.measurements)
    measurements.push_back({{"metric", info(m.metric).key},
                            {"peer", peer_or_null(m.peer)},
                            {"value", number_or_null(m.value)}});
  Json object = {
      {"rank", rank.rank},
      {"node", rank.node},
      {"host", rank.host},
      {"processor", rank.processor},
      {"device", rank.device},
      {"device_model", rank.device_model},
      {"blas_kernel", rank.blas_kernel},
      {"kernel_warning", rank.kernel_warning},
      {"thread_level", rank.thread_level},
      {"cores", rank.cores},
      {"numa_node", rank.numa_node},
      {"bound", rank.bound},
      {"oversubscribed", rank.oversubscribed},
      {"device_numa_node", rank.device_numa_node < 0 ? Json(nullptr) : Json(rank.device_numa_node)},
      {"far_from_device", rank.far_from_device},
      {"free_bytes", rank.free_bytes},
      {"memory_source", rank.memory_source},
      {"needed_bytes", rank.needed_bytes},
      {"health", health_object(rank.health)},
      {"throttle_reasons", rank.throttle_reasons},
      {"skipped", notes_array(rank.skipped)},
      {"failed", notes_array(rank.failed)},
      {"measurements", std::move(measurements)}};
  if (!rank.deep.empty()) object["deep"] = deep_array(rank.deep);
  return object;
}

Json metric_object(const MetricSummary& summary) {
  const MetricInfo& about = info(summary.metric);
  return {{"metric", about.key},
          {"label", about.label},
          {"unit", about.unit},
          {"group", summary.group},
          {"count", summary.count},
          {"minimum", number_or_null(summary.minimum)},
          {"median", number_or_null(summary.median)},
          {"maximum", number_or_null(summary.maximum)},
          {"worst_rank", summary.worst_rank},
          {"worst_peer", peer_or_null(summary.worst_peer)}};
}

Json finding_object(const CheckReport& report, const Finding& finding) {
  const RankRecord& rank = report.ranks.at(static_cast<std::size_t>(finding.rank));
  const bool compared = finding.metric.has_value();
  return {{"kind", to_string(finding.kind)},
          {"rank", finding.rank},
          {"host", rank.host},
          {"device", rank.device},
          {"peer", peer_or_null(finding.peer)},
          {"peer_host", finding.peer == kNoPeer
                            ? Json(nullptr)
                            : Json(report.ranks.at(static_cast<std::size_t>(finding.peer)).host)},
          {"bad_links", finding.bad_links},
          {"metric", compared ? Json(info(*finding.metric).key) : Json(nullptr)},
          {"value", compared ? number_or_null(finding.value) : Json(nullptr)},
          {"median", compared ? number_or_null(finding.median) : Json(nullptr)},
          {"what", finding.what}};
}

}  // namespace

Json preflight_object(const CheckReport& report) {
  std::set<int> nodes;
  for (const RankRecord& rank : report.ranks)
    nodes.insert(rank.node);
  Json metrics = Json::array();
  for (const MetricSummary& summary : report.summaries)
    metrics.push_back(metric_object(summary));
  Json findings = Json::array();
  for (const Finding& finding : report.findings)
    findings.push_back(finding_object(report, finding));
  Json object = {{"form", to_string(report.form)},
                 {"seconds", number_or_null(report.seconds)},
                 {"tolerance", number_or_null(report.tolerance)},
                 {"sound", is_sound(report)},
                 {"ranks", report.ranks.size()},
                 {"nodes", nodes.size()},
                 {"metrics", std::move(metrics)},
                 {"findings", std::move(findings)}};
  if (report.form != CheckForm::Deep) return object;
  Json deep = Json::array();
  for (const DeepSummary& summary : report.deep)
    deep.push_back(deep_object(summary));
  object["deep"] = std::move(deep);
  return object;
}

std::string check_json(const ProgramInfo& program, const CheckReport& report, ExitCode code) {
  Json ranks = Json::array();
  for (const RankRecord& rank : report.ranks)
    ranks.push_back(rank_object(rank));
  const Json document = {{"schema_version", kCheckSchemaVersion},
                         {"program", {{"name", program.name}, {"version", program.version}}},
                         {"remarks", report.remarks},
                         {"preflight", preflight_object(report)},
                         {"ranks", std::move(ranks)},
                         {"exit_code", static_cast<int>(code)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hpl
