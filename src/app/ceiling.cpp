#include "hpl/app/ceiling.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "hpl/matrix/distributed_matrix.h"

namespace hpl {

std::vector<double> measure_ceiling(hpcx::Device& device, const mpi::Communicator& comm,
                                    std::int64_t depth, double seconds, std::int64_t bytes) {
  using hpcx::Layout;
  using hpcx::MatrixView;
  // Deeper products run at the same rate, but a single one could take minutes.
  constexpr std::int64_t kDeepest = 4096;
  depth = std::min(depth, kDeepest);
  // Square, as large as memory and a sensible time for one product allow.
  const double elements = static_cast<double>(bytes) / 8;
  const auto fits = static_cast<std::int64_t>(
      std::sqrt(elements + static_cast<double>(depth * depth)) - static_cast<double>(depth));
  const std::int64_t largest = device.shares_host_memory() ? 6144 : 32768;
  const std::int64_t size = std::clamp<std::int64_t>(fits / 16 * 16, 16, largest);

  const std::int64_t ld = padded_leading_dimension(size, kPadding);
  const hpcx::Buffer c_memory = device.allocate(static_cast<std::size_t>(8 * ld * size));
  const hpcx::Buffer a_memory = device.allocate(static_cast<std::size_t>(8 * ld * depth));
  const hpcx::Buffer b_memory = device.allocate(static_cast<std::size_t>(8 * ld * depth));
  const MatrixView c{c_memory.as<double>(), size, size, ld, Layout::RowMajor};
  const MatrixView a{a_memory.as<double>(), size, depth, ld, Layout::ColumnMajor};
  const MatrixView b{b_memory.as<double>(), depth, size, ld, Layout::RowMajor};

  const hpcx::Stream owned = device.create_stream(hpcx::Priority::Normal);
  const hpcx::StreamRef stream = owned;
  // Random values: products of zeros run cooler and faster than a benchmark's.
  for (const MatrixView& m : {c, a, b})
    device.kernels().generate(stream, size, {size, size, 0}, {size, size, 0}, m);
  const auto multiply = [&] { device.blas().gemm(stream, -1.0, a, b, 1.0, c); };
  multiply();
  stream.synchronize();

  comm.barrier();
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  double products = 0;
  do {
    multiply();
    stream.synchronize();
    ++products;
  } while (elapsed() < seconds);
  const double size_d = static_cast<double>(size);
  const double rate = 2 * size_d * size_d * static_cast<double>(depth) * products / elapsed() / 1e9;
  return comm.all_gather(rate);
}

}  // namespace hpl
