#include "host_share.h"

#include <algorithm>
#include <array>
#include <exception>
#include <thread>

#include <fmt/format.h>

#include "hpcx/thread.h"
#include "hpl/base/number/statistics.h"
#include "hpl/lu/update/product_trial.h"

namespace hpl {

namespace {

constexpr double kSeconds = 0.3, kStretch = 0.05;
/// Of the three matrices of a product, on the device and in host memory each.
constexpr std::int64_t kMostElements = std::int64_t{1} << 26;
/// Wider products of the host are hardly faster.
constexpr std::int64_t kHostColumns = 512;

}  // namespace

std::optional<HybridRates> measure_hybrid(hpcx::Device& device, hpcx::Device& host,
                                          const DistributedMatrix& matrix,
                                          const StageStreams& streams) {
  const LocalShape& shape = matrix.shape();
  const std::vector<ColumnRange> visits = matrix.visits();
  if (visits.empty()) return std::nullopt;
  const std::int64_t depth = std::min(shape.rows.block(), shape.rows.extent());
  const auto trial_of = [&](hpcx::Device& of, std::int64_t columns) {
    const ProductShape product{std::max<std::int64_t>(1, shape.stored_rows), columns, depth};
    // A quarter of a second by a host of 200 GFLOP/s.
    return ProductTrial(of, product.within(kMostElements, 5e10));
  };
  ProductTrial on_device = trial_of(device, visits.front().count);
  ProductTrial on_host = trial_of(host, std::min(visits.front().count, kHostColumns));

  // Out go the columns that have come in before: what is stored is what was there.
  const RowRange rows{{0}, shape.stored_rows};
  matrix.load(streams.load->ref(), visits.front(), rows, 0);
  streams.load->ref().synchronize();
  std::array<hpcx::Event, 2> copied;
  const auto copy = [&] {
    for (const hpcx::Event& event : copied)
      if (!event.done()) return;
    matrix.load(streams.load->ref(), visits.back(), rows, 1);
    matrix.store(streams.store->ref(), visits.front(), rows, 0);
    copied = {streams.load->ref().record(), streams.store->ref().record()};
  };
  HybridRates rates;
  rates.device_alone = mean_of_later_half(on_device.rates(kSeconds, kStretch, copy));
  std::vector<double> of_host;
  std::exception_ptr failure;
  {
    const std::jthread thread = hpcx::start_thread("products of the host", [&] {
      try {
        of_host = on_host.rates(kSeconds, kStretch);
      } catch (...) {
        failure = std::current_exception();
      }
    });
    rates.device_beside = mean_of_later_half(on_device.rates(kSeconds, kStretch, copy));
  }
  if (failure) std::rethrow_exception(failure);
  rates.host_beside = mean_of_later_half(of_host);
  streams.load->ref().synchronize();
  streams.store->ref().synchronize();
  return rates;
}

void settle_host_share(RunSettings& settings, const mpi::Communicator& ranks, int grid_rows,
                       const std::function<std::optional<HybridRates>()>& measure,
                       std::vector<std::string>& remarks) {
  HostShare& share = settings.stages.host_share;
  if (settings.host_share) {
    share = {*settings.host_share, false};
    return;
  }
  ranks.barrier();
  const std::optional<HybridRates> rates = measure();
  const double first = ranks.all_reduce(rates ? first_share(*rates) : 1.0, mpi::Reduce::Min);
  share = {first, grid_rows == 1};
  if (first > 0) return;
  settings.stages.schedule.host_takes_part = false;
  remarks.push_back(
      "--host-share auto: the host takes no part, device and host together are hardly faster than "
      "the device alone");
  if (rates)
    remarks.back() += fmt::format(" (here {:.4g} and {:.4g} GFLOP/s, alone {:.4g})",
                                  rates->device_beside, rates->host_beside, rates->device_alone);
}

}  // namespace hpl
