#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/run_spec/field_rules.h"
#include "hpl/lu/grid/grid_shape.h"
#include "hpl/machine/model/search.h"
#include "predicted_runs.h"

namespace hpl {

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

constexpr IntegerRange kAcceleratorRange{1, kMostAccelerators};

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

std::vector<ListedSystem> parse_top500(const std::string& file_name, std::string_view text) {
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

std::vector<MachineSheet> read_sheets(const std::string& directory) {
  std::error_code failure;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failure))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  if (failure)
    throw ConfigError("{}: cannot be read: {}", shown_text(directory), failure.message());
  std::ranges::sort(files);
  std::vector<MachineSheet> sheets;
  for (const std::string& file : files)
    sheets.push_back(parse_machine_sheet(file, read_json_text(file)));
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
                                             const std::vector<MachineSheet>& sheets) {
  std::vector<PredictedSystem> predicted;
  for (const ListedSystem& listed : systems) {
    PredictedSystem system{.name = listed.name,
                           .accelerator = listed.accelerator,
                           .accelerators = listed.accelerators,
                           .listed_tflops = listed.rmax_tflops};
    const auto named = std::ranges::find_if(sheets, [&](const MachineSheet& sheet) {
      return std::ranges::find(sheet.listed.names, listed.accelerator) != sheet.listed.names.end();
    });
    if (named == sheets.end()) {
      system.remark = "no data sheet for this accelerator";
      predicted.push_back(std::move(system));
      continue;
    }
    MachineSheet sheet = *named;
    apply_interconnect(sheet, listed.interconnect);
    for (const ListedMachine::Run& run : sheet.listed.runs)
      if (run.system == listed.name) {
        system.accelerators = run.accelerators;
        system.remark = fmt::format("run on {} of {}", run.accelerators, listed.accelerators);
      }
    sheet.nodes =
        (system.accelerators + sheet.accelerators_per_node - 1) / sheet.accelerators_per_node;
    const Rates rates = rates_of(sheet);
    RunSpec spec;
    spec.order = listed.order;
    spec.block_size = sheet.listed.block_size;
    const int ranks = static_cast<int>(std::min<std::int64_t>(
        kAcceleratorRange.most,
        std::int64_t{system.accelerators} * (sheet.accelerator ? sheet.accelerator->ranks : 1)));
    const GridShape grid = squarest_grid(ranks);
    spec.grid_rows = grid.rows;
    spec.grid_columns = grid.columns;
    // Of the matrix alone: what another program needs beside it is not known.
    const double needed = 8 * static_cast<double>(spec.order) * static_cast<double>(spec.order) /
                          (static_cast<double>(grid.rows) * grid.columns);
    Wishes wishes;
    if (sheet.listed.host_panels) wishes.panel = PanelRequest::Host;
    if (needed > 1.074 * *rates.memory_bytes) {  // data sheets say GB where they mean GiB
      wishes.matrix = MatrixRequest::Host;
      system.remark += fmt::format("{}{:.0f} GB a rank: the matrix is in host memory",
                                   system.remark.empty() ? "" : "; ", 1e-9 * needed);
    }
    const DecidedRun decided = decided_run(spec, rates, wishes);
    require_affordable(ModelKind::Sampled, decided);
    system.run = predicted_run(decided, predict(ModelKind::Sampled, decided, rates));
    system.run->nodes = sheet.nodes;
    system.least_tflops = (1 - kSiteDeviation) * system.run->prediction.tflops();
    system.most_tflops = (1 + kSiteDeviation) * system.run->prediction.tflops();
    predicted.push_back(std::move(system));
  }
  return predicted;
}

}  // namespace hpl
