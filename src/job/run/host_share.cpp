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

struct Copy {
  hpcx::Event begin, end;

  double seconds() const { return end.seconds_since(begin); }
};

}  // namespace

HybridLoad hybrid_load(const LocalShape& shape, const SchedulePolicy& schedule) {
  const auto order = static_cast<double>(shape.rows.extent());
  return {.flops = product_flops(shape),
          .bytes = visit_bytes(shape, schedule.visits, schedule.look_ahead),
          .panel_bytes = 4 * order * order / shape.rows.processes()};
}

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
  std::array<Copy, 2> copies;
  double bytes = 0, seconds = 0;
  const auto count = [&] {
    if (copies[0].begin.empty()) return;
    bytes += 8.0 * static_cast<double>(shape.stored_rows * visits.back().count);
    seconds += std::max(copies[0].seconds(), copies[1].seconds());
  };
  const auto copy = [&] {
    for (const Copy& way : copies)
      if (!way.end.done()) return;
    count();
    copies[0].begin = streams.load->ref().record();
    copies[1].begin = streams.store->ref().record();
    matrix.load(streams.load->ref(), visits.back(), rows, 1);
    matrix.store(streams.store->ref(), visits.front(), rows, 0);
    copies[0].end = streams.load->ref().record();
    copies[1].end = streams.store->ref().record();
  };
  // GB/s of the copies so far; those that follow are counted anew.
  const auto copy_rate = [&] {
    for (const Copy& way : copies)
      way.end.synchronize();
    count();
    copies = {};
    const double rate = seconds > 0 ? bytes / seconds / 1e9 : 0;
    bytes = seconds = 0;
    return rate;
  };
  HybridRates rates;
  rates.device_alone = mean_of_later_half(on_device.rates(kSeconds, kStretch, copy));
  rates.copies_alone = copy_rate();
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
  rates.copies_beside = copy_rate();
  return rates;
}

void settle_host_share(RunSettings& settings, const mpi::Communicator& ranks, int grid_rows,
                       const HybridLoad& load,
                       const std::function<std::optional<HybridRates>()>& measure,
                       std::vector<std::string>& remarks) {
  HostShare& share = settings.stages.host_share;
  if (settings.host_share) {
    share = {*settings.host_share, false};
    return;
  }
  ranks.barrier();
  const std::optional<HybridRates> rates = measure();
  const double first = ranks.all_reduce(rates ? first_share(*rates, load) : 1.0, mpi::Reduce::Min);
  share = {first, grid_rows == 1};
  if (first > 0) return;
  settings.stages.schedule.host_takes_part = false;
  remarks.push_back(
      "--host-share auto: the host takes no part, device and host together are hardly faster than "
      "the device alone");
  if (rates)
    remarks.back() += fmt::format(
        " (here {:.4g} and {:.4g} GFLOP/s, alone {:.4g}; copies at {:.3g} GB/s, alone {:.3g})",
        rates->device_beside, rates->host_beside, rates->device_alone, rates->copies_beside,
        rates->copies_alone);
}

}  // namespace hpl
