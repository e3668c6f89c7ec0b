#include "prediction_section.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "chart.h"
#include "format.h"
#include "selection.h"
#include "table.h"

namespace hpl::page {

namespace {

/// Lines differ in so many colours.
constexpr std::size_t kMostLines = 6;

std::string machine_of(const PredictedRun& run) {
  return run.scenario.empty() ? "the machine as it is" : run.scenario;
}

/// What tells a run from the others of the document.
class Labels {
 public:
  explicit Labels(const std::vector<PredictedRun>& runs) {
    const PredictedRun& first = runs.front();
    for (const PredictedRun& run : runs) {
      nodes_ = nodes_ || run.nodes != first.nodes;
      grid_ = grid_ || (run.nodes == first.nodes && grid_of(run) != grid_of(first));
      scenario_ = scenario_ || run.scenario != first.scenario;
      block_size_ = block_size_ || run.block_size != first.block_size;
      model_ = model_ || run.model != first.model;
    }
  }
  std::string of(const PredictedRun& run) const {
    std::string label;
    const auto add = [&](bool differs, const std::string& part) {
      if (differs) label += (label.empty() ? "" : ", ") + part;
    };
    add(nodes_, count_text(static_cast<std::size_t>(run.nodes), "node"));
    add(grid_, fmt::format("{} × {}", run.grid_rows, run.grid_columns));
    add(scenario_, machine_of(run));
    add(block_size_, fmt::format("NB {}", run.block_size));
    add(model_, run.model);
    return label.empty() ? count_text(static_cast<std::size_t>(run.ranks()), "rank") : label;
  }

