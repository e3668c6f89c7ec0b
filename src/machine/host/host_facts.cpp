#include "hpl/machine/host/host_facts.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "hpl/base/text/text_value.h"
#include "hpl/machine/host/blas.h"
#include "hpl/machine/host/topology.h"
#include "loaded_libraries.h"

namespace hpl {
namespace {

/// The value of the first line of such a form: "MemTotal:  1234 kB", "NAME="x"".
std::string value_of(const FileReader& read, const char* path, std::string_view name,
                     char separator) {
  const auto text = read(path);
  if (!text) return {};
  for (const std::string_view line : split_lines(*text)) {
    const std::size_t at = line.find(separator);
    if (at == std::string_view::npos || trimmed(line.substr(0, at)) != name) continue;
    std::string_view value = trimmed(line.substr(at + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return {};
}

/// The firmware's word on the machine. Makers leave words there that say nothing.
std::string firmware_value(const FileReader& read, const std::string& name) {
  const auto text = read("/sys/class/dmi/id/" + name);
  std::string value = text ? std::string(trimmed(*text)) : "";
  for (const char* const nothing : {"To Be Filled By O.E.M.", "Default string", "Not Specified",
                                    "None", "System Serial Number"})
    if (value == nothing) value.clear();
  return value;
}

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + " " + second;
}

/// In GiB: hosts of one build differ by a few pages.
std::string memory_text(const FileReader& read) {
  const std::string total = value_of(read, "/proc/meminfo", "MemTotal", ':');
  const auto kib = parse_integer(total.substr(0, total.find(' ')));
  constexpr std::int64_t kKibInGib = 1 << 20;
  return kib ? fmt::format("{} GiB", (*kib + kKibInGib / 2) / kKibInGib) : "";
}

}  // namespace

NamedValues host_facts(const FileReader& read) {
  const auto kernel = read("/proc/sys/kernel/osrelease");
  NamedValues facts{
      {"processor", cpu_model()},
      {"microcode", value_of(read, "/proc/cpuinfo", "microcode", ':')},
      {"memory", memory_text(read)},
      {"system", joined(firmware_value(read, "sys_vendor"), firmware_value(read, "product_name"))},
      {"serial", firmware_value(read, "product_serial")},
      {"board", joined(firmware_value(read, "board_vendor"), firmware_value(read, "board_name"))},
      {"bios", joined(firmware_value(read, "bios_version"), firmware_value(read, "bios_date"))},
      {"kernel", kernel ? std::string(trimmed(*kernel)) : ""},
      {"os", value_of(read, "/etc/os-release", "PRETTY_NAME", '=')},
      {"blas", describe_blas(blas_info(), kernel_choice())}};
  std::ranges::move(loaded_libraries(), std::back_inserter(facts));
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts;
}

}  // namespace hpl
