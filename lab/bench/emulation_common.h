#pragma once

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "cuda/emulation_kernels.h"
#include "hpcx/device.h"
#include "hpcx/emulation.h"
#include "hpcx/error.h"

/// Shared by the parts of emulation_bench.
namespace hpcx::emulation_bench {

namespace kernels = gpu_cuda::emulation;
using kernels::ProductKernel;

inline void require(cudaError_t status, const std::string& what) {
  if (status != cudaSuccess)
    throw hpcx::Error(fmt::format("{}: {}", what, cudaGetErrorString(status)));
}

inline std::size_t size_of(std::int64_t bytes) {
  return static_cast<std::size_t>(bytes);
}

/// To the screen and, with all else, to the log.
class Output {
 public:
  /// Appends, as other processes do; `anew`: to what is empty.
  void open(const std::string& path, bool anew) {
    if (std::FILE* const empty = anew ? std::fopen(path.c_str(), "w") : nullptr) std::fclose(empty);
    log_ = std::fopen(path.c_str(), "a");
    if (log_ == nullptr) throw hpcx::Error(fmt::format("cannot write {}", path));
  }
  void say(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
    note(text);
  }
  void note(const std::string& text) {
    if (log_ == nullptr) return;
    std::fputs(text.c_str(), log_);
    std::fflush(log_);
  }

 private:
  std::FILE* log_ = nullptr;  // open to the end of the process
};

struct Bench {
  hpcx::Device& device;
  Output& out;
  struct Kernel {
    ProductKernel kernel;
    bool right;  // in all that was compared
  };
  std::vector<Kernel> kernels;  // those that are right first
};

inline auto normal_values(unsigned seed, double spread) {
  return [random = std::mt19937_64(seed), normal = std::normal_distribution<double>(), spread](
             std::int64_t, std::int64_t) mutable {
    const double x = normal(random);
    return x * std::exp(spread * normal(random));
  };
}

inline bool same_bits(double x, double y) {
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) ||
         (std::isnan(x) && std::isnan(y));
}

/// The places of wrong elements.
struct Wrong {
  std::int64_t count = 0;
  std::int64_t row = -1, column = -1;  // the first
  std::int64_t last_row = -1, first_column = -1, last_column = -1;

  void add(std::int64_t i, std::int64_t j) {
    if (count++ == 0) {
      row = i;
      column = first_column = last_column = j;
    }
    last_row = std::max(last_row, i);
    first_column = std::min(first_column, j);
    last_column = std::max(last_column, j);
  }
};

}  // namespace hpcx::emulation_bench