 private:
  static std::pair<std::int64_t, std::int64_t> grid_of(const PredictedRun& run) {
    return {run.grid_rows, run.grid_columns};
  }
  bool nodes_ = false, grid_ = false, scenario_ = false, block_size_ = false, model_ = false;
};

/// Runs on the same ranks with other N are points of the same curve: the largest of them stands for
/// it.
std::vector<const PredictedRun*> curves_of(const std::vector<PredictedRun>& runs) {
  using Key = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  std::map<Key, const PredictedRun*> largest;
  std::vector<const PredictedRun*> curves;
  for (const PredictedRun& run : runs) {
    if (run.over_order.size() < 2) continue;
    const Key key{run.scenario, run.nodes, run.grid_rows, run.grid_columns, run.block_size};
    const PredictedRun*& known = largest[key];
    if (known == nullptr || run.order > known->order) known = &run;
  }
  for (const PredictedRun& run : runs) {
    const Key key{run.scenario, run.nodes, run.grid_rows, run.grid_columns, run.block_size};
    if (const auto found = largest.find(key); found != largest.end() && found->second == &run)
      curves.push_back(&run);
  }
  return curves;
}

std::string order_chart(const std::vector<PredictedRun>& runs, const Labels& labels) {
  std::vector<const PredictedRun*> curves = curves_of(runs);
  if (curves.empty()) return {};
  const std::size_t all = curves.size();
  if (all > kMostLines) curves.resize(kMostLines);
  double most_rate = 0, most_order = 0;
  for (const PredictedRun* const run : curves) {
    most_order = std::max(most_order, run->over_order.back().first);
    for (const auto& [order, gflops] : run->over_order)
      most_rate = std::max(most_rate, gflops);
  }
  const RateUnit unit = rate_unit(most_rate);
  LineChart chart{.title = "Rate over N",
                  .unit = unit.name,
                  .x_title = "N",
                  .summary = "Predicted rate over the order of the matrix",
                  .x = round_axis(0, most_order),
                  .y = round_axis(0, most_rate / unit.gflops),
                  .lines = {},
                  .bands = {},
                  .levels = {},
                  .point_names = {}};
  if (all > kMostLines) chart.note = fmt::format("the first {} of {} curves", kMostLines, all);
  for (const PredictedRun* const run : curves) {
    LineChart::Line line{.label = labels.of(*run), .points = {}};
    if (run->half_order) line.label += fmt::format(", N1/2 = {}", *run->half_order);
    for (const auto& [order, gflops] : run->over_order)
      line.points.emplace_back(order, gflops / unit.gflops);
    chart.lines.push_back(std::move(line));
  }
  const PredictedRun& first = *curves.front();
  if (curves.size() == 1 && first.half_order)
    chart.levels.push_back({fmt::format("half of the rate, at N1/2 = {}", *first.half_order),
                            first.gflops / 2 / unit.gflops});
  return to_html(chart);
}

/// Of each scenario the best of each number of nodes, where there are several numbers.
std::map<std::string, std::map<std::int64_t, const PredictedRun*>> best_by_nodes(
    const std::vector<PredictedRun>& runs) {
  std::map<std::string, std::map<std::int64_t, const PredictedRun*>> best;
  for (const PredictedRun& run : runs) {
    const PredictedRun*& known = best[run.scenario][run.nodes];
    if (known == nullptr || run.gflops > known->gflops) known = &run;
  }
  std::erase_if(best, [](const auto& scenario) { return scenario.second.size() < 2; });
  return best;
}

std::string node_charts(const std::vector<PredictedRun>& runs) {
  const auto best = best_by_nodes(runs);
  if (best.empty()) return {};
  double most_rate = 0, least_each = INFINITY, most_each = 0, fewest = INFINITY, most_nodes = 0;
  for (const auto& [scenario, by_nodes] : best)
    for (const auto& [nodes, run] : by_nodes) {
      const auto count = static_cast<double>(nodes);
      most_rate = std::max(most_rate, run->gflops);
      const double each = run->gflops / static_cast<double>(run->ranks());
      least_each = std::min(least_each, each);
      most_each = std::max(most_each, each);
      fewest = std::min(fewest, count);
      most_nodes = std::max(most_nodes, count);
    }
  const RateUnit unit = rate_unit(most_rate), each_unit = rate_unit(most_each);
  LineChart whole{.title = "Rate over nodes",
                  .unit = unit.name,
                  .x_title = "nodes",
                  .summary = "Predicted rate over the number of nodes",
                  .x = round_axis(0, most_nodes),
                  .y = round_axis(0, most_rate / unit.gflops),
                  .lines = {},
                  .bands = {},
                  .levels = {},
                  .point_names = {}};
  // Each doubling is as wide as the others.
  LineChart each{.title = "Rate of a rank over nodes",
                 .unit = each_unit.name,
                 .x_title = "doublings of the number of nodes, from one node on",
                 .summary = "Predicted rate of each rank over the number of nodes",
                 .x = round_axis(std::log2(fewest), std::log2(most_nodes)),
                 .y = level_axis(least_each / each_unit.gflops, most_each / each_unit.gflops),
                 .lines = {},
                 .bands = {},
                 .levels = {},
                 .point_names = {}};
  if (each.y.from > 0) each.note = "axis from " + number_text(each.y.from);
  for (const auto& [scenario, by_nodes] : best) {
    if (whole.lines.size() == kMostLines - 1) break;
    LineChart::Line rates{.label = machine_of(*by_nodes.begin()->second), .points = {}};
    LineChart::Line of_each = rates;
    for (const auto& [nodes, run] : by_nodes) {
      const auto count = static_cast<double>(nodes);
      rates.points.emplace_back(count, run->gflops / unit.gflops);
      of_each.points.emplace_back(
          std::log2(count), run->gflops / static_cast<double>(run->ranks()) / each_unit.gflops);
    }
    whole.lines.push_back(std::move(rates));
    each.lines.push_back(std::move(of_each));
  }
  const auto& [nodes, fewest_run] = *best.begin()->second.begin();
  const double one = fewest_run->gflops / static_cast<double>(nodes) / unit.gflops;
  whole.lines.push_back(
      {.label = fmt::format("as on {}", count_text(static_cast<std::size_t>(nodes), "node")),
       .points = {{0, 0}, {most_nodes, one * most_nodes}},
       .faint = true});
  whole.y = round_axis(0, one * most_nodes);
  return to_html(whole) + to_html(each);
}

std::string exposed_chart(const PredictedRun& run, const Labels& labels) {
  RangeChart chart{
      .title = "What products do not hide, " + labels.of(run),
      .unit = fmt::format("seconds of the {} that the run takes", seconds_text(run.seconds)),
      .summary = "Exposed time by phase",
      .x = {},
      .bars = true,
      .rows = {}};
  double most = 0;
  for (const auto& [phase, seconds] : run.exposed) {
    if (!(seconds > 0)) continue;
    const std::string share = percent_text(run.seconds > 0 ? seconds / run.seconds : 0);
    chart.rows.push_back({.label = phase,
                          .text = share,
                          .title = fmt::format("{}: {}, {}", phase, seconds_text(seconds), share),
                          .low = seconds,
                          .middle = seconds,
                          .high = seconds,
                          .dots = {}});
    most = std::max(most, seconds);
  }
  if (chart.rows.empty()) return {};
  chart.x = round_axis(0, most);
  return to_html(chart);
}

std::string run_table(const std::vector<PredictedRun>& runs) {
  std::string rows =
      table_head({"Machine", "Nodes", "P × Q", "N", "NB", "Time", "Rate", "Of the peak", "N1/2",
                  "Energy, kWh", "Products", "Exposed", "Model"});
  for (const PredictedRun& run : runs) {
    const auto share = [&](double seconds) {
      return percent_text(run.seconds > 0 ? seconds / run.seconds : 0);
    };
    double exposed = 0;
    for (const auto& [phase, seconds] : run.exposed)
      exposed += seconds;
    rows += fmt::format(R"(<tr><th scope="row">{}</th>)", escape(machine_of(run)));
    for (const std::string& text :
         {std::to_string(run.nodes), fmt::format("{} × {}", run.grid_rows, run.grid_columns),
          std::to_string(run.order), std::to_string(run.block_size), seconds_text(run.seconds),
          rate_text(run.gflops), run.efficiency ? percent_text(*run.efficiency) : std::string(),
          run.half_order ? std::to_string(*run.half_order) : std::string(),
          run.energy_joules ? number_text(*run.energy_joules / 3.6e6) : std::string(),
          share(run.multiply_seconds), share(exposed), run.model})
      rows += number_cell(text);
    rows += "</tr>\n";
  }
  return scrolled_table("Predicted runs", rows);
}

std::string system_table(const Predictions& predictions) {
  std::string rows = table_head(
      {"System", "Accelerator", "Count", "Listed", "Predicted", "Least", "Most", "Error"});
  const auto rate = [](const std::optional<double>& gflops) {
    return number_cell(gflops ? rate_text(*gflops) : "");
  };
  for (const PredictedSystem& system : predictions.systems) {
    const std::string remark = system.remark.empty() ? "" : ": " + system.remark;
    rows += fmt::format(
        R"(<tr><th scope="row">{}{}</th>{}{}{}{}{}{}{}</tr>)", escape(system.name), escape(remark),
        number_cell(system.accelerator), number_cell(std::to_string(system.accelerators)),
        rate(system.listed_gflops), rate(system.gflops), rate(system.least_gflops),
        rate(system.most_gflops), number_cell(system.error ? percent_text(*system.error) : ""));
    rows += '\n';
  }
  std::string html = scrolled_table("Systems of a list", rows);
  if (predictions.median_error)
    html += fmt::format("<p>Median error {}.</p>", percent_text(*predictions.median_error));
  return html;
}

std::string predictions_text(const Predictions& predictions) {
  std::string html;
  if (!predictions.machine.empty())
    html += fmt::format(
        "<p>{}, by its {}.</p>", escape(predictions.machine),
        escape(predictions.origin == "measured" ? "measured rates" : predictions.origin));
  if (!predictions.runs.empty()) {
    const Labels labels(predictions.runs);
    const auto fastest = std::ranges::max_element(predictions.runs, {}, &PredictedRun::gflops);
    html += R"(<div class="charts">)" + order_chart(predictions.runs, labels) +
            node_charts(predictions.runs) + exposed_chart(*fastest, labels) + "</div>" +
            run_table(predictions.runs);
  }
  if (!predictions.systems.empty()) html += system_table(predictions);
  return html;
}

}  // namespace

bool only_predictions(std::span<const RunFile> files) {
  return std::ranges::all_of(files,
                             [](const RunFile& file) { return file.predictions.has_value(); });
}

std::string prediction_section(std::span<const RunFile> files) {
  const std::vector<std::string> names = short_names(files);
  std::string html;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].predictions) continue;
    if (files.size() > 1) html += fmt::format("<h3>{}</h3>", escape(names[i]));
    html += predictions_text(*files[i].predictions);
  }
  return html.empty() ? html
                      : "<section class=\"predictions\"><h2>Predicted</h2>" + html + "</section>\n";
}

}  // namespace hpl::page
