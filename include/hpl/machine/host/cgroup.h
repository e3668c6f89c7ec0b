#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/machine/host/text_file.h"

namespace hpl {

/// Directories of the control groups that hold this process, innermost first, up to the mount
/// point. Both versions are looked for: a version 1 hierarchy with the controller ("memory",
/// "cpu"), then the unified one of version 2, since mixed systems keep a controller in either. A
/// limit of any of these directories binds the process. Inside a container the path of the process
/// may lie outside what is mounted; then the mount point itself is the group. Reads
/// /proc/self/cgroup and /proc/self/mountinfo.
std::vector<std::string> cgroup_directories(std::string_view controller, const FileReader& read);

/// Processors' worth of time that the control groups grant (cpu.max, or cpu.cfs_quota_us /
/// cpu.cfs_period_us), the least over all levels; empty when unlimited.
std::optional<double> cpu_quota(const FileReader& read = read_text_file);

}  // namespace hpl
