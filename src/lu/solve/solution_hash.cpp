#include "hpl/lu/solve/solution_hash.h"

#include <bit>
#include <numeric>
#include <vector>

namespace hpl {

namespace {

/// A permutation of the 64-bit numbers in which every bit of the result depends on every bit.
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

}  // namespace

std::uint64_t element_hash(std::int64_t index, double value) {
  return mixed(mixed(static_cast<std::uint64_t>(index) + 1) ^ std::bit_cast<std::uint64_t>(value));
}

std::uint64_t solution_hash(hpcx::StreamRef stream, const SystemParts& system) {
  const ColumnMap& columns = system.matrix.shape().columns;
  const hpcx::VectorView x = system.x.view();
  std::vector<double> here(static_cast<std::size_t>(x.size));
  stream.copy(here.data(), x.data, here.size() * sizeof(double));
  stream.synchronize();
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < x.size; ++i)
    sum += element_hash(columns.to_global({i}).value, here[static_cast<std::size_t>(i)]);
  // Every process row has all of it.
  const std::vector<std::uint64_t> sums = system.grid.row().all_gather(sum);
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

}  // namespace hpl
