#pragma once

#include <cstdint>

#include "hpcx/device.h"

namespace hpl {

/// Products C -= A B in the form and layout of the tail update, for measuring what a device makes
/// of them: C size x size, A size x depth. Of random values: products of zeros run cooler and
/// faster than a benchmark's.
class ProductTrial {
 public:
  /// Returns when a first product is made: libraries load their kernels at the first call.
  ProductTrial(hpcx::Device& device, std::int64_t size, std::int64_t depth);

  /// Asynchronous; the point after the last of them.
  hpcx::Event enqueue(int products);
  hpcx::Event now() const { return stream_.ref().record(); }
  void synchronize() const { stream_.ref().synchronize(); }

  double gflop() const;  ///< of one product

 private:
  hpcx::Device& device_;
  std::int64_t size_, depth_;
  hpcx::Buffer c_memory_, a_memory_, b_memory_;
  hpcx::MatrixView c_, a_, b_;
  hpcx::Stream stream_;
};

}  // namespace hpl
