#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "chart.h"
#include "expectation_part.h"
#include "findings.h"
#include "format.h"
#include "power_part.h"
#include "rate_history.h"
#include "sections.h"
#include "spread.h"

namespace hpl::page {

namespace {

/// Up to here every rank has its own dot and its own line in the table.
constexpr std::size_t kFewRanks = 16;
constexpr std::size_t kTableRanks = 64;
constexpr std::size_t kOutlyingRanks = 16;

std::string rate_chart(const Run& run) {
  const RateHistory history = rate_history(run);
  if (history.points.size() < 2) return {};
  double most = run.attainable_gflops.value_or(0), least = history.points.front().interval;
  for (const RateHistory::Point& point : history.points) {
    most = std::max(most, point.interval);
    least = std::min(least, point.interval);
  }
  const RateUnit unit = rate_unit(most);
  const Axis y = level_axis(least / unit.gflops, most / unit.gflops);
  LineChart chart{.title = "Rate over time",
                  .unit = unit.name,
                  .x_title = "seconds",
                  .summary = fmt::format("Rate over the {} of the factorization",
                                         seconds_text(history.seconds)),
                  .x = exact_axis(0, history.seconds),
                  .y = y,
                  .lines = {{.label = "of the moment", .points = {}},
                            {.label = "since the start", .points = {}, .faint = true}},
                  .bands = {},
                  .levels = {},
                  .point_names = {}};
  if (y.from > 0) chart.note = "axis from " + number_text(y.from);
  for (const RateHistory::Point& point : history.points) {
    chart.lines[0].points.emplace_back(point.seconds, point.interval / unit.gflops);
    chart.lines[1].points.emplace_back(point.seconds, point.overall / unit.gflops);
  }
  if (run.attainable_gflops)
    chart.levels.push_back({"matrix products", *run.attainable_gflops / unit.gflops});
  return to_html(chart);
}

RangeChart::Row phase_row(const Run& run, const PhaseTime& phase) {
  std::vector<double> seconds = phase.rank_seconds;
  if (seconds.empty()) seconds = {phase.minimum, phase.maximum};
  const Spread spread = spread_of(seconds);
  const double share = run.seconds.value_or(0) > 0 ? spread.median / *run.seconds : 0;
  std::string title = fmt::format("{}: {} ({} of the run)", phase.name, seconds_text(spread.median),
                                  percent_text(share));
  if (phase.maximum > phase.minimum) {
    title += fmt::format(", median of the ranks; from {} ({}) to {} ({})",
                         seconds_text(phase.minimum), rank_name(run, phase.minimum_rank),
                         seconds_text(phase.maximum), rank_name(run, phase.maximum_rank));
  }
  const bool many = phase.rank_seconds.size() > kFewRanks;
  return {
      .label = phase.name,
      .text = percent_text(share),
      .title = title,
      .low = spread.minimum,
      .middle = spread.median,
      .high = spread.maximum,
      .low_quartile = many ? spread.low_quartile : 0,
      .high_quartile = many ? spread.high_quartile : 0,
      .dots = many || phase.rank_seconds.size() < 2 ? std::vector<double>() : phase.rank_seconds};
}

std::string phase_chart(const Run& run) {
  const auto idle = [](const PhaseTime& phase) { return !(phase.maximum > 0); };
  if (std::all_of(run.phases.begin(), run.phases.end(), idle)) return {};
  double most = run.seconds.value_or(0);
  std::size_t ranks = 1;
  for (const PhaseTime& phase : run.phases) {
    most = std::max(most, phase.maximum);
    ranks = std::max(ranks, phase.rank_seconds.size());
  }
  RangeChart chart{
      .title = "Where the time went",
      .unit = ranks == 1 ? "seconds"
              : ranks > kFewRanks
                  ? fmt::format("seconds; bar: median, box: half of the {} ranks, line: all", ranks)
                  : fmt::format("seconds; bar: median, dots: the {} ranks", ranks),
      .summary = "Seconds of every phase over the ranks",
      .x = round_axis(0, most),
      .bars = true,
      .rows = {}};
  for (const PhaseTime& phase : run.phases)
    if (!idle(phase)) chart.rows.push_back(phase_row(run, phase));
  return to_html(chart);
}

/// How far a rank is from the median of a phase, as a share of the run, worst phase first.
double deviation(const Run& run, const std::vector<double>& medians, std::size_t rank) {
  double worst = 0;
  for (std::size_t i = 0; i < run.phases.size(); ++i)
    if (rank < run.phases[i].rank_seconds.size())
      worst = std::max(worst, std::abs(run.phases[i].rank_seconds[rank] - medians[i]));
  return worst;
}

/// 0 to 4: how strongly a cell is coloured.
int heat(const Run& run, double seconds, double median) {
  const double run_seconds = run.seconds.value_or(0);
  if (run_seconds <= 0 || seconds <= median) return 0;
  const double share = (seconds - median) / run_seconds;
  return share > 0.1 ? 4 : share > 0.05 ? 3 : share > 0.02 ? 2 : share > 0.01 ? 1 : 0;
}

std::string rank_table(const Run& run) {
  std::size_t ranks = 0;
  std::vector<double> medians;
  for (const PhaseTime& phase : run.phases) {
    ranks = std::max(ranks, phase.rank_seconds.size());
    medians.push_back(spread_of(phase.rank_seconds).median);
  }
  if (ranks < 2) return {};
  std::vector<std::size_t> shown(ranks);
  std::iota(shown.begin(), shown.end(), 0);
  if (ranks > kTableRanks) {
    std::partial_sort(shown.begin(), shown.begin() + kOutlyingRanks, shown.end(),
                      [&](std::size_t a, std::size_t b) {
                        return deviation(run, medians, a) > deviation(run, medians, b);
                      });
    shown.resize(kOutlyingRanks);
  }
  const std::string name =
      shown.size() < ranks
          ? fmt::format("The {} of {} ranks furthest from the median, seconds", shown.size(), ranks)
          : "Seconds of every rank";
  std::string html = fmt::format(
      R"(<details class="ranks"><summary>{0}</summary><div class="scroll tall" tabindex="0" role="region" aria-label="{0}"><table><thead><tr><th scope="col">Rank</th>)",
      escape(name));
  for (const PhaseTime& phase : run.phases)
    html += fmt::format(R"(<th scope="col" class="n">{}</th>)", escape(phase.name));
  if (!run.rank_gflops.empty()) html += R"(<th scope="col" class="n">products, GFLOP/s</th>)";
  if (!run.rank_attainable_gflops.empty())
    html += R"(<th scope="col" class="n">alone, GFLOP/s</th>)";
  html += "</tr></thead><tbody>\n";
  for (const std::size_t rank : shown) {
    html += fmt::format(R"(<tr><th scope="row">{}</th>)",
                        escape(rank_name(run, static_cast<std::int64_t>(rank))));
    for (std::size_t i = 0; i < run.phases.size(); ++i) {
      const bool known = rank < run.phases[i].rank_seconds.size();
      const double seconds = known ? run.phases[i].rank_seconds[rank] : 0;
      html += fmt::format(R"(<td class="n h{}">{}</td>)", heat(run, seconds, medians[i]),
                          known ? fmt::format("{:.3f}", seconds) : "");
    }
    for (const std::vector<double>* const rates : {&run.rank_gflops, &run.rank_attainable_gflops}) {
      if (rates->empty()) continue;
      html += fmt::format(R"(<td class="n">{}</td>)",
                          rank < rates->size() ? number_text((*rates)[rank]) : "");
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div></details>";
}

std::string transport_text(const std::optional<Transport>& transport, const char* where) {
  if (!transport || transport->ranks < 2 || transport->name.empty()) return {};
  std::string text = fmt::format("{} along the process {}", transport->name, where);
  if (transport->gigabytes_per_second)
    text += fmt::format(" at {:.3g} GB/s each way", *transport->gigabytes_per_second);
  return text;
}

std::string transports(const Run& run) {
  const std::string row = transport_text(run.row_transport, "row");
  const std::string column = transport_text(run.column_transport, "column");
  if (row.empty() && column.empty()) return {};
  return fmt::format("<p class=\"variant\">Messages: {}{}{}.</p>", escape(row),
                     row.empty() || column.empty() ? "" : ", ", escape(column));
}

}  // namespace

std::string run_section(const Group& group, bool open, bool alone) {
  const Run& run = group.best();
  const std::string charts = rate_chart(run) + phase_chart(run);
  const std::string devices = device_section(run, !alone);
  std::string html =
      alone
          ? "<section class=\"run\">"
          : fmt::format(R"(<details class="run"{}><summary><h2>{}</h2><span>{}{}</span></summary>)",
                        open ? " open" : "", escape(group.label),
                        run.gflops ? rate_text(*run.gflops) : "no rate",
                        group.runs.size() > 1 ? ", the fastest repetition" : "");
  if (!run.description.empty()) {
    html += fmt::format(R"(<p class="variant"><code>{}</code> {}</p>)", escape(run.variant),
                        escape(run.description));
  }
  html += transports(run);
  for (const std::string& line : run.checksums)
    html += fmt::format(R"(<p class="variant">Checksums: {}.</p>)", escape(line));
  for (const std::string& remark : run.remarks)
    html += fmt::format(R"(<p class="remark">{}</p>)", escape(remark));
  if (charts.empty() && devices.empty())
    html += "<p>The file holds neither steps nor phases of this run.</p>";
  html += R"(<div class="charts">)" + charts + "</div>" + expectation_part(run) + rank_table(run) +
          devices + power_part(run);
  return html + (alone ? "</section>\n" : "</details>\n");
}

}  // namespace hpl::page
