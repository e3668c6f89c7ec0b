#include "hpl/report/result/device_health.h"

#include "hpl/base/record/text_forms.h"

namespace hpl {

void describe(Record& record, hpcx::RemappedRows& rows) {
  record("after_corrected", rows.after_corrected, "by errors that ECC had mended", kCount);
  record("after_uncorrected", rows.after_uncorrected, "by errors that ECC had not mended", kCount);
  record("pending", rows.pending, "a row waits for a reset of the device");
  record("failed", rows.failed, "no spare row was left");
}

void describe(Record& record, hpcx::DeviceHealth& health) {
  record.type("health", "Condition and settings of the device; null where it does not tell.");
  record("pci_address", health.pci_address, "empty for what is on no such bus");
  record("maximum_clock_mhz", health.maximum_clock_mhz);
  record("power_limit_watts", health.power_limit_watts, "that it is held to");
  record("default_power_limit_watts", health.default_power_limit_watts, "that its maker set");
  record("ecc", health.ecc, "memory errors are found and mended");
  record("corrected_errors", health.corrected_errors, "of memory, since the driver was loaded");
  record("uncorrected_errors", health.uncorrected_errors, "of memory, since the driver was loaded");
  record("uncorrected_errors_ever", health.uncorrected_errors_ever);
  record("remapped_rows", health.remapped_rows, "replaced by spare rows of memory");
}

}  // namespace hpl
