#include "hpl/machine/host/host_facts.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/text/text_value.h"
#include "hpl/machine/host/blas.h"
#include "hpl/machine/host/processor.h"
#include "hpl/machine/host/topology.h"

namespace hpl {
namespace {

/// The value of the first line of such a form: "MemTotal:  1234 kB", "NAME="x"".
std::string value_of(const FileReader& read, const char* path, std::string_view name,
                     char separator) {
  const auto text = read(path);
  if (!text) return {};
  std::string_view value = keyed_value(*text, name, separator);
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    value = value.substr(1, value.size() - 2);
  return std::string(value);
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

/// The processor packages of the host and the cores of all of them; 0: unknown.
std::pair<std::size_t, std::size_t> sockets_and_cores(const FileReader& read) {
  const std::string directory = "/sys/devices/system/cpu/";
  const std::string present = read(directory + "present").value_or("");  // "0-63"
  const auto last = parse_integer(trimmed(present.substr(present.find_last_of("-,") + 1)));
  std::set<std::string> sockets;
  std::set<std::pair<std::string, std::string>> cores;
  for (std::int64_t cpu = 0; last && cpu <= *last; ++cpu) {
    const std::string topology = fmt::format("{}cpu{}/topology/", directory, cpu);
    const auto socket = read(topology + "physical_package_id");
    const auto core = read(topology + "core_id");
    if (!socket || !core) continue;  // it is switched off
    sockets.insert(*socket);
    cores.insert({*socket, *core});
  }
  return {sockets.size(), cores.size()};
}

/// Empty for 0 and what is unknown.
template <typename Number>
std::string number_text(Number number, const char* unit = "") {
  return number > 0 ? fmt::format("{:.0f}{}", static_cast<double>(number), unit) : "";
}

/// Their names up to the version: those of any build of a BLAS, of MPI and of devices.
constexpr std::array<std::string_view, 14> kLibraryNames{
    "libopenblas", "libblas",     "libblis", "libmkl_rt",  "libmkl_core", "libmpi",      "libnccl",
    "libcublas",   "libcublasLt", "libcuda", "librocblas", "librccl",     "libamdhip64", "libucp"};

/// The build-id in the notes of a program header: entries of three words (bytes of the owner's
/// name, bytes of the description, type) and of both, each padded to four bytes.
std::string build_id_in(const std::byte* notes, std::size_t bytes) {
  const auto padded = [](std::size_t count) { return (count + 3) / 4 * 4; };
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes + at, sizeof head);
    const std::size_t name = at + sizeof head;
    const std::size_t description = name + padded(head.n_namesz);
    if (description + head.n_descsz > bytes) break;
    const bool is_gnu = head.n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0;
    if (is_gnu && head.n_type == NT_GNU_BUILD_ID) {
      const auto* const id = reinterpret_cast<const unsigned char*>(notes + description);
      return fmt::format("{:02x}", fmt::join(id, id + head.n_descsz, ""));
    }
    at = description + padded(head.n_descsz);
  }
  return {};
}

std::string build_id_of(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto* const notes = reinterpret_cast<const std::byte*>(object.dlpi_addr + part.p_vaddr);
    if (std::string id = build_id_in(notes, part.p_memsz); !id.empty()) return id;
  }
  return {};
}

int add_fact(dl_phdr_info* object, std::size_t, void* facts) {
  auto& all = *static_cast<NamedValues*>(facts);
  const std::string id = build_id_of(*object);
  const std::string path = object->dlpi_name;
  if (all.empty()) {  // the program is the first
    all.emplace_back("build-id", id);
    return 0;
  }
  const std::string file = std::filesystem::path(path).filename().string();
  const std::string name = file.substr(0, file.find(".so"));
  if (std::ranges::find(kLibraryNames, name) == kLibraryNames.end()) return 0;
  std::error_code none;
  const std::filesystem::path real = std::filesystem::canonical(path, none);
  all.emplace_back(name, fmt::format("{}{}{}", none ? file : real.filename().string(),
                                     id.empty() ? "" : ", build-id ", id));
  return 0;
}

/// The libraries of BLAS, MPI and devices that this process has loaded, by name without version:
/// file and build-id, "libopenblasp-r0.3.21.so, build-id 1a2b...". The program itself stands first,
/// as "build-id".
NamedValues loaded_libraries() {
  NamedValues facts;
  dl_iterate_phdr(add_fact, &facts);
  return facts;
}

}  // namespace

NamedValues host_facts(const FileReader& read) {
  const auto kernel = read("/proc/sys/kernel/osrelease");
  const auto [sockets, cores] = sockets_and_cores(read);
  NamedValues facts{
      {"processor", cpu_model()},
      {"clock", number_text(cpu_clock_mhz(read).value_or(0), " MHz")},
      {"sockets", number_text(sockets)},
      {"cores", number_text(cores)},
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
