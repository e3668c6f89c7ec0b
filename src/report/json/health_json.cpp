#include "health_json.h"

#include "hpl/report/result/json_values.h"

namespace hpl {

nlohmann::ordered_json health_object(const hpcx::DeviceHealth& health) {
  nlohmann::ordered_json rows = nullptr;
  if (const auto& r = health.remapped_rows)
    rows = {{"after_corrected", r->after_corrected},
            {"after_uncorrected", r->after_uncorrected},
            {"pending", r->pending},
            {"failed", r->failed}};
  return {{"pci_address", health.pci_address},
          {"maximum_clock_mhz", value_or_null(health.maximum_clock_mhz)},
          {"power_limit_watts", value_or_null(health.power_limit_watts)},
          {"default_power_limit_watts", value_or_null(health.default_power_limit_watts)},
          {"ecc", value_or_null(health.ecc)},
          {"corrected_errors", value_or_null(health.corrected_errors)},
          {"uncorrected_errors", value_or_null(health.uncorrected_errors)},
          {"uncorrected_errors_ever", value_or_null(health.uncorrected_errors_ever)},
          {"remapped_rows", std::move(rows)}};
}

}  // namespace hpl
