#include "cpu/energy_counters.h"

#include <string>
#include <system_error>

#include "cpu/system_file.h"

namespace hpcx::cpu {

namespace {

/// Zones of cores and graphics are parts of their package, and "psys" contains it.
bool is_whole(const std::string& zone) {
  return zone.starts_with("package") || zone == "dram";
}

}  // namespace

EnergyCounters::EnergyCounters(const std::filesystem::path& powercap) {
  std::error_code none;
  // "intel-rapl:0" is a package, "intel-rapl:0:1" one of its zones. The same counters appear again
  // as "intel-rapl-mmio:0" on some machines.
  for (const auto& entry : std::filesystem::directory_iterator(powercap, none)) {
    if (!entry.path().filename().string().starts_with("intel-rapl:")) continue;
    if (!is_whole(read_word(entry.path() / "name"))) continue;
    const auto file = entry.path() / "energy_uj";
    if (const auto now = read_number(file))
      counters_.push_back(
          {file, read_number(entry.path() / "max_energy_range_uj").value_or(0), *now});
  }
}

std::optional<double> EnergyCounters::joules() {
  if (counters_.empty()) return std::nullopt;
  for (Counter& counter : counters_) {
    const auto now = read_number(counter.file);
    if (!now) return std::nullopt;
    if (*now >= counter.last)
      microjoules_ += *now - counter.last;
    else if (counter.range > counter.last)
      microjoules_ += counter.range - counter.last + *now;
    counter.last = *now;
  }
  return microjoules_ * 1e-6;
}

}  // namespace hpcx::cpu
