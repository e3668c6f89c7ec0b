#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hpl {

/// Bytes in the two memories of a process.
struct MemoryBytes {
  std::int64_t device = 0;
  /// Pinned for the device; where the device's memory is the host's, only a matrix that visits it.
  std::int64_t host = 0;

  bool operator==(const MemoryBytes&) const = default;
  constexpr MemoryBytes& operator+=(const MemoryBytes& other) {
    device += other.device;
    host += other.host;
    return *this;
  }
  friend constexpr MemoryBytes operator+(MemoryBytes a, const MemoryBytes& b) { return a += b; }
  friend constexpr MemoryBytes operator*(std::int64_t count, const MemoryBytes& each) {
    return {count * each.device, count * each.host};
  }
};

/// Bytes that hpcx::Device::allocate_pinned() takes: where the device shares the host's memory they
/// come out of the one that both have.
constexpr MemoryBytes pinned_bytes(std::int64_t bytes, bool shares_host_memory) {
  return shares_host_memory ? MemoryBytes{bytes, 0} : MemoryBytes{0, bytes};
}

/// Memory of one process for a run, by purpose.
struct MemoryAccount {
  MemoryBytes matrix;          ///< its part of [A|b]
  MemoryBytes panels;          ///< panel workspaces
  MemoryBytes exchange;        ///< buffers in which rows of U and their messages stand
  MemoryBytes product;         ///< prepared operands of the tail update's product
  MemoryBytes panel_solver;    ///< needs of the device's panel solver beside the panel
  MemoryBytes checksums;       ///< sums of rows
  MemoryBytes solution;        ///< x, and what back substitution needs
  MemoryBytes staging;         ///< messages on their way through the host's memory
  MemoryBytes blas_workspace;  ///< one for each stream
  MemoryBytes reserve;         ///< an estimate of what libraries take that nobody here allocates

  struct Part {
    std::string_view name;
    MemoryBytes bytes;
  };
  /// All of them, in this order.
  std::vector<Part> parts() const;

  /// Bytes allocated by name, without the reserve.
  MemoryBytes allocated() const;
  MemoryBytes total() const { return allocated() + reserve; }

  bool operator==(const MemoryAccount&) const = default;
  MemoryAccount& operator+=(const MemoryAccount& other);
  friend MemoryAccount operator+(MemoryAccount a, const MemoryAccount& b) { return a += b; }
};

/// "135.90 GB", "85 MB", "3.1 MB", "24 kB"
std::string bytes_text(std::int64_t bytes);

/// "matrix 135.90 GB, panel workspaces 3.15 GB, ...": the parts in a device's memory; then, in
/// words, what is pinned in the host's, where there is any.
std::string describe(const MemoryAccount& account);

}  // namespace hpl
