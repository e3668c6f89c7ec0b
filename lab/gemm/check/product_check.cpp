#include "gemm/check/product_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace hpl::gemm {

namespace {

constexpr double kUnitRoundoff = std::numeric_limits<double>::epsilon() / 2;
constexpr std::int64_t kSampled = 4;  // rows and columns of the sampled block

/// y = M x and z = |M| w.
struct Sums {
  std::vector<double> y, z;
};

Sums multiply(hpcx::Device& host, hpcx::ConstMatrixView m, const std::vector<double>& x,
              const std::vector<double>& w) {
  constexpr std::int64_t kRows = 1024;
  Sums sums{std::vector<double>(static_cast<std::size_t>(m.rows)),
            std::vector<double>(static_cast<std::size_t>(m.rows))};
  host.parallel_for((m.rows + kRows - 1) / kRows, [&](std::int64_t part) {
    const std::int64_t first = part * kRows, rows = std::min(kRows, m.rows - first);
    double* const y = sums.y.data() + first;
    double* const z = sums.z.data() + first;
    for (std::int64_t j = 0; j < m.cols; ++j) {
      const double* const column = &m(first, j);
      const double factor = x[static_cast<std::size_t>(j)];
      const double weight = w[static_cast<std::size_t>(j)];
      for (std::int64_t i = 0; i < rows; ++i) {
        y[i] += column[i] * factor;
        z[i] += std::abs(column[i]) * weight;
      }
    }
  });
  return sums;
}

/// The quotient error / bound. A value that is no number is beyond every bound.
double ratio(double error, double bound) {
  if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
  if (error == 0) return 0;
  return bound > 0 ? error / bound : std::numeric_limits<double>::infinity();
}

std::vector<std::int64_t> sample(std::int64_t size, std::mt19937_64& random) {
  std::vector<std::int64_t> chosen{0, size - 1};  // corners, and something between
  while (static_cast<std::int64_t>(chosen.size()) < kSampled)
    chosen.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size)));
  return chosen;
}

}  // namespace

ProductCheck::ProductCheck(hpcx::Device& host, const Operands& operands, std::uint64_t seed)
    : host_(host) {
  const auto& [a, b, c, alpha, beta] = operands;
  std::mt19937_64 random(seed);
  signs_.resize(static_cast<std::size_t>(c.cols));
  for (double& sign : signs_)
    sign = random() % 2 == 0 ? 1.0 : -1.0;
  const std::vector<double> ones(signs_.size(), 1.0);

  const Sums of_b = multiply(host, b, signs_, ones);
  const Sums of_a = multiply(host, a, of_b.y, of_b.z);
  // |computed - exact| of C is at most gamma(k + 2) (|alpha| |A| |B| + |beta| |C0|); sums of n
  // terms on both sides add gamma(n) of the same, and those over k on the other side gamma(k).
  const double terms = 2 * (static_cast<double>(a.cols) + static_cast<double>(c.cols)) + 8;
  const double gamma = terms * kUnitRoundoff / (1 - terms * kUnitRoundoff);
  Sums of_c;
  if (beta != 0) of_c = multiply(host, c, signs_, ones);
  for (std::size_t i = 0; i < of_a.y.size(); ++i) {
    expected_.push_back(alpha * of_a.y[i] + (beta != 0 ? beta * of_c.y[i] : 0.0));
    bound_.push_back(
        gamma * (std::abs(alpha) * of_a.z[i] + (beta != 0 ? std::abs(beta) * of_c.z[i] : 0.0)));
  }

  rows_ = sample(c.rows, random);
  cols_ = sample(c.cols, random);
  const double element_terms = static_cast<double>(a.cols) + 4;
  const double element_gamma = element_terms * kUnitRoundoff / (1 - element_terms * kUnitRoundoff);
  for (const std::int64_t i : rows_)
    for (const std::int64_t j : cols_) {
      long double sum = 0, size = 0;
      for (std::int64_t l = 0; l < a.cols; ++l) {
        const long double term = static_cast<long double>(a(i, l)) * b(l, j);
        sum += term;
        size += std::abs(term);
      }
      sum *= alpha;
      size *= std::abs(alpha);
      if (beta != 0) {
        sum += static_cast<long double>(beta) * c(i, j);
        size += std::abs(static_cast<long double>(beta) * c(i, j));
      }
      elements_.push_back(static_cast<double>(sum));
      element_bounds_.push_back(element_gamma * static_cast<double>(size));
    }
}

Verdict ProductCheck::judge(const Operands& operands) const {
  const std::vector<double> ones(signs_.size(), 1.0);
  const Sums of_c = multiply(host_, operands.c, signs_, ones);
  Verdict verdict;
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    const double one = ratio(std::abs(of_c.y[i] - expected_[i]), bound_[i]);
    if (one > verdict.product_ratio) {
      verdict.product_ratio = one;
      verdict.worst_row = static_cast<std::int64_t>(i);
    }
  }
  std::size_t at = 0;
  for (const std::int64_t i : rows_)
    for (const std::int64_t j : cols_) {
      verdict.element_ratio =
          std::max(verdict.element_ratio,
                   ratio(std::abs(operands.c(i, j) - elements_[at]), element_bounds_[at]));
      ++at;
    }
  return verdict;
}

}  // namespace hpl::gemm
