#include "hpl/lu/verify/own_product.h"

#include <algorithm>
#include <cmath>

#include "hpcx/generator.h"

namespace hpl {

namespace {

namespace generator = hpcx::generator;

/// Subtracts columns of A from the sampled rows. The elements of a column follow from that of row 0
/// by a jump for each row.
class Rows {
 public:
  Rows(const RowMap& map, std::span<const std::int64_t> rows, OwnProduct& sums)
      : order_(static_cast<std::uint64_t>(map.extent())), sums_(sums) {
    for (const std::int64_t row : rows)
      jumps_.push_back(generator::jump(static_cast<std::uint64_t>(map.to_global({row}).value)));
  }

  /// r -= A(:, j) factors[j - first] for consecutive columns j.
  void subtract(std::int64_t first, std::span<const double> factors) {
    const generator::Jump next = generator::jump(order_);
    std::uint64_t top = generator::state_of(order_, 0, static_cast<std::uint64_t>(first));
    for (const double factor : factors) {
      for (std::size_t k = 0; k < jumps_.size(); ++k) {
        const double product = generator::value(jumps_[k](top)) * factor;
        sums_.residual[k] -= product;
        sums_.magnitude[k] += std::abs(product);
      }
      top = next(top);
    }
  }

 private:
  std::uint64_t order_;
  OwnProduct& sums_;
  std::vector<generator::Jump> jumps_;
};

}  // namespace

std::vector<std::int64_t> sampled_rows(const RowMap& rows) {
  constexpr std::int64_t kMost = 32;   // of all process rows together
  constexpr std::int64_t kApart = 32;  // rows of a process row, at least
  const std::int64_t local = rows.local_extent();
  const std::int64_t share = (kMost + rows.processes() - 1) / rows.processes();
  const std::int64_t count =
      std::min(local, std::max<std::int64_t>(2, std::min(local / kApart, share)));
  std::vector<std::int64_t> sampled;
  for (std::int64_t k = 0; k < count; ++k)
    sampled.push_back(count == 1 ? 0 : k * (local - 1) / (count - 1));
  return sampled;
}

OwnProduct own_product(const LocalShape& shape, std::span<const std::int64_t> rows,
                       std::span<const double> x) {
  OwnProduct sums{.residual = std::vector<double>(rows.size()),
                  .magnitude = std::vector<double>(rows.size())};
  // b is the column behind x: r -= b * -1.
  std::vector<double> factors(x.begin(), x.end());
  factors.resize(static_cast<std::size_t>(shape.local_columns), -1.0);
  Rows sampled(shape.rows, rows, sums);
  for (const ColumnMap::Run& run : shape.columns.runs())
    for (std::int64_t offset = 0; offset < run.count; offset += run.map.block)
      sampled.subtract(run.map(offset),
                       std::span(factors).subspan(
                           static_cast<std::size_t>(run.begin.value + offset),
                           static_cast<std::size_t>(std::min(run.map.block, run.count - offset))));
  return sums;
}

double product_tolerance(std::int64_t order, double magnitude) {
  constexpr double kUnitRoundoff = 0x1p-53;
  return 4 * static_cast<double>(order + 2) * kUnitRoundoff * magnitude;
}

}  // namespace hpl
