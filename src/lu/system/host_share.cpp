#include "hpl/lu/system/host_share.h"

#include <algorithm>
#include <array>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

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

/// The first columns in host memory on their way out, the last ones on their way in, again and
/// again. What is stored is what was there: it has been loaded before.
class BothWays {
 public:
  BothWays(const DistributedMatrix& matrix, const StageStreams& streams)
      : matrix_(matrix),
        load_(*streams.load),
        store_(*streams.store),
        out_(matrix.visits().front()),
        in_(matrix.visits().back()),
        rows_{{0}, matrix.shape().stored_rows} {
    matrix_.load(load_, out_, rows_, 0);
    load_.synchronize();
  }

  /// Enqueues copies where none are under way.
  void go_on() {
    for (const Copy& way : copies_)
      if (!way.end.done()) return;
    count();
    copies_[0].begin = load_.record();
    copies_[1].begin = store_.record();
    matrix_.load(load_, in_, rows_, 1);
    matrix_.store(store_, out_, rows_, 0);
    copies_[0].end = load_.record();
    copies_[1].end = store_.record();
  }
  /// GB/s one way of the copies so far; those that follow are counted anew.
  double rate() {
    for (const Copy& way : copies_)
      way.end.synchronize();
    count();
    copies_ = {};
    const double rate = seconds_ > 0 ? bytes_ / seconds_ / 1e9 : 0;
    bytes_ = seconds_ = 0;
    return rate;
  }

 private:
  struct Copy {
    hpcx::Event begin, end;

    double seconds() const { return end.seconds_since(begin); }
  };

  void count() {
    if (copies_[0].begin.empty()) return;
    bytes_ += 8.0 * static_cast<double>(rows_.count * in_.count);
    seconds_ += std::max(copies_[0].seconds(), copies_[1].seconds());
  }

  const DistributedMatrix& matrix_;
  hpcx::StreamRef load_, store_;
  ColumnRange out_, in_;
  RowRange rows_;
  std::array<Copy, 2> copies_;
  double bytes_ = 0, seconds_ = 0;
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

  BothWays copies(matrix, streams);
  const auto copy = [&] { copies.go_on(); };
  HybridRates rates;
  rates.device_alone = mean_of_later_half(on_device.rates(kSeconds, kStretch, copy));
  rates.copies_alone = copies.rate();
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
  rates.copies_beside = copies.rate();
  return rates;
}

SettledHostShare settle_host_share(const mpi::Communicator& ranks, const HostShareBasis& basis) {
  if (basis.wanted) return {{*basis.wanted, false}, {}};
  ranks.barrier();
  const std::optional<HybridRates> rates = basis.measure();
  const double first =
      ranks.all_reduce(rates ? first_share(*rates, basis.load) : 1.0, mpi::Reduce::Min);
  const HostShare share{first, basis.grid_rows == 1};
  if (first > 0) return {share, {}};
  std::string remark =
      "--matrix host:share=auto: the host takes no part, device and host together are hardly "
      "faster than the device alone";
  if (rates)
    remark += fmt::format(
        " (here {:.4g} and {:.4g} GFLOP/s, alone {:.4g}; copies at {:.3g} GB/s, alone {:.3g})",
        rates->device_beside, rates->host_beside, rates->device_alone, rates->copies_beside,
        rates->copies_alone);
  return {share, std::move(remark)};
}

}  // namespace hpl
