#include "gemm/run/work_split.h"

#include <algorithm>

namespace hpl::gemm {

WorkSplit::WorkSplit(std::vector<Block> blocks, std::int64_t for_device)
    : blocks_(std::move(blocks)),
      for_device_(static_cast<std::size_t>(for_device)),
      end_(blocks_.size()) {
  for (const Block& block : blocks_)
    flops_left_ += static_cast<double>(block.cols) * block.flops_per_col;
}

std::optional<Claim> WorkSplit::claim_front() {
  const std::lock_guard lock(mutex_);
  if (front_ == end_) return {};
  const Block& block = blocks_[front_];
  flops_left_ -= static_cast<double>(block.cols) * block.flops_per_col;
  return Claim{static_cast<std::int64_t>(front_++), 0, block.cols};
}

std::optional<Claim> WorkSplit::claim_back(std::int64_t cols) {
  const std::lock_guard lock(mutex_);
  if (std::max(front_, for_device_) >= end_ || cols <= 0) return {};
  Block& block = blocks_[end_ - 1];
  const std::int64_t taken = std::min(cols, block.cols);
  block.cols -= taken;
  flops_left_ -= static_cast<double>(taken) * block.flops_per_col;
  const Claim claim{static_cast<std::int64_t>(end_ - 1), block.cols, taken};
  if (block.cols == 0) --end_;
  return claim;
}

std::optional<WorkSplit::Block> WorkSplit::last_block() const {
  const std::lock_guard lock(mutex_);
  if (std::max(front_, for_device_) >= end_) return {};
  return blocks_[end_ - 1];
}

double WorkSplit::flops_left() const {
  const std::lock_guard lock(mutex_);
  return front_ == end_ ? 0 : flops_left_;
}

std::int64_t host_columns(double flops_left, double device_rate, double host_rate,
                          double flops_per_col, std::int64_t grain, std::int64_t most) {
  if (host_rate <= 0 || flops_per_col <= 0 || flops_left <= 0) return 0;
  if (device_rate <= 0) return most;
  const double seconds = flops_left / device_rate / 2;
  const double cols = std::min(seconds * host_rate / flops_per_col, static_cast<double>(most));
  return static_cast<std::int64_t>(cols) / grain * grain;
}

}  // namespace hpl::gemm
