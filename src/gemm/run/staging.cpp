#include "staging.h"

#include <algorithm>

namespace hpl::gemm {

Staging::Staging(hpcx::Device& device, int buffers, std::int64_t bytes) {
  for (int i = 0; i < buffers; ++i)
    slots_.push_back({device.allocate_pinned(static_cast<std::size_t>(bytes)), {}});
}

std::int64_t Staging::bytes() const {
  std::int64_t sum = 0;
  for (const Slot& slot : slots_)
    sum += static_cast<std::int64_t>(slot.memory.bytes());
  return sum;
}

void copy_on_host(hpcx::StreamRef stream, hpcx::ConstMatrixView source,
                  hpcx::MatrixView destination) {
  hpcx::Device* const device = &stream.device();
  stream.host_task([=] {
    constexpr std::int64_t kElements = 1 << 17;  // a megabyte a turn
    const std::int64_t cols =
        std::max<std::int64_t>(1, kElements / std::max<std::int64_t>(1, source.rows));
    device->parallel_for((source.cols + cols - 1) / cols, [&](std::int64_t turn) {
      const std::int64_t end = std::min(source.cols, (turn + 1) * cols);
      for (std::int64_t j = turn * cols; j < end; ++j)
        std::copy_n(&source(0, j), source.rows, &destination(0, j));
    });
  });
}

}  // namespace hpl::gemm
