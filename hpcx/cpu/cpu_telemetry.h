#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace hpcx::cpu {

/// The energy that processors count themselves (RAPL, as Linux's powercap shows it): all packages,
/// and memory, which servers count apart. Counters wrap after some minutes to hours; a wrap between
/// two calls is seen, several are not.
class EnergyCounters {
 public:
  explicit EnergyCounters(const std::filesystem::path& powercap);

  /// Energy since the object was made; empty where there is no counter or no right to read it.
  std::optional<double> joules();

 private:
  struct Counter {
    std::filesystem::path file;
    double range = 0;  // microjoules: where it begins at zero again
    double last = 0;
  };

  std::vector<Counter> counters_;
  double microjoules_ = 0;
};

}  // namespace hpcx::cpu
