#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "hpcx/device.h"

namespace hpl {

/// Tells whether a matrix is the product of two square ones, n x n and row-major without gaps, by
/// products with a random vector s, |s| <= 1: C s against A (B s). Every element's rounding error
/// has its place in the bound (Higham, Accuracy and Stability of Numerical Algorithms, 3.5): with
/// values of unit roundoff u, |C s - A B s| <= gamma |A| |B| e with gamma = n u / (1 - n u); the
/// sums here are made in double and add 2 n roundoffs of doubles.
template <class T>
class ProductOracle {
 public:
  ProductOracle(hpcx::Device& host, std::int64_t order, const T* a, const T* b)
      : host_(host), order_(order), weights_(static_cast<std::size_t>(order)) {
    std::uint64_t state = 1;
    for (double& weight : weights_) {  // all different: columns that changed places are seen
      state = state * 6364136223846793005u + 1442695040888963407u;
      const double size = 0.5 + 0x1p-33 * static_cast<double>(state << 1 >> 32);
      weight = (state >> 63) != 0 ? size : -size;
    }
    const std::vector<double> ones(weights_.size(), 1.0);
    const Sums of_b = multiply(b, weights_, ones);
    const Sums of_a = multiply(a, of_b.values, of_b.sizes);
    expected_ = of_a.values;
    const double n = static_cast<double>(order);
    const double gamma = 0.5 * (n + 2) * static_cast<double>(std::numeric_limits<T>::epsilon()) +
                         (2 * n + 4) * std::numeric_limits<double>::epsilon();
    for (const double size : of_a.sizes)
      bounds_.push_back(gamma * size);
  }

  /// The largest error of a row of C s by its bound: at most 1 where C is the product. Infinity
  /// where a value is no number.
  double worst_ratio(const T* c) const {
    const std::vector<double> ones(weights_.size(), 1.0);
    const Sums of_c = multiply(c, weights_, ones);
    double worst = 0;
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      const double error = std::abs(of_c.values[i] - expected_[i]);
      if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
      if (error > 0)
        worst = std::max(
            worst, bounds_[i] > 0 ? error / bounds_[i] : std::numeric_limits<double>::infinity());
    }
    return worst;
  }

 private:
  /// M x, and |M| w.
  struct Sums {
    std::vector<double> values, sizes;
  };

  Sums multiply(const T* m, const std::vector<double>& x, const std::vector<double>& w) const {
    constexpr std::int64_t kRows = 64;
    Sums sums{std::vector<double>(x.size()), std::vector<double>(x.size())};
    host_.parallel_for((order_ + kRows - 1) / kRows, [&](std::int64_t part) {
      for (std::int64_t i = part * kRows; i < std::min(order_, (part + 1) * kRows); ++i) {
        double value = 0, size = 0;
        for (std::int64_t j = 0; j < order_; ++j) {
          const auto element = static_cast<double>(m[i * order_ + j]);
          value += element * x[j];
          size += std::abs(element) * w[j];
        }
        sums.values[i] = value;
        sums.sizes[i] = size;
      }
    });
    return sums;
  }

  hpcx::Device& host_;
  std::int64_t order_;
  std::vector<double> weights_, expected_, bounds_;
};

}  // namespace hpl
