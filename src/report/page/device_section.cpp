#include <algorithm>

#include <fmt/format.h>

#include "chart.h"
#include "findings.h"
#include "format.h"
#include "hpl/report/result/device_telemetry.h"
#include "sections.h"
#include "spread.h"

namespace hpl::page {

namespace {

/// Up to here every device has a row of its own.
constexpr std::size_t kFewDevices = 24;

struct SensorView {
  const char* title;
  const char* unit;
  std::optional<Sensor> Device::*sensor;
  bool from_zero;
};

/// Sensors show whole units.
std::string sensor_text(double value) {
  return fmt::format("{:.0f}", value);
}

std::string device_name(const Device& device) {
  return fmt::format("{}, {} {}", device.host, device.backend, device.index);
}

using Devices = std::vector<const Device*>;

Devices with_sensor(const Devices& devices, const SensorView& view) {
  Devices found;
  for (const Device* device : devices)
    if (device->*view.sensor) found.push_back(device);
  return found;
}

Axis axis_of(const Devices& devices, const SensorView& view) {
  double least = (*(devices.front()->*view.sensor)).minimum;
  double most = (*(devices.front()->*view.sensor)).maximum;
  for (const Device* device : devices) {
    least = std::min(least, (*(device->*view.sensor)).minimum);
    most = std::max(most, (*(device->*view.sensor)).maximum);
  }
  return round_axis(view.from_zero ? std::min(0.0, least) : least, most);
}

bool stands_out(const Device& device, const SensorView& view, double median) {
  const Sensor& sensor = *(device.*view.sensor);
  if (view.sensor == &Device::temperature) return sensor.maximum > kHotCelsius;
  return view.sensor == &Device::clock && sensor.mean < (1 - kSlowClockFraction) * median;
}

std::string few(const Devices& devices, const SensorView& view, const Spread& means) {
  RangeChart chart{
      .title = view.title,
      .unit = fmt::format("{}; line: from least to most, mark: mean", view.unit),
      .summary = fmt::format("{} of {}", view.title, count_text(devices.size(), "device")),
      .x = axis_of(devices, view),
      .rows = {}};
  for (const Device* device : devices) {
    const Sensor& sensor = *(device->*view.sensor);
    chart.rows.push_back(
        {.label = device_name(*device),
         .text = sensor_text(sensor.mean),
         .title = fmt::format("{} ({}): mean {} {}, from {} to {}", device_name(*device),
                              device->name, sensor_text(sensor.mean), view.unit,
                              sensor_text(sensor.minimum), sensor_text(sensor.maximum)),
         .low = sensor.minimum,
         .middle = sensor.mean,
         .high = sensor.maximum,
         .dots = {},
         .marked = stands_out(*device, view, means.median)});
  }
  return to_html(chart);
}

/// All devices in the order of their ranks: a band and a line, however many there are.
std::string many(const Devices& devices, const SensorView& view, const Spread& means) {
  LineChart chart{
      .title = view.title,
      .unit = view.unit,
      .x_title = fmt::format("{} devices in the order of their ranks", devices.size()),
      .summary = fmt::format("{} of {} devices: means from {} to {}, median {} {}", view.title,
                             devices.size(), sensor_text(means.minimum), sensor_text(means.maximum),
                             sensor_text(means.median), view.unit),
      .x = exact_axis(0, static_cast<double>(devices.size() - 1)),
      .y = axis_of(devices, view),
      .lines = {{.label = "mean", .points = {}}},
      .bands = {{.label = "from least to most", .lower = {}, .upper = {}}},
      .levels = {{"median", means.median}},
      .point_names = {}};
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Sensor& sensor = *(devices[i]->*view.sensor);
    const auto x = static_cast<double>(i);
    chart.lines[0].points.emplace_back(x, sensor.mean);
    chart.bands[0].lower.emplace_back(x, sensor.minimum);
    chart.bands[0].upper.emplace_back(x, sensor.maximum);
    chart.point_names.push_back(device_name(*devices[i]));
  }
  return to_html(chart);
}

std::string sensor_chart(const Devices& all, const SensorView& view) {
  const Devices devices = with_sensor(all, view);
  if (devices.empty()) return {};
  std::vector<double> means;
  for (const Device* device : devices)
    means.push_back((*(device->*view.sensor)).mean);
  const Spread spread = spread_of(means);
  return devices.size() > kFewDevices ? many(devices, view, spread) : few(devices, view, spread);
}

}  // namespace

std::string device_section(const Run& run, bool findings) {
  const Devices devices = distinct_devices(run);
  const SensorView kViews[] = {{"Clock", "MHz", &Device::clock, false},
                               {"Power", "W", &Device::power, true},
                               {"Temperature", "°C", &Device::temperature, false}};
  std::string charts;
  for (const SensorView& view : kViews)
    charts += sensor_chart(devices, view);
  if (charts.empty()) return {};
  std::string html = R"(<h3>Devices</h3>)";
  if (findings && !run.device_findings.empty()) {
    html += "<ul class=\"notes\">";
    for (const std::string& finding : run.device_findings)
      html += "<li>" + escape(finding) + "</li>";
    html += "</ul>";
  }
  return html + R"(<div class="charts">)" + charts + "</div>";
}

}  // namespace hpl::page
