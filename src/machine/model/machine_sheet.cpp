#include "hpl/machine/model/machine_sheet.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "hpcx/panel.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "sheet_texts.h"

namespace hpl {

namespace {

/// A law latency + bytes / bandwidth, at enough points that lines between them follow it.
RateTable message_table(double latency_seconds, double gbytes) {
  std::vector<double> bytes, seconds;
  for (double size = 8; size < 3e9; size *= 2) {
    bytes.push_back(size);
    seconds.push_back(latency_seconds + size / (1e9 * gbytes));
  }
  return {{std::move(bytes)}, std::move(seconds)};
}

std::vector<double> powers_of_two(double first, double last) {
  std::vector<double> sizes;
  for (double size = first; size <= last; size *= 2)
    sizes.push_back(size);
  return sizes;
}

/// Full rate by depth, less for a C of few elements.
RateTable product_table(const std::vector<double>& depths, const std::vector<double>& gflops,
                        double half_rate_elements) {
  const std::vector<double> sizes = powers_of_two(16, 1 << 20);
  std::vector<double> values;
  for (const double m : sizes)
    for (const double n : sizes)
      for (const double rate : gflops)
        values.push_back(rate * m * n / (m * n + half_rate_elements));
  return {{sizes, sizes, depths}, std::move(values)};
}

/// Seconds of a column's agreement on its pivot, over powers of two of processes.
template <class Seconds>
RateTable pivot_table(Seconds seconds) {
  const std::vector<double> processes = powers_of_two(2, 1024);
  std::vector<double> values;
  for (const double p : processes)
    values.push_back(seconds(std::log2(p)));
  return {{processes}, std::move(values)};
}

RateTable device_pivots(const MachineSheet& sheet) {
  // Of the ranks of a node about the root of their number are in one process column.
  const double in_node = std::ceil(std::log2(sheet.ranks_per_node()) / 2);
  return pivot_table([&](double depth) {
    const double inside = std::min(in_node, depth);
    const int groups = static_cast<int>(std::exp2(depth - inside));
    return sheet.in_node_seconds * inside +
           sheet.nic_seconds * hpcx::pivot_rounds(groups).latencies();
  });
}

RateTable host_pivots(const MachineSheet& sheet) {
  return pivot_table([&](double depth) { return sheet.host_pivot_seconds * depth; });
}

/// A latency a column, and rows * NB^2 operations at a rate.
PanelRates panel_rates(double column_seconds, double gflops, RateTable pivots) {
  const std::vector<double> rows = powers_of_two(16, 1 << 22), widths = powers_of_two(16, 8192);
  std::vector<double> seconds;
  for (const double m : rows)
    for (const double nb : widths)
      seconds.push_back(nb * column_seconds + m * nb * nb / (1e9 * gflops));
  return {{{rows, widths}, std::move(seconds)}, std::move(pivots)};
}

// Figures that no data sheet has. Measured on H200 (docs/model.md), unless something else is named
// there.
constexpr double kSolveShare = 0.5;       // of the product's rate
constexpr double kRowCopyShare = 0.25;    // of the memory's
constexpr double kHostPanelShare = 0.15;  // of the host's product
// A panel on a device has 32 multiprocessors for itself. Products lose their share and power: 38 %
// beside a panel of 65536 x 2048 on H100.
constexpr PanelShares kDeviceShares{.product = 0.62, .panel = 0.9};
constexpr PanelShares kHostShares{.product = 0.95, .panel = 1};

}  // namespace

int MachineSheet::ranks_per_node() const {
  return accelerator ? accelerators_per_node * accelerator->ranks : host.ranks;
}

namespace {

double host_gflops_of_rank(const MachineSheet& sheet) {
  return sheet.host.product_gflops / sheet.ranks_per_node();
}

/// Ranks that compute on a share of an accelerator. Its links and the host's panels are known.
void add_accelerator(const MachineSheet& sheet, Rates& rates) {
  const AcceleratorSheet& chip = *sheet.accelerator;
  const int ranks = sheet.ranks_per_node();
  rates.kind = ProcessorKind::Gpu;
  rates.peak_gflops = chip.peak_gflops / chip.ranks + sheet.host.peak_gflops / ranks;
  rates.memory_bytes = chip.memory_bytes / chip.ranks;
  rates.multiprocessors = chip.multiprocessors / chip.ranks;
  rates.host_gflops = host_gflops_of_rank(sheet);
  std::vector<double> gflops = chip.product_gflops;
  for (double& rate : gflops)
    rate /= chip.ranks;
  rates.product_gflops =
      product_table(chip.block_sizes, gflops, chip.half_rate_elements / chip.ranks);
  if (chip.panel)
    rates.device_panel = panel_rates(chip.panel->column_seconds, chip.panel->gflops / chip.ranks,
                                     device_pivots(sheet));
  rates.solve_gflops = RateTable::constant(2, kSolveShare * gflops.back());
  rates.memory_gbytes = chip.memory_gbytes / chip.ranks;
  rates.copies = CopyRates{sheet.host_link_gbytes, sheet.host_link_gbytes,
                           0.85 * sheet.host_link_gbytes, 0.9 * sheet.host_link_gbytes};
  for (auto* panel : {&rates.device_panel, &rates.host_panel})
    if (*panel) {
      const PanelShares& shares = panel == &rates.device_panel ? kDeviceShares : kHostShares;
      (*panel)->product_beside = shares.product;
      (*panel)->beside_product = shares.panel;
    }
  rates.shared = {.product_beside_swap = 0.8,
                  .product_beside_solve = 0.5,
                  .product_beside_messages = 0.98,
                  .swap_beside_product = 0.6};
  rates.chip_deviation = chip.deviation;
  rates.task_seconds = 10e-6;
}

/// Ranks that compute on the host. The host's panels are known.
void add_host(const MachineSheet& sheet, Rates& rates) {
  const int ranks = sheet.ranks_per_node();
  const double gflops = host_gflops_of_rank(sheet);
  rates.kind = ProcessorKind::Cpu;
  rates.peak_gflops = sheet.host.peak_gflops / ranks;
  if (sheet.host.memory_bytes > 0) rates.memory_bytes = sheet.host.memory_bytes / ranks;
  rates.product_gflops =
      product_table({64, 128, 192, 256}, {0.8 * gflops, 0.92 * gflops, 0.97 * gflops, gflops},
                    4096.0 * rates.threads);
  rates.solve_gflops = RateTable::constant(2, kSolveShare * gflops);
  rates.memory_gbytes = sheet.host.memory_gbytes / ranks;
  // Everything takes the same cores.
  rates.host_panel->product_beside = 1 - 1.0 / rates.threads;
  rates.shared.product_beside_swap = 1 - 1.0 / rates.threads;
}

/// Watts of a rank; 0: a part of them is not known.
double power_of_rank(const MachineSheet& sheet) {
  const double host = sheet.host.power_watts / sheet.ranks_per_node();
  if (!sheet.accelerator) return host;
  const AcceleratorSheet& chip = *sheet.accelerator;
  return chip.power_watts > 0 && host > 0 ? host + chip.power_watts / chip.ranks : 0;
}

std::vector<LinkRates> links_of(const MachineSheet& sheet) {
  const int ranks = sheet.ranks_per_node();
  // Without rates of links within the node, messages go through the host's memory.
  const double in_node =
      sheet.in_node_gbytes > 0 ? sheet.in_node_gbytes : sheet.host.memory_gbytes / 4 / ranks;
  const double between = sheet.nics_per_node * sheet.nic_gbits / 8 * sheet.nic_share / ranks;
  const std::string transport = sheet.accelerator ? "device" : "mpi";
  return {{.place = LinkPlace::InNode,
           .transport = transport,
           .seconds = message_table(sheet.in_node_seconds, in_node)},
          {.place = LinkPlace::BetweenNodes,
           .transport = transport,
           .seconds = message_table(sheet.nic_seconds, between)}};
}

PanelRates host_panel_of(const MachineSheet& sheet) {
  const int ranks = sheet.ranks_per_node();
  // If the sheet has the panel rate of all cores together, the ranks of a node take turns with
  // them: two of them, as a rule, are in the process column that has the panel.
  const double gflops = sheet.host.panel_gflops > 0 ? sheet.host.panel_gflops / std::min(2, ranks)
                                                    : kHostPanelShare * host_gflops_of_rank(sheet);
  return panel_rates(1e-6, gflops, host_pivots(sheet));
}

}  // namespace

Rates rates_of(const MachineSheet& sheet) {
  constexpr std::int64_t kMostRanks = std::numeric_limits<std::int32_t>::max();
  const std::int64_t of_node =
      sheet.accelerator ? std::int64_t{sheet.accelerators_per_node} * sheet.accelerator->ranks
                        : sheet.host.ranks;
  if (of_node > kMostRanks / sheet.nodes)
    throw ConfigError("{}: all nodes must have at most {} ranks, found {} x {}",
                      shown_text(sheet.name), kMostRanks, sheet.nodes, of_node);
  Rates rates;
  rates.origin = "data sheet";
  rates.machine = sheet.name;
  rates.ranks_per_node = sheet.ranks_per_node();
  rates.ranks = sheet.nodes * rates.ranks_per_node;
  rates.threads = std::max(1, sheet.host.cores / rates.ranks_per_node);
  rates.links = links_of(sheet);
  rates.host_panel = host_panel_of(sheet);
  if (sheet.accelerator)
    add_accelerator(sheet, rates);
  else
    add_host(sheet, rates);
  rates.row_copy_gbytes = RateTable::constant(1, kRowCopyShare * rates.memory_gbytes);
  if (const double power = power_of_rank(sheet); power > 0) rates.power_watts = power;
  return rates;
}

double slowest_of(int count, double deviation) {
  if (count < 2) return 0;
  // The expected least of `count` normal values, Blom's approximation: the quantile of
  // (1 - 0.375) / (count + 0.25), here by bisection.
  const double wanted = 0.625 / (count + 0.25);
  double low = 0, high = 8;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) / 2 > wanted ? low : high) = middle;
  }
  return std::min(0.9, deviation * low);
}

std::vector<MachineSheet> known_machines() {
  std::vector<MachineSheet> sheets;
  for (const SheetText& sheet : sheet_texts())
    sheets.push_back(parse_machine_sheet(sheet.file, sheet.text));
  return sheets;
}

std::vector<std::string> known_machine_names() {
  std::vector<std::string> names;
  for (const SheetText& sheet : sheet_texts())
    names.push_back(std::filesystem::path(sheet.file).stem().string());
  return names;
}

std::optional<MachineSheet> sheet_of_device(std::string_view device) {
  for (MachineSheet& sheet : known_machines())
    if (sheet.accelerator &&
        std::ranges::find(sheet.accelerator->devices, device) != sheet.accelerator->devices.end())
      return std::move(sheet);
  return std::nullopt;
}

}  // namespace hpl
