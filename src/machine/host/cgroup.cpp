#include "hpl/machine/host/cgroup.h"

#include <algorithm>

#include "hpl/base/text/text_value.h"

namespace hpl {
namespace {

struct Mount {
  std::string root;   ///< directory of the hierarchy that is mounted
  std::string point;  ///< its mount point
};

/// Line of mountinfo: id parent device root point options [optional...] - type source super-options
/// (proc(5)).
std::optional<Mount> find_mount(std::string_view mountinfo, std::string_view type,
                                std::string_view controller) {
  for (const auto line : split_lines(mountinfo)) {
    const auto words = split_words(line);
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (dash - words.begin() < 6 || words.end() - dash < 4 || dash[1] != type) continue;
    const auto options = split_fields(dash[3], ",");
    if (controller.empty() ||
        std::find(options.begin(), options.end(), controller) != options.end()) {
      return Mount{.root = std::string(words[3]), .point = std::string(words[4])};
    }
  }
  return std::nullopt;
}

/// Line of /proc/self/cgroup: id:controllers:path; version 2 has no controllers (cgroups(7)).
std::optional<std::string> find_path(std::string_view membership, std::string_view controller) {
  for (const auto line : split_lines(membership)) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const auto names = split_fields(line.substr(first + 1, second - first - 1), ",");
    if (std::find(names.begin(), names.end(), controller) != names.end())
      return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

std::string path_below_root(const std::string& path, const std::string& root) {
  if (path.rfind("/..", 0) == 0) return "/";
  if (root == "/") return path;
  const bool inside =
      path.rfind(root, 0) == 0 && (path.size() == root.size() || path[root.size()] == '/');
  return inside ? path.substr(root.size()) : "/";
}

void append_levels(const Mount& mount, const std::string& path,
                   std::vector<std::string>& directories) {
  std::string below = path_below_root(path, mount.root);
  while (!below.empty() && below.back() == '/')
    below.pop_back();
  for (; !below.empty(); below.resize(below.rfind('/')))
    directories.push_back(mount.point + below);
  directories.push_back(mount.point);
}

/// Quota over period, both in microseconds; "max" and negative quotas are no limit.
std::optional<double> quota_of(std::string_view quota, std::string_view period) {
  const auto granted = parse_integer(trimmed(quota));
  const auto interval = parse_integer(trimmed(period));
  if (!granted || !interval || *granted <= 0 || *interval <= 0) return std::nullopt;
  return static_cast<double>(*granted) / static_cast<double>(*interval);
}

std::optional<double> quota_of_level(const std::string& directory, const FileReader& read) {
  if (const auto unified = read(directory + "/cpu.max")) {
    const auto words = split_words(*unified);
    return words.size() == 2 ? quota_of(words[0], words[1]) : std::nullopt;
  }
  const auto quota = read(directory + "/cpu.cfs_quota_us");
  const auto period = read(directory + "/cpu.cfs_period_us");
  return quota && period ? quota_of(*quota, *period) : std::nullopt;
}

}  // namespace

std::vector<std::string> cgroup_directories(std::string_view controller, const FileReader& read) {
  std::vector<std::string> directories;
  const auto membership = read("/proc/self/cgroup");
  const auto mountinfo = read("/proc/self/mountinfo");
  if (!membership || !mountinfo) return directories;
  for (const bool unified : {false, true}) {
    const auto name = unified ? std::string_view{} : controller;
    const auto mount = find_mount(*mountinfo, unified ? "cgroup2" : "cgroup", name);
    const auto path = find_path(*membership, name);
    if (mount && path) append_levels(*mount, *path, directories);
  }
  return directories;
}

std::optional<double> cpu_quota(const FileReader& read) {
  std::optional<double> least;
  for (const auto& directory : cgroup_directories("cpu", read)) {
    const auto quota = quota_of_level(directory, read);
    if (quota && (!least || *quota < *least)) least = quota;
  }
  return least;
}

}  // namespace hpl
