#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "fleet_parts.h"
#include "format.h"
#include "hpl/base/number/statistics.h"

namespace hpl::page {

namespace {

/// Of hosts, by which each is compared with its peers; 0 of fewer than two.
double usual_efficiency(const FleetPower& power) {
  std::vector<double> values;
  for (const FleetMeter& meter : power.meters)
    if (!meter.host.empty() && meter.gflops_per_watt) values.push_back(*meter.gflops_per_watt);
  return values.size() < 2 ? 0 : median(values);
}

std::string meter_row(const FleetMeter& meter, double usual) {
  std::string deviation;
  int shade = 0;
  if (usual > 0 && !meter.host.empty() && meter.gflops_per_watt) {
    const double below = 100 * (1 - *meter.gflops_per_watt / usual);
    deviation = deviation_text(below);
    shade = heat(below);
  }
  return fmt::format(
      R"(<tr><th scope="row">{}</th><td class="n">{:.1f}</td><td class="n">{}</td><td class="n">{}</td><td class="n h{}">{}</td><td class="n">{:.1f}</td><td class="n">{}</td><td class="n">{:.1f} s</td></tr>)"
      "\n",
      meter.host.empty() ? "All" : escape(meter.host), meter.watts, energy_text(meter.joules),
      meter.gflops_per_watt ? fmt::format("{:.4g}", *meter.gflops_per_watt) : "", shade, deviation,
      meter.core_seconds, meter.samples, meter.longest_gap);
}

}  // namespace

std::string fleet_power_part(const FleetReport& fleet) {
  if (!fleet.power) return {};
  const FleetPower& power = *fleet.power;
  std::string html = fmt::format(
      R"(<h3>Power</h3><p class="variant">Meter: {}. {} of the EE HPC WG's methodology.</p>)",
      escape(power.source),
      power.level > 0 ? fmt::format("Level {} of 3", power.level) : "No level");
  for (const std::string& remark : power.remarks)
    html += fmt::format(R"(<p class="remark">Power meter: {}</p>)", escape(remark));
  html +=
      R"(<div class="scroll tall" tabindex="0" role="region" aria-label="Power of the fleet"><table><thead><tr>)"
      R"(<th scope="col">Host</th><th scope="col" class="n">Average, W</th>)"
      R"(<th scope="col" class="n">Energy</th><th scope="col" class="n">GFLOP/s per W</th>)"
      R"(<th scope="col" class="n">Against the median, percent</th><th scope="col" class="n">Runs, s</th>)"
      R"(<th scope="col" class="n">Samples</th><th scope="col" class="n">Longest gap</th></tr></thead><tbody>)"
      "\n";
  const double usual = usual_efficiency(power);
  for (const FleetMeter& meter : power.meters)
    html += meter_row(meter, usual);
  html += "</tbody></table></div>";
  if (power.missing.empty()) return html;
  html += R"(<p class="left">Missing for the next level:</p><ul class="notes">)";
  for (const std::string& missing : power.missing)
    html += fmt::format("<li>{}</li>", escape(missing));
  return html + "</ul>";
}

}  // namespace hpl::page
