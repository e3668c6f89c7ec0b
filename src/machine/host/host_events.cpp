#include "hpl/machine/host/host_events.h"

#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <system_error>
#include <vector>

namespace hpl {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> entries(const fs::path& parent) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(parent, none))
    found.push_back(entry.path());
  return found;
}

/// The sum over files of these names in the directories; empty if no file can be read.
std::optional<std::int64_t> sum(const std::vector<fs::path>& directories,
                                std::initializer_list<const char*> names) {
  std::optional<std::int64_t> total;
  for (const fs::path& directory : directories)
    for (const char* const name : names) {
      std::ifstream file(directory / name);
      if (std::int64_t count = 0; file >> count) total = total.value_or(0) + count;
    }
  return total;
}

}  // namespace

hpcx::EventCounts host_events(const fs::path& system) {
  hpcx::EventCounts events;
  const auto add = [&](const char* name, const std::vector<fs::path>& directories,
                       std::initializer_list<const char*> files) {
    if (!directories.empty()) events.counts.emplace_back(name, sum(directories, files));
  };
  std::vector<fs::path> controllers, ports;
  for (const fs::path& entry : entries(system / "devices/system/edac/mc"))
    if (entry.filename().string().starts_with("mc")) controllers.push_back(entry);
  for (const fs::path& adapter : entries(system / "class/infiniband"))
    for (const fs::path& port : entries(adapter / "ports"))
      ports.push_back(port / "counters");
  add("uncorrected_memory", controllers, {"ue_count"});
  add("corrected_memory", controllers, {"ce_count"});
  add("nic_link_downs", ports, {"link_downed", "link_error_recovery"});
  add("nic_errors", ports,
      {"symbol_error", "port_rcv_errors", "port_rcv_remote_physical_errors",
       "local_link_integrity_errors", "excessive_buffer_overrun_errors"});
  add("nic_discards", ports, {"port_xmit_discards"});
  add("nic_waits", ports, {"port_xmit_wait"});
  return events;
}

}  // namespace hpl
