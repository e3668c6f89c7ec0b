#include "hpl/report/result/job_machine.h"

#include <fmt/format.h>

#include "hpl/base/record/record.h"
#include "hpl/base/record/text_forms.h"
#include "hpl/base/text/quantity.h"

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

namespace {

constexpr Limits kRank{.minimum = 0, .maximum = kMostRanks - 1};

}  // namespace

void describe(Record& record, JobResources& resources) {
  record.type("resources", "the part of the machine that the job has");
  record("ranks", resources.ranks, {}, kNotZero);
  record("nodes", resources.nodes, {}, kNotZero);
  record("threads_per_rank", resources.threads_per_rank, "compute threads on the host", kNotZero);
  record("cores_per_rank", resources.cores_per_rank, "cores for its threads, on rank 0", kCount);
}

std::string to_string(const JobResources& resources) {
  return fmt::format("{} on {}, {} each", resources.ranks, count_text(resources.nodes, "node"),
                     count_text(resources.threads_per_rank, "compute thread"));
}

void describe(Record& record, JobDevice& device) {
  record("rank", device.rank, "Of the job, the lowest that uses the device.", kRank);
  record("host", device.host);
  record("backend", device.backend, "cpu, cuda, hip");
  record("index", device.index, "Among the host's devices of that back end.", kCount);
  record("model", device.model);
  record("serial", device.identity.serial, "Of the board; empty as other texts that are unknown.");
  record("uuid", device.identity.uuid);
  record("firmware", device.identity.firmware, "Version of what the board starts with (VBIOS).");
  record("driver", device.identity.driver);
  describe(record, device.health);
  record.type("job_device");
}

void describe(Record& record, JobHost& host) {
  record.type("job_host");
  record("name", host.name);
  record("ranks", host.ranks, {}, kRank);
  record("devices", host.devices, "That it shows, of the back end that the job uses.", kCount);
  record("out", host.why_out, kTextOrNull, "Why ranks of it took no part, or not to the end.");
  record("facts", host.facts,
         "Software and firmware, by the same names on every host: processor, cores, memory, "
         "kernel, system, board, bios, blas, mpi, driver, program.");
}

}  // namespace hpl
