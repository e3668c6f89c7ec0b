#include "hpl/lu/mixed/mixed_rule.h"

#include <algorithm>
#include <cmath>

#include "hpcx/generator.h"
#include "hpl/base/error/error.h"

namespace hpl {

namespace {

using hpcx::MixedMatrix;
using hpcx::generator::Form;
using hpcx::generator::Jump;

constexpr std::uint64_t kIclMatrixSeed = 1, kIclRightSideSeed = 2, kOpenMxpSeed = 42;

/// ||A|| ||A^-1|| of A = L U: L^-1 and U^-1 have no negative element, so that the rows of A^-1 sum
/// up to U^-1 L^-1 e.
double fasi_higham_condition(std::int64_t order, double beta) {
  const double alpha = beta / 2;
  double left = 0, norm = 0;
  for (std::int64_t i = 0; i < order; ++i) {
    const double above = alpha * beta * static_cast<double>(i);
    norm = std::max(norm,
                    left + 1 + above + static_cast<double>(order - 1 - i) * std::abs(above - beta));
    left += std::abs(above - alpha);
  }
  double inverse_norm = 0, tail = 0;
  for (std::int64_t i = order - 1; i >= 0; --i) {
    const double y = std::pow(1 + alpha, static_cast<double>(i));
    inverse_norm = std::max(inverse_norm, y + tail);
    tail = beta * y + (1 + beta) * tail;
  }
  return norm * inverse_norm;
}

MixedRule random_rule(Form form, std::uint64_t seed, std::int64_t order) {
  MixedRule rule{.matrix = {.order = order, .form = form, .seed = seed}};
  rule.largest = 0.5;
  rule.right_side = {form, seed, order};
  return rule;
}

}  // namespace

std::vector<double> elements_of(const RandomColumn& column, const RowMap& rows) {
  const Jump step = hpcx::generator::jump(1);
  const std::int64_t before = 1 + column.number * rows.extent();
  std::vector<double> elements;
  std::uint64_t state = 0;
  std::int64_t last = -2;
  for (std::int64_t i = 0; i < rows.local_extent(); ++i) {
    const std::int64_t row = rows.to_global({i}).value;
    state = row == last + 1
                ? step(state)
                : hpcx::generator::jump(static_cast<std::uint64_t>(before + row))(column.seed);
    elements.push_back(hpcx::generator::value(column.form, state));
    last = row;
  }
  return elements;
}

double fasi_higham_beta(std::int64_t order, double condition) {
  double low = 0, high = 64.0 / static_cast<double>(std::max<std::int64_t>(order, 1));
  constexpr int kBits = 60;
  for (int bit = 0; bit < kBits; ++bit) {
    const double middle = (low + high) / 2;
    (fasi_higham_condition(order, middle) < condition ? low : high) = middle;
  }
  return low;
}

std::int64_t least_order(MixedEntries entries) {
  switch (entries) {
    case MixedEntries::Conforming:
    case MixedEntries::FasiHigham:
      return 1;
    case MixedEntries::DominantIcl:
      return 4;
    case MixedEntries::DominantOpenMxp:
      return 2;
  }
  HPL_ASSERT(!"a matrix of HPL-MxP");
  return 1;
}

int scale_exponent(double largest) {
  constexpr int kTop = 13;
  int exponent = 0;
  const double fraction = std::frexp(largest, &exponent);
  return kTop - (fraction == 0.5 ? exponent - 1 : exponent);
}

MixedRule mixed_rule(const MixedSpec& spec, std::int64_t order) {
  switch (spec.entries) {
    case MixedEntries::Conforming: {
      MixedRule rule = random_rule(Form::Netlib, hpcx::generator::kSeed, order);
      rule.matrix.shift = spec.diagonal * std::sqrt(static_cast<double>(order));
      rule.largest += std::abs(rule.matrix.shift);
      return rule;
    }
    case MixedEntries::DominantIcl: {
      MixedRule rule = random_rule(Form::Icl, kIclMatrixSeed, order);
      rule.dominant = true;
      rule.right_side = {Form::Icl, kIclRightSideSeed, 0};
      return rule;
    }
    case MixedEntries::DominantOpenMxp: {
      MixedRule rule = random_rule(Form::OpenMxp, kOpenMxpSeed, order);
      rule.dominant = true;
      return rule;
    }
    case MixedEntries::FasiHigham: {
      MixedRule rule{.matrix = {.kind = MixedMatrix::Kind::FasiHigham, .order = order}};
      const double beta = fasi_higham_beta(order);
      rule.matrix.beta = beta;
      rule.matrix.alpha = beta / 2;
      rule.largest = std::max(1 + beta * beta / 2 * static_cast<double>(order), beta);
      rule.right_side.number = order;
      return rule;
    }
  }
  HPL_ASSERT(!"a matrix of HPL-MxP");
  return {};
}

}  // namespace hpl
