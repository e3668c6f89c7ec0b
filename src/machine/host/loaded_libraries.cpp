#include "loaded_libraries.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hpl {

namespace {

/// Their names up to the version: those of any build of a BLAS, of MPI and of devices.
constexpr std::array<std::string_view, 14> kNames{
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
  if (std::ranges::find(kNames, name) == kNames.end()) return 0;
  std::error_code none;
  const std::filesystem::path real = std::filesystem::canonical(path, none);
  all.emplace_back(name, fmt::format("{}{}{}", none ? file : real.filename().string(),
                                     id.empty() ? "" : ", build-id ", id));
  return 0;
}

}  // namespace

NamedValues loaded_libraries() {
  NamedValues facts;
  dl_iterate_phdr(add_fact, &facts);
  return facts;
}

}  // namespace hpl
