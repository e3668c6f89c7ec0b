#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace hpl::gemm {

/// Columns of a block of C that somebody has taken.
struct Claim {
  std::int64_t block = 0;  ///< in the order of the plan
  std::int64_t first_col = 0, cols = 0;
};

/// Blocks of C between a device, which takes them from the front, and the host, which takes columns
/// from the end, until both meet. Every column goes to one of them, once. Thread-safe.
class WorkSplit {
 public:
  struct Block {
    std::int64_t cols = 0;
    double flops_per_col = 0;
  };
  /// The host leaves the first `for_device` blocks alone.
  explicit WorkSplit(std::vector<Block> blocks, std::int64_t for_device = 0);

  /// The next block, without the columns that the host has taken of it; empty at the end.
  std::optional<Claim> claim_front();
  /// At most `cols` of the last columns that nobody has; all of one block. Empty at the end.
  std::optional<Claim> claim_back(std::int64_t cols);
  /// The block from which claim_back() would take, empty at the end.
  std::optional<Block> last_block() const;
  /// Work that nobody has taken.
  double flops_left() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Block> blocks_;  // columns that are left
  std::size_t for_device_ = 0, front_ = 0, end_ = 0;
  double flops_left_ = 0;
};

/// Columns that the host should take next, so that it is not the one to finish last: half of what
/// it computes while the device does what is left, in multiples of `grain`, `most` at most; 0:
/// leave the rest to the device. Rates in flop/s. Pure.
std::int64_t host_columns(double flops_left, double device_rate, double host_rate,
                          double flops_per_col, std::int64_t grain, std::int64_t most);

}  // namespace hpl::gemm
