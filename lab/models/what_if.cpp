#include "what_if.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

namespace hpl::models {

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

/// "<number><unit>", the unit as asked for; without one the number is meant in it.
double number_with_unit(std::string_view change, std::string_view value, std::string_view unit) {
  std::string_view digits = value;
  if (digits.ends_with(unit)) digits.remove_suffix(unit.size());
  const auto number = parse_real(digits);
  if (!number || *number <= 0)
    throw ConfigError("--what-if {}: must be a number above 0 with the unit {}, found {}",
                      quote_printable(change), unit, quote_printable(value));
  return *number;
}

constexpr IntegerRange kCountRange{1, 1'000'000};

/// The members that can be changed, and their places.
struct Change {
  std::string_view unit;
  std::function<void(MachineSheet&, double)> of_sheet;  ///< null: only of rates
  std::function<void(Rates&, double)> of_rates;         ///< null: only of a sheet
};

RateTable scaled(const RateTable& table, double factor) {
  std::vector<double> values = table.values();
  for (double& value : values)
    value *= factor;
  return {table.axes(), std::move(values)};
}

void replace_link(Rates& rates, LinkPlace place, double gbytes) {
  double latency = 3e-6;
  for (const LinkRates& link : rates.links)
    if (link.place == place) latency = link.seconds.values().front();
  std::erase_if(rates.links, [&](const LinkRates& link) { return link.place == place; });
  rates.links.push_back(
      {.place = place, .transport = "what-if", .seconds = message_table(latency, gbytes)});
}

const std::map<std::string_view, Change>& changes() {
  static const std::map<std::string_view, Change> kChanges{
      {"nic",
       {"Gb", [](MachineSheet& sheet, double value) { sheet.nic_gbits = value; },
        [](Rates& rates, double value) {
          replace_link(rates, LinkPlace::BetweenNodes, 0.85 * value / 8);
        }}},
      {"nics",
       {"",
        [](MachineSheet& sheet, double value) {
          sheet.nics_per_node = std::max(1, static_cast<int>(value));
        },
        {}}},
      {"link",
       {"GB", [](MachineSheet& sheet, double value) { sheet.in_node_gbytes = value; },
        [](Rates& rates, double value) { replace_link(rates, LinkPlace::InNode, value); }}},
      {"memory",
       {"GB",
        [](MachineSheet& sheet, double value) {
          (sheet.accelerator ? sheet.accelerator->memory_bytes : sheet.host.memory_bytes) =
              1e9 * value;
        },
        [](Rates& rates, double value) { rates.memory_bytes = 1e9 * value; }}},
      {"dgemm",
       {"x",
        [](MachineSheet& sheet, double value) {
          if (!sheet.accelerator)
            sheet.host.product_gflops *= value;
          else
            for (double& gflops : sheet.accelerator->product_gflops)
              gflops *= value;
        },
        [](Rates& rates, double value) {
          rates.product_gflops = scaled(rates.product_gflops, value);
          rates.solve_gflops = scaled(rates.solve_gflops, value);
        }}},
      {"accelerators",
       {"",
        [](MachineSheet& sheet, double value) {
          sheet.accelerators_per_node = std::max(1, static_cast<int>(value));
        },
        {}}},
  };
  return kChanges;
}

}  // namespace

void apply_what_if(MachineFile& machine, std::string_view change) {
  const std::size_t sign = change.find('=');
  const auto found =
      sign == std::string_view::npos ? changes().end() : changes().find(change.substr(0, sign));
  if (found == changes().end()) {
    std::string allowed;
    std::size_t index = 0;
    for (const auto& [name, what] : changes()) {
      allowed += list_separator(index++, changes().size());
      allowed += fmt::format("{}=NUMBER{}", name, what.unit);
    }
    throw ConfigError("--what-if must be {}, found {}", allowed, quote_printable(change));
  }
  const Change& what = found->second;
  if (what.unit.empty())  // a number of things
    require_integer(fmt::format("--what-if {}", change.substr(0, sign)), change.substr(sign + 1),
                    kCountRange);
  const double value = number_with_unit(change, change.substr(sign + 1), what.unit);
  if (machine.sheet && what.of_sheet) {
    what.of_sheet(*machine.sheet, value);
    machine.rates = rates_of(*machine.sheet);
  } else if (what.of_rates) {
    what.of_rates(machine.rates, value);
  } else {
    throw ConfigError(
        "--what-if {}: measured rates have no such value; it needs a machine's data sheet", change);
  }
}

}  // namespace hpl::models
