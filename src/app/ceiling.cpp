#include "hpl/app/ceiling.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "hpl/update/product_trial.h"

namespace hpl {

std::vector<double> measure_ceiling(hpcx::Device& device, const mpi::Communicator& comm,
                                    std::int64_t depth, double seconds, std::int64_t bytes) {
  // Deeper products run at the same rate, but a single one could take minutes.
  constexpr std::int64_t kDeepest = 4096;
  depth = std::min(depth, kDeepest);
  // Square, as large as memory and a sensible time for one product allow.
  const double elements = static_cast<double>(bytes) / 8;
  const auto fits = static_cast<std::int64_t>(
      std::sqrt(elements + static_cast<double>(depth * depth)) - static_cast<double>(depth));
  const std::int64_t largest = device.shares_host_memory() ? 6144 : 32768;
  const std::int64_t size = std::clamp<std::int64_t>(fits / 16 * 16, 16, largest);

  ProductTrial trial(device, size, depth);
  comm.barrier();
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  int products = 0;
  do {
    trial.enqueue(1).synchronize();
    ++products;
  } while (elapsed() < seconds);
  return comm.all_gather(trial.gflop() * products / elapsed());
}

}  // namespace hpl
