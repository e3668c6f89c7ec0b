#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "hpcx/device.h"
#include "hpl/input/run_spec/mixed_spec.h"
#include "hpl/lu/update/tail_product.h"

namespace hpl {

/// A product C -= A B of the tail update: C rows x columns, A rows x depth.
struct ProductShape {
  std::int64_t rows = 0, columns = 0, depth = 0;

  double flops() const;
  std::int64_t elements() const;  ///< of the three matrices
  /// The same with a smaller C where this one has more than `elements` or takes more than `flops`:
  /// not narrower than that alone asks for, and as near to square as a smaller one can be.
  ProductShape within(std::int64_t most_elements, double most_flops) const;

  bool operator==(const ProductShape&) const = default;
};

/// Products of zeros run cooler and faster than a benchmark's.
enum class ProductValues {
  Random,  ///< as the benchmark's matrix, and what others measure DGEMM with
  Factors  ///< as L21 and U12 of a large factorization, which draw more power
};

/// The operands of a ProductTrial in FP64.
struct TrialOperands {
  ProductValues values = ProductValues::Random;
  /// Elements that C and U12 begin behind whole lines of memory, as those of step 1 do NB %
  /// kPadding behind; L21 where the panel puts it.
  std::int64_t shift = 0;
  int moduli = 0;  ///< of emulated products; 0: FP64
};

/// Measures what a device makes of products in the form, layout and stream order of the tail
/// update.
class ProductTrial {
 public:
  /// Returns when a first product is made: libraries load their kernels and touch their buffers at
  /// the first call.
  ProductTrial(hpcx::Device& device, const ProductShape& shape, const TrialOperands& operands = {});
  /// Of products of HPL-MxP with these formats, of random values.
  ProductTrial(hpcx::Device& device, const ProductShape& shape, const MixedSpec& mixed);

  /// See MixedPrecision::leave_free(); of a product of HPL-MxP.
  void leave_free(int compute_units);

  /// GFLOP/s of stretches of products that take about `stretch` seconds each, one after another
  /// without a pause, for about `seconds`, at least one. Calls `meanwhile`, where there is one,
  /// once in each stretch, while the device is busy.
  std::vector<double> rates(double seconds, double stretch,
                            const std::function<void()>& meanwhile = {});

 private:
  void make_first();
  hpcx::Event enqueue(int products);
  /// The number of products that take about `stretch` seconds.
  int products_in(double stretch);

  ProductShape shape_;
  double seconds_ = 0;    // of one product, roughly
  bool settled_ = false;  // that was not the first
  hpcx::Buffer c_memory_, a_memory_, b_memory_;
  std::unique_ptr<TailProduct> tail_product_;
  std::function<void(hpcx::StreamRef)> product_;  ///< enqueues one
  hpcx::Stream stream_;
};

}  // namespace hpl
