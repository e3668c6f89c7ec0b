#include "listed_systems.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hpl/base/error/error.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/number/statistics.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/run_spec/field_rules.h"
#include "hpl/lu/grid/grid_shape.h"
#include "hpl/machine/model/prediction.h"
#include "hpl/machine/model/search.h"

namespace hpl::models {

namespace {

/// The fields of a line: commas separate them, quotes protect commas, two quotes are one.
std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields{""};
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"')
        fields.back() += line[i++];
      else
        quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

/// One line of the file by the names of its first.
class CsvLine {
 public:
  CsvLine(std::string place, const std::vector<std::string>& names, std::vector<std::string> fields)
      : place_(std::move(place)), names_(names), fields_(std::move(fields)) {
    if (fields_.size() != names_.size())
      throw ConfigError("{}: must have {} fields, as the first line, found {}", place_,
                        names_.size(), fields_.size());
  }

  const std::string& text(std::string_view name) const {
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end())
      throw ConfigError("{}: must have a column {}, found none", place_, name);
    return fields_[found - names_.begin()];
  }
  std::int64_t integer(std::string_view name, const IntegerRange& range) const {
    return require_integer(fmt::format("{}, {}", place_, name), text(name), range);
  }
  double positive(std::string_view name) const {
    const auto value = parse_real(text(name));
    if (!value || *value <= 0)
      throw ConfigError("{}, {} must be a number above 0, found {}", place_, name,
                        quote_printable(text(name)));
    return *value;
  }

 private:
  std::string place_;
  const std::vector<std::string>& names_;
  std::vector<std::string> fields_;
};

constexpr IntegerRange kAcceleratorRange{1, 10'000'000};

/// The line rates that names of networks stand for, Gb/s; the first that the text holds counts.
struct NetworkName {
  std::string_view name;
  double gbits;
};
constexpr std::array<NetworkName, 10> kNetworks{{{"NDR400", 400},
                                                 {"NDR200", 200},
                                                 {"HDR200", 200},
                                                 {"HDR100", 100},
                                                 {"800G", 400},  // switches of 800, ports of 400
                                                 {"NDR", 400},
                                                 {"HDR", 200},
                                                 {"EDR", 100},
                                                 {"Slingshot-11", 200},
                                                 {"200Gb", 200}}};
struct RailName {
  std::string_view name;
  int rails;
};
constexpr std::array<RailName, 3> kRails{{{"Octo-rail", 8}, {"Quad-Rail", 4}, {"Dual-rail", 2}}};

/// Sites with the same chip differ by so much on each side of their mean.
constexpr double kSiteDeviation = 0.06;

/// A list tells no grid. The squarest of these ranks, or of up to a fiftieth less, since nobody
/// runs 8 x 127; what is left over counts as idle.
GridShape squarest_grid(int ranks) {
  GridShape best{1, ranks};
  double score = 0;
  for (int used = ranks; used >= ranks - ranks / 50; --used) {
    const GridShape grid = possible_grids(used).back();
    const double share = static_cast<double>(used) / ranks;
    // A grid of 1 : 4 costs a percent or two against a square one.
    const double flatness = std::log2(static_cast<double>(grid.columns) / grid.rows);
    const double value = share - 0.01 * flatness;
    if (value > score) {
      score = value;
      best = grid;
    }
  }
  return best;
}

}  // namespace

std::vector<ListedSystem> parse_list(const std::string& file_name, std::string_view text) {
  std::vector<ListedSystem> systems;
  std::vector<std::string> names;
  int number = 0;
  for (std::string_view line : split_lines(text)) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (names.empty()) {
      names = csv_fields(line);
      continue;
    }
    const CsvLine fields(fmt::format("{} line {}", shown_text(file_name), number), names,
                         csv_fields(line));
    systems.push_back(
        {.name = fields.text("name"),
         .accelerator = fields.text("accelerator"),
         .interconnect = fields.text("interconnect"),
         .accelerators = static_cast<int>(fields.integer("n_acc_derived", kAcceleratorRange)),
         .rmax_tflops = fields.positive("rmax_tf"),
         .order = fields.integer("nmax", {1, kLargestOrder})});
  }
  if (systems.empty())
    throw ConfigError("{}: must hold a line of names and one for each system, found none",
                      shown_text(file_name));
  return systems;
}

std::vector<ListedSheet> read_listed_sheets(const std::string& file_name) {
  std::vector<ListedSheet> sheets;
  const auto document = nlohmann::json::parse(read_json_text(file_name));
  for (const auto& [name, listed] : document.items()) {
    ListedSheet& sheet = sheets.emplace_back();
    sheet.sheet = read_machine_file(name).sheet.value();
    sheet.names = listed.at("names");
    sheet.block_size = listed.at("block_size");
    sheet.host_panels = listed.contains("host_panels");
    for (const auto& run : listed.value("runs", nlohmann::json::array()))
      sheet.runs[run.at("system")] = run.at("accelerators");
  }
  return sheets;
}

void apply_interconnect(MachineSheet& sheet, std::string_view interconnect) {
  for (const NetworkName& network : kNetworks)
    if (interconnect.find(network.name) != std::string_view::npos) {
      sheet.nic_gbits = network.gbits;
      break;
    }
  for (const RailName& rail : kRails)
    if (interconnect.find(rail.name) != std::string_view::npos) sheet.nics_per_node = rail.rails;
}

