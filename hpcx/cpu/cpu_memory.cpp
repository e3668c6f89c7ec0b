#include <sys/mman.h>

#include <fstream>
#include <limits>

#include "cpu/cpu_device.h"
#include "hpcx/error.h"

namespace hpcx::cpu {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

constexpr std::size_t round_up(std::size_t bytes) {
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

}  // namespace

Buffer allocate(std::size_t bytes) {
  if (bytes == 0) return {};
  const auto fail = [&] {
    throw OutOfMemory("the host has no " + std::to_string(bytes) + " bytes of memory left");
  };
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) fail();
  // One huge page more than asked for, so that the part in use can start on a huge page; what is
  // never touched costs nothing.
  const std::size_t mapped = round_up(bytes) + kHugePage;
  void* base = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) fail();
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  const std::size_t lead = round_up(address) - address;
  auto* data = static_cast<std::byte*>(base) + lead;
  if (lead > 0) munmap(base, lead);
  if (mapped > lead + round_up(bytes))
    munmap(data + round_up(bytes), mapped - lead - round_up(bytes));
  // Row swaps touch one element of many rows: with small pages every touch misses the TLB. What
  // does not fill a huge page is cheaper without: its first touch would clear two megabytes.
  if (bytes >= kHugePage) madvise(data, round_up(bytes), MADV_HUGEPAGE);
  return Buffer(data, bytes,
                [](void* memory, std::size_t size) { munmap(memory, round_up(size)); });
}

MemoryInfo memory_info() {
  MemoryInfo info;
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  for (std::int64_t kib; file >> key >> kib; std::getline(file, unit)) {
    if (key == "MemTotal:") info.total = kib * 1024;
    if (key == "MemAvailable:") info.free = kib * 1024;
  }
  return info;
}

}  // namespace hpcx::cpu
