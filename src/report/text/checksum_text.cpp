#include "checksum_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "hpl/report/result/gates.h"

namespace hpl {
namespace {

std::string place_of(const RunResult& run, int rank) {
  std::string name = rank_name(run, rank);
  for (const DeviceTelemetry& device : run.devices)
    if (device.rank == rank && device.backend != "cpu")
      name += fmt::format(", {} {}", device.backend, device.device_index);
  return name;
}

std::string fault_line(const RunResult& run, const ChecksumFault& fault) {
  const std::string steps =
      fault.first_step == fault.last_step
          ? fmt::format("step {}", fault.last_step)
          : fmt::format("one of the steps {} to {}", fault.first_step, fault.last_step);
  return fmt::format(
      "disagree after {} on {}: {} row(s), the first is row {}, by up to {:.3e} where rounding "
      "stays "
      "below {:.3e}",
      steps, place_of(run, fault.rank), fault.rows, fault.first_row, fault.difference,
      fault.tolerance);
}

}  // namespace

std::vector<std::string> checksum_lines(const RunResult& run) {
  if (!run.checksums) return {};
  const ChecksumResult& result = *run.checksums;
  const std::string again = result.repeated ? "second factorization: " : "";
  if (result.faults.empty())
    return {fmt::format("{}agree, compared every {} step(s)", again, result.interval)};
  // Where it arose; what others saw later came from there.
  const std::int64_t first =
      std::ranges::min(result.faults, {}, &ChecksumFault::last_step).last_step;
  std::vector<std::string> lines;
  for (const ChecksumFault& fault : result.faults)
    if (fault.last_step == first) lines.push_back(again + fault_line(run, fault));
  if (const std::size_t later = result.faults.size() - lines.size(); later > 0)
    lines.push_back(fmt::format("{}disagree later on {} more rank(s)", again, later));
  return lines;
}

}  // namespace hpl
