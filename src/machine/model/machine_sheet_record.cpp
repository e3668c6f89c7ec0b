#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "hpl/base/json/json_text.h"
#include "hpl/base/text/text_value.h"
#include "hpl/machine/model/machine_sheet.h"
#include "sheet_texts.h"

namespace hpl {

namespace {

constexpr std::string_view kWriter = "xhpl rates";
constexpr Limits kMayLack = may_lack({}), kMayLackCount = may_lack(kNotZero),
                 kMayLackPositive = may_lack(kPositive);

/// The rates of products, which no chip computes faster than its peak.
void describe_product(Record& record, AcceleratorSheet& sheet) {
  RateTable table;
  if (!sheet.block_sizes.empty()) table = {{sheet.block_sizes}, sheet.product_gflops};
  describe_tables(record, {"block_sizes"}, {{"gflops", &table}});
  record("uncertainty", sheet.product_uncertainty,
         "of these rates, as a share: 0.01 if measured, 0.1 if assumed",
         may_lack({.minimum = 0, .maximum = 0.5, .finite = true}));
  if (!record.reads()) return;
  sheet.block_sizes = table.axes().front();
  sheet.product_gflops = table.values();
  for (const double gflops : sheet.product_gflops)
    if (const JsonCursor* from = record.source(); from && gflops > 1.02 * sheet.peak_gflops)
      from->at("gflops").refuse(fmt::format("at most the peak, {:g} GFLOP/s", sheet.peak_gflops));
}

void describe_node(Record& record, MachineSheet& sheet) {
  record("accelerators", sheet.accelerators_per_node, {}, kMayLackCount);
  record("link_gbytes_per_second", sheet.in_node_gbytes,
         "that an accelerator sends to its neighbours; absent: through the host", kMayLackPositive);
  record("link_seconds", sheet.in_node_seconds, {}, kMayLackPositive);
  record("nics", sheet.nics_per_node, {}, kMayLackCount);
  record("nic_gbits_per_second", sheet.nic_gbits, "of each", kMayLackPositive);
  record("nic_seconds", sheet.nic_seconds, "latency of a message between nodes", kMayLackPositive);
  record("nic_share", sheet.nic_share, "of the line rate that messages reach",
         may_lack({.minimum = 0.01, .maximum = 1, .finite = true}));
  record("host_link_gbytes_per_second", sheet.host_link_gbytes, {}, kMayLackPositive);
  record("host_pivot_seconds", sheet.host_pivot_seconds,
         "a column of a panel, where hosts agree on its pivot", kMayLackPositive);
}

}  // namespace

void describe(Record& record, PanelSheet& panel) {
  record("column_seconds", panel.column_seconds, "latency of a column", kPositive);
  record("gflops", panel.gflops, "rate of rows * NB^2 operations", kPositive);
}

void describe(Record& record, AcceleratorSheet& sheet) {
  record("model", sheet.model);
  record("devices", sheet.devices, "names that the driver gives it: NVIDIA H200", kMayLack);
  record("peak_gflops", sheet.peak_gflops, "FP64, of the unit that DGEMM uses", kPositive);
  record("memory_bytes", sheet.memory_bytes, {}, kPositive);
  record("memory_gbytes_per_second", sheet.memory_gbytes, "read and written", kPositive);
  record("ranks", sheet.ranks, "processes that share one: its dies", kMayLackCount);
  record("multiprocessors", sheet.multiprocessors,
         "of the whole: they limit the rows of a panel; absent: unknown", kMayLackCount);
  record.group(
      "product", [&](Record& inner) { describe_product(inner, sheet); },
      "Sustained DGEMM of the whole accelerator at these depths.");
  record("half_rate_elements", sheet.half_rate_elements,
         "Elements of C with which a product reaches half its rate.", kMayLackPositive);
  record("panel", sheet.panel, "null: the host factorizes panels", kMayLack);
  record("power_watts", sheet.power_watts, {}, kMayLackPositive);
  record("deviation", sheet.deviation, "standard deviation between chips",
         may_lack({.minimum = 0, .maximum = 1, .finite = true}));
}

void describe(Record& record, HostSheet& sheet) {
  record("model", sheet.model, {}, kMayLack);
  record("cores", sheet.cores, "of a node", kMayLackCount);
  record("product_gflops", sheet.product_gflops, "DGEMM of all cores of a node", kPositive);
  record("panel_gflops", sheet.panel_gflops,
         "rows * NB^2 operations of a panel by all cores of a node, in turns", kMayLackPositive);
  if (record.reads()) sheet.peak_gflops = sheet.product_gflops;
  record("peak_gflops", sheet.peak_gflops, "absent: product_gflops", kMayLackPositive);
  record("memory_bytes", sheet.memory_bytes, {}, kMayLackPositive);
  record("memory_gbytes_per_second", sheet.memory_gbytes, {}, kMayLackPositive);
  record("power_watts", sheet.power_watts, "of a node without its accelerators", kMayLackPositive);
  record("ranks", sheet.ranks, "processes of a node without accelerators", kMayLackCount);
}

void describe(Record& record, MachineSheet& sheet) {
  record.document(
      {.title = "Data sheet of a machine",
       .description =
           "Read by xhpl-predict in place of measured rates; examples in config/machines.",
       .kind = "machine"});
  record("name", sheet.name);
  record("sources", sheet.sources, "Where a figure comes from, by its name.", kMayLack);
  record("accelerator", sheet.accelerator, "null: the host's processors compute.", kMayLack);
  record("host", sheet.host);
  record.group("node", [&](Record& inner) { describe_node(inner, sheet); });
  record("nodes", sheet.nodes, {}, kMayLackCount);
}

namespace {

/// The text of a file, otherwise of the data sheet with that name.
std::string text_of_machine(const std::string& path) {
  std::error_code unknown;
  const bool is_name = path.find_first_of("/.") == std::string::npos;
  if (!is_name || std::filesystem::exists(path, unknown)) return read_json_text(path);
  const std::vector<std::string> names = known_machine_names();
  const auto found = std::ranges::find(names, path);
  if (found == names.end())
    throw ConfigError("there is no file and no data sheet {}; xhpl predict --list shows the sheets",
                      quote_printable(path));
  return sheet_texts()[static_cast<std::size_t>(found - names.begin())].text;
}

}  // namespace

MachineSheet parse_machine_sheet(const std::string& name, std::string_view text) {
  return parse_document<MachineSheet>(name, text, kWriter);
}

MachineFile read_machine_file(const std::string& path) {
  const std::string text = text_of_machine(path);
  const JsonCursor::Json document = parse_json(shown_text(path), text, kWriter);
  const JsonCursor kind = JsonCursor(document, shown_text(path)).at("kind");
  if (kind.text() == "rates") return {parse_rates(path, text), std::nullopt};
  if (kind.text() != "machine") kind.refuse("rates or machine");
  MachineFile file{{}, parse_machine_sheet(path, text)};
  file.rates = rates_of(*file.sheet);
  return file;
}

}  // namespace hpl
