#include <array>
#include <limits>

#include <fmt/format.h>

#include "hpl/base/json/json_text.h"
#include "hpl/base/text/text_value.h"
#include "hpl/machine/host/versions.h"
#include "hpl/machine/model/rates.h"
#include "json_fields.h"

namespace hpl {

namespace {

using Json = JsonCursor::Json;

constexpr std::int64_t kRatesSchemaVersion = 1;
constexpr std::string_view kWriter = "xhpl --measure-rates";

const TableNames kProductNames{{"m", "n", "k"}, "gflops"};
const TableNames kUnevenNames{{"divisors"}, "share"};
const TableNames kPanelNames{{"rows", "block_sizes"}, "seconds"};
const TableNames kProductBesideNames{{"rows", "block_sizes"}, "product_beside_panel"};
const TableNames kBesideProductNames{{"rows", "block_sizes"}, "panel_beside_product"};
const TableNames kPivotNames{{"processes"}, "seconds_per_column"};
const TableNames kSolveNames{{"columns", "block_sizes"}, "gflops"};
const TableNames kInverseNames{{"block_sizes"}, "seconds"};
const TableNames kRowCopyNames{{"columns"}, "gbytes_per_second"};
const TableNames kLinkNames{{"bytes"}, "seconds"};

constexpr std::array<Neighbours, 3> kNeighbours{Neighbours::Any, Neighbours::Row,
                                                Neighbours::Column};
constexpr std::array<LinkPlace, 2> kPlaces{LinkPlace::InNode, LinkPlace::BetweenNodes};

template <class Value>
Json value_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json table_or_null(const RateTable& table, const TableNames& names) {
  return table.empty() ? Json(nullptr) : table_json(table, names);
}

Json panel_json(const std::optional<PanelRates>& panel) {
  if (!panel) return nullptr;
  Json object = table_json(panel->seconds, kPanelNames);
  object["product_beside_panel"] = panel->product_beside;
  object["panel_beside_product"] = panel->beside_product;
  object["shares"] = nullptr;
  if (!panel->product_beside_by_size.empty()) {
    object["shares"] = table_json(panel->product_beside_by_size, kProductBesideNames);
    object["shares"].update(table_json(panel->beside_product_by_size, kBesideProductNames));
  }
  object["pivot"] = table_or_null(panel->pivot_seconds, kPivotNames);
  return object;
}

Json link_json(const LinkRates& link) {
  Json object{{"neighbours", to_string(link.neighbours)},
              {"place", to_string(link.place)},
              {"transport", link.transport}};
  object.update(table_json(link.seconds, kLinkNames));
  return object;
}

Json copies_json(const std::optional<CopyRates>& copies) {
  if (!copies) return nullptr;
  return {{"host_to_device_gbytes_per_second", copies->host_to_device_gbytes},
          {"device_to_host_gbytes_per_second", copies->device_to_host_gbytes},
          {"host_to_device_both_ways_gbytes_per_second", copies->host_to_device_both_gbytes},
          {"device_to_host_both_ways_gbytes_per_second", copies->device_to_host_both_gbytes}};
}

Json shared_json(const SharedRates& shared) {
  return {{"product_beside_swap", shared.product_beside_swap},
          {"product_beside_solve", shared.product_beside_solve},
          {"product_beside_messages", shared.product_beside_messages},
          {"swap_beside_product", shared.swap_beside_product},
          {"solve_beside_product", shared.solve_beside_product},
          {"product_beside_exchange", value_or_null(shared.product_beside_exchange)}};
}

constexpr double kLeastShare = 0.001;  // of what divides a time

std::optional<PanelRates> read_panel(const JsonCursor& from, std::string_view key) {
  const auto panel = from.find(key);
  if (!panel) return std::nullopt;
  PanelRates rates{.seconds = read_table(*panel, kPanelNames), .pivot_seconds = {}};
  rates.product_beside = share_or(*panel, "product_beside_panel", rates.product_beside);
  rates.beside_product =
      share_or(*panel, "panel_beside_product", rates.beside_product, kLeastShare);
  if (const auto shares = panel->find("shares")) {
    rates.product_beside_by_size = read_table(*shares, kProductBesideNames);
    rates.beside_product_by_size = read_table(*shares, kBesideProductNames);
  }
  if (const auto pivot = panel->find("pivot"))
    rates.pivot_seconds = read_table(*pivot, kPivotNames);
  return rates;
}

/// The one that the text names.
template <class Value, std::size_t Count>
Value read_name(const JsonCursor& from, const std::array<Value, Count>& values) {
  std::string allowed;
  for (std::size_t i = 0; i < Count; ++i) {
    if (from.text() == to_string(values[i])) return values[i];
    allowed += list_separator(i, Count);
    allowed += to_string(values[i]);
  }
  from.refuse(allowed);
}

LinkRates read_link(const JsonCursor& from) {
  return {.neighbours = read_name(from.at("neighbours"), kNeighbours),
          .place = read_name(from.at("place"), kPlaces),
          .transport = from.at("transport").text(),
          .seconds = read_table(from, kLinkNames)};
}

std::optional<CopyRates> read_copies(const JsonCursor& from) {
  const auto copies = from.find("copies");
  if (!copies) return std::nullopt;
  CopyRates rates{.host_to_device_gbytes = positive(*copies, "host_to_device_gbytes_per_second"),
                  .device_to_host_gbytes = positive(*copies, "device_to_host_gbytes_per_second")};
  rates.host_to_device_both_gbytes = positive_or(
      *copies, "host_to_device_both_ways_gbytes_per_second", rates.host_to_device_gbytes);
  rates.device_to_host_both_gbytes = positive_or(
      *copies, "device_to_host_both_ways_gbytes_per_second", rates.device_to_host_gbytes);
  return rates;
}

SharedRates read_shared(const JsonCursor& from) {
  SharedRates shared;
  const auto beside = from.find("shared");
  if (!beside) return shared;
  shared.product_beside_swap = share_or(*beside, "product_beside_swap", shared.product_beside_swap);
  shared.product_beside_solve =
      share_or(*beside, "product_beside_solve", shared.product_beside_solve);
  shared.product_beside_messages =
      share_or(*beside, "product_beside_messages", shared.product_beside_messages);
  shared.swap_beside_product =
      share_or(*beside, "swap_beside_product", shared.swap_beside_product, kLeastShare);
  shared.solve_beside_product =
      share_or(*beside, "solve_beside_product", shared.solve_beside_product, kLeastShare);
  if (beside->find("product_beside_exchange"))
    shared.product_beside_exchange = share_or(*beside, "product_beside_exchange", 1);
  return shared;
}

double not_negative_or_zero(const JsonCursor& from, const char* key) {
  const double value = from.find_number(key).value_or(0);
  if (value < 0) from.at(key).refuse("at least 0");
  return value;
}

Boost read_boost(const JsonCursor& from) {
  const auto boost = from.find("boost");
  if (!boost) return {};
  return {.gain = not_negative_or_zero(*boost, "gain"),
          .seconds = not_negative_or_zero(*boost, "seconds")};
}

ProcessorKind read_kind(const JsonCursor& from) {
  const std::string text = from.text();
  if (text == "gpu") return ProcessorKind::Gpu;
  if (text != "cpu") from.refuse("cpu or gpu");
  return ProcessorKind::Cpu;
}

}  // namespace

std::string rates_json(const Rates& rates) {
  Json links = Json::array();
  for (const LinkRates& link : rates.links)
    links.push_back(link_json(link));
  const Json document{{"schema_version", kRatesSchemaVersion},
                      {"kind", "rates"},
                      {"program", {{"name", "xhpl"}, {"version", program_version()}}},
                      {"origin", rates.origin},
                      {"machine", rates.machine},
                      {"processor_kind", rates.kind == ProcessorKind::Gpu ? "gpu" : "cpu"},
                      {"ranks", rates.ranks},
                      {"ranks_per_node", rates.ranks_per_node},
                      {"threads_per_rank", rates.threads},
                      {"peak_gflops_per_rank", value_or_null(rates.peak_gflops)},
                      {"memory_bytes_per_rank", value_or_null(rates.memory_bytes)},
                      {"power_watts_per_rank", value_or_null(rates.power_watts)},
                      {"host_gflops_per_rank", value_or_null(rates.host_gflops)},
                      {"product", table_json(rates.product_gflops, kProductNames)},
                      {"uneven_product", table_or_null(rates.uneven_product_share, kUnevenNames)},
                      {"device_panel", panel_json(rates.device_panel)},
                      {"narrow_panel", panel_json(rates.narrow_panel)},
                      {"narrow_panel_columns", rates.narrow_panel_columns},
                      {"host_panel", panel_json(rates.host_panel)},
                      {"solve", table_json(rates.solve_gflops, kSolveNames)},
                      {"inverse", table_or_null(rates.inverse_seconds, kInverseNames)},
                      {"row_copy", table_json(rates.row_copy_gbytes, kRowCopyNames)},
                      {"memory_gbytes_per_second", rates.memory_gbytes},
                      {"links", std::move(links)},
                      {"copies", copies_json(rates.copies)},
                      {"shared", shared_json(rates.shared)},
                      {"boost", {{"gain", rates.boost.gain}, {"seconds", rates.boost.seconds}}},
                      {"rank_speeds", rates.rank_speeds},
                      {"second_deviation_seconds", rates.second_deviation},
                      {"chip_deviation", rates.chip_deviation},
                      {"plan_seconds_per_pivot", rates.plan_seconds},
                      {"task_seconds", rates.task_seconds}};
  return document.dump(1) + "\n";
}

Rates parse_rates(const std::string& name, std::string_view text) {
  const std::string shown = shown_text(name);
  const Json document = parse_json(shown, text, kWriter);
  const JsonCursor from(document, shown);
  require_document(from, "rates", kRatesSchemaVersion);
  Rates rates{.origin = from.at("origin").text(),
              .machine = from.find_text("machine").value_or(""),
              .kind = read_kind(from.at("processor_kind")),
              .ranks = count_or(from, "ranks", 1),
              .ranks_per_node = count_or(from, "ranks_per_node", 1),
              .threads = count_or(from, "threads_per_rank", 1),
              .peak_gflops = find_positive(from, "peak_gflops_per_rank"),
              .memory_bytes = find_positive(from, "memory_bytes_per_rank"),
              .power_watts = find_positive(from, "power_watts_per_rank"),
              .host_gflops = find_positive(from, "host_gflops_per_rank"),
              .product_gflops = read_table(from.at("product"), kProductNames),
              .uneven_product_share = {},
              .device_panel = read_panel(from, "device_panel"),
              .host_panel = read_panel(from, "host_panel"),
              .narrow_panel = read_panel(from, "narrow_panel"),
              .narrow_panel_columns = from.find_number("narrow_panel_columns").value_or(0),
              .solve_gflops = read_table(from.at("solve"), kSolveNames),
              .inverse_seconds = {},
              .row_copy_gbytes = read_table(from.at("row_copy"), kRowCopyNames),
              .memory_gbytes = positive(from, "memory_gbytes_per_second"),
              .links = {},
              .copies = read_copies(from),
              .shared = read_shared(from),
              .boost = read_boost(from),
              .rank_speeds = {},
              .second_deviation = not_negative_or_zero(from, "second_deviation_seconds"),
              .chip_deviation = share_or(from, "chip_deviation", 0),
              .plan_seconds = positive_or(from, "plan_seconds_per_pivot", Rates().plan_seconds),
              .task_seconds = not_negative_or_zero(from, "task_seconds")};
  if (const auto uneven = from.find("uneven_product"))
    rates.uneven_product_share = read_table(*uneven, kUnevenNames);
  if (const auto inverse = from.find("inverse"))
    rates.inverse_seconds = read_table(*inverse, kInverseNames);
  for (const JsonCursor& link : from.elements("links"))
    rates.links.push_back(read_link(link));
  for (const JsonCursor& speed : from.elements("rank_speeds"))
    rates.rank_speeds.push_back(positive(speed));
  if (!rates.device_panel && !rates.host_panel)
    from.refuse("an object with device_panel or host_panel");
  return rates;
}

Rates read_rates(const std::string& path) {
  return parse_rates(path, read_json_text(path));
}

}  // namespace hpl