std::vector<PredictedSystem> predict_systems(const std::vector<ListedSystem>& systems,
                                             const std::vector<ListedSheet>& sheets) {
  std::vector<PredictedSystem> predicted;
  for (const ListedSystem& listed : systems) {
    PredictedSystem& system = predicted.emplace_back();
    system.listed = listed;
    const auto named = std::ranges::find_if(sheets, [&](const ListedSheet& sheet) {
      return std::ranges::find(sheet.names, listed.accelerator) != sheet.names.end();
    });
    if (named == sheets.end()) {
      system.remark = "no data sheet for this accelerator";
      continue;
    }
    MachineSheet sheet = named->sheet;
    apply_interconnect(sheet, listed.interconnect);
    if (const auto run = named->runs.find(listed.name); run != named->runs.end()) {
      system.listed.accelerators = run->second;
      system.remark = fmt::format("run on {} of {}", run->second, listed.accelerators);
    }
    const int accelerators = system.listed.accelerators;
    sheet.nodes = (accelerators + sheet.accelerators_per_node - 1) / sheet.accelerators_per_node;
    const Rates rates = rates_of(sheet);
    RunSpec spec;
    spec.order = listed.order;
    spec.block_size = named->block_size;
    const int ranks = static_cast<int>(std::min<std::int64_t>(
        kAcceleratorRange.most,
        std::int64_t{accelerators} * (sheet.accelerator ? sheet.accelerator->ranks : 1)));
    const GridShape grid = squarest_grid(ranks);
    spec.grid_rows = grid.rows;
    spec.grid_columns = grid.columns;
    // Of the matrix alone: what another program needs beside it is not known.
    const double needed = 8 * static_cast<double>(spec.order) * static_cast<double>(spec.order) /
                          (static_cast<double>(grid.rows) * grid.columns);
    Wishes wishes;
    if (named->host_panels) wishes.panel = PanelRequest::Host;
    if (needed > 1.074 * *rates.memory_bytes) {  // data sheets say GB where they mean GiB
      wishes.matrix = MatrixRequest::Host;
      system.remark += fmt::format("{}{:.0f} GB a rank: the matrix is in host memory",
                                   system.remark.empty() ? "" : "; ", 1e-9 * needed);
    }
    const DecidedRun decided = decided_run(spec, rates, wishes);
    require_affordable(ModelKind::Sampled, decided);
    system.run = decided;
    system.tflops = 1e-3 * predict(ModelKind::Sampled, decided, rates).gflops;
  }
  return predicted;
}

double median_error(const std::vector<PredictedSystem>& systems) {
  std::vector<double> errors;
  for (const PredictedSystem& system : systems)
    if (system.run) errors.push_back(std::abs(system.error()));
  return median(std::move(errors));
}

std::vector<double> median_errors_without_one(const std::vector<PredictedSystem>& systems) {
  std::vector<double> medians;
  for (std::size_t left_out = 0; left_out < systems.size(); ++left_out) {
    std::vector<PredictedSystem> others = systems;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    medians.push_back(median_error(others));
  }
  return medians;
}

std::string systems_text(const std::vector<PredictedSystem>& systems) {
  const std::vector<double> without = median_errors_without_one(systems);
  std::string text =
      fmt::format("{:<36} {:<22} {:>6} {:>9} {:>6} {:>11} {:>11} {:>21} {:>8} {:>10}\n", "system",
                  "accelerator", "count", "P x Q", "NB", "listed", "predicted", "interval",
                  "error, %", "without, %");
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const PredictedSystem& system = systems[i];
    text += fmt::format("{:<36.36} {:<22.22} {:>6} ", system.listed.name, system.listed.accelerator,
                        system.listed.accelerators);
    if (system.run) {
      const RunSpec& spec = system.run->spec;
      text += fmt::format("{:>9} {:>6} {:>11.0f} {:>11.0f} {:>21} {:>8.1f} {:>10.1f}",
                          fmt::format("{} x {}", spec.grid_rows, spec.grid_columns),
                          spec.block_size, system.listed.rmax_tflops, system.tflops,
                          fmt::format("{:.0f} to {:.0f}", (1 - kSiteDeviation) * system.tflops,
                                      (1 + kSiteDeviation) * system.tflops),
                          100 * system.error(), 100 * without[i]);
    } else {
      text += fmt::format("{:>9} {:>6} {:>11.0f} {:>11}", "-", "-", system.listed.rmax_tflops, "-");
    }
    text += system.remark.empty() ? "\n" : fmt::format("  {}\n", system.remark);
  }
  const auto predicted = std::ranges::count_if(
      systems, [](const PredictedSystem& system) { return system.run.has_value(); });
  const auto [least, most] = std::ranges::minmax(without);
  return text + fmt::format(
                    "Rmax in TFLOP/s. {} of {} systems predicted, median error {:.1f} %; {:.1f} "
                    "to {:.1f} % with one of them left out (without).\n",
                    predicted, systems.size(), 100 * median_error(systems), 100 * least,
                    100 * most);
}

}  // namespace hpl::models
