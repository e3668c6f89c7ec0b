#include "gemm/run/gemm_run.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>

#include "hpcx/thread.h"

namespace hpl::gemm {

namespace {

constexpr std::int64_t kGrain = 16;
constexpr double kSliceSeconds =
    0.05;  // of the host: short against what a run may be out of balance

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Shared by all threads of a run.
struct Board {
  Board(const std::vector<DeviceShare>& all, std::int64_t for_devices) : shares(all) {
    for (const DeviceShare& share : all)
      splits.push_back(std::make_unique<WorkSplit>(share.pipeline->blocks(), for_devices));
  }
  const std::vector<DeviceShare>& shares;
  std::vector<std::unique_ptr<WorkSplit>> splits;
  std::atomic<int> devices_at_work{0};
  std::mutex mutex;
  std::exception_ptr failure;

  void fail(std::exception_ptr what) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::move(what);
  }
};

/// A slice of C for the host.
struct Slice {
  std::size_t share = 0;
  Claim claim;
};

/// The host's end of the work.
class HostWorker {
 public:
  HostWorker(const HostShare& host, Board& board, Clock::time_point start)
      : host_(host),
        board_(board),
        start_(start),
        streams_{host.device->create_stream(hpcx::Priority::Normal),
                 host.device->create_stream(hpcx::Priority::Normal)} {
    if (host_.fraction) reserve();
  }

  HostRun run(bool stop_with_devices) {
    const hpcx::Event base = streams_[0].ref().record();
    base.synchronize();
    const double offset = seconds_since(start_);
    for (;;) {
      if (stop_with_devices && board_.devices_at_work == 0) break;
      const std::optional<Slice> slice = next();
      if (!slice) break;
      enqueue(*slice);
      // Two at a time, each in a stream of its own: threads that find nothing more in one go on
      // with the other.
      if (timed_.size() >= 2) timed_[timed_.size() - 2].end.synchronize();
    }
    for (const hpcx::Stream& stream : streams_)
      stream.ref().synchronize();
    if (!timed_.empty()) run_.seconds = seconds_since(start_);
    for (Timed& item : timed_) {
      item.span.begin = offset + item.begin.seconds_since(base);
      item.span.end = offset + item.end.seconds_since(base);
      run_.spans.push_back(item.span);
    }
    return std::move(run_);
  }

 private:
  struct Timed {
    StageSpan span;
    hpcx::Event begin, end;
  };

  std::int64_t most_columns(double flops_per_col) const {
    const double cols = host_.rate * kSliceSeconds / flops_per_col;
    return std::max(kGrain, static_cast<std::int64_t>(std::min(cols, 1e9)) / kGrain * kGrain);
  }

  /// The fraction that was asked for, of each device's part, before anybody begins.
  void reserve() {
    for (std::size_t i = 0; i < board_.splits.size(); ++i) {
      WorkSplit& split = *board_.splits[i];
      const double left_to_device = split.flops_left() * (1 - *host_.fraction);
      while (const auto block = split.last_block()) {
        const double surplus = split.flops_left() - left_to_device;
        const auto wanted = static_cast<std::int64_t>(surplus / block->flops_per_col + 0.5);
        const auto claim = split.claim_back(std::min(wanted, most_columns(block->flops_per_col)));
        if (!claim) break;
        reserved_.push_back({i, *claim});
      }
    }
  }

  std::optional<Slice> next() {
    if (host_.fraction) {
      if (reserved_.empty()) return {};
      const Slice slice = reserved_.front();
      reserved_.pop_front();
      return slice;
    }
    // From the device that has most left to do.
    std::size_t chosen = 0;
    double longest = 0;
    for (std::size_t i = 0; i < board_.splits.size(); ++i) {
      const double rate = std::max(1.0, board_.shares[i].rate);
      const double seconds = board_.splits[i]->flops_left() / rate;
      if (seconds > longest) {
        longest = seconds;
        chosen = i;
      }
    }
    WorkSplit& split = *board_.splits[chosen];
    const auto block = split.last_block();
    if (!block) return {};
    const std::int64_t cols =
        host_columns(split.flops_left(), board_.shares[chosen].rate, host_.rate,
                     block->flops_per_col, kGrain, most_columns(block->flops_per_col));
    const auto claim = split.claim_back(cols);
    if (!claim) return {};
    return Slice{chosen, *claim};
  }

  void enqueue(const Slice& slice) {
    const DeviceShare& share = board_.shares[slice.share];
    const Plan& plan = share.pipeline->plan();
    const std::int64_t number = plan.first_step_of(slice.claim.block);
    const Step& step = plan.steps[static_cast<std::size_t>(number)];
    const std::int64_t row = plan.rows.begin(step.row), rows = plan.rows.length(step.row);
    const std::int64_t col = plan.cols.begin(step.col) + slice.claim.first_col;
    const Operands& all = share.operands;
    Timed item;
    item.span = {.stage = Stage::HostProduct,
                 .step = number,
                 .flops = Shape{rows, slice.claim.cols, all.a.cols}.flops()};
    const hpcx::StreamRef stream = streams_[timed_.size() % streams_.size()];
    item.begin = stream.record();
    host_.device->blas().gemm(
        stream, {all.alpha, all.a.row_range(row, rows), all.b.col_range(col, slice.claim.cols),
                 all.beta, all.c.block(row, col, rows, slice.claim.cols)});
    item.end = stream.record();
    run_.flops += item.span.flops;
    timed_.push_back(std::move(item));
  }

  const HostShare& host_;
  Board& board_;
  Clock::time_point start_;
  std::array<hpcx::Stream, 2> streams_;
  std::deque<Slice> reserved_;
  std::vector<Timed> timed_;
  HostRun run_;
};

}  // namespace

double GemmRun::flops() const {
  double sum = host.flops;
  for (const DeviceRun& device : devices)
    sum += device.flops;
  return sum;
}

double GemmRun::imbalance() const {
  double first = std::numeric_limits<double>::max(), last = 0;
  const auto ended = [&](double at) {
    first = std::min(first, at);
    last = std::max(last, at);
  };
  for (const DeviceRun& device : devices)
    ended(device.seconds);
  if (host.flops > 0) ended(host.seconds);
  return last > 0 ? (last - first) / last : 0;
}

double GemmRun::fill() const {
  double longest = 0;
  for (const DeviceRun& device : devices)
    longest = std::max(longest, total_of(device.spans, Stage::Product).begin);
  return longest;
}

double GemmRun::drain() const {
  double longest = 0;
  for (const DeviceRun& device : devices)
    if (device.flops > 0)
      longest = std::max(longest, device.seconds - total_of(device.spans, Stage::Product).end);
  return longest;
}

StageTotal GemmRun::total(Stage stage) const {
  if (stage == Stage::HostProduct) return total_of(host.spans, stage);
  StageTotal sum;
  for (const DeviceRun& device : devices) {
    const StageTotal one = total_of(device.spans, stage);
    sum.busy = std::max(sum.busy, one.busy);
    sum.begin = std::max(sum.begin, one.begin);
    sum.end = std::max(sum.end, one.end);
    sum.bytes += one.bytes;
    sum.flops += one.flops;
  }
  return sum;
}

GemmRun run_gemm(const std::vector<DeviceShare>& shares, const std::optional<HostShare>& host,
                 const RunLimits& limits) {
  Board board(shares, std::max<std::int64_t>(0, limits.most_blocks));
  GemmRun run;
  run.devices.resize(shares.size());
  for (const DeviceShare& share : shares)
    share.pipeline->device().synchronize();
  const Clock::time_point start = Clock::now();
  std::optional<HostWorker> worker;
  if (host) worker.emplace(*host, board, start);
  board.devices_at_work = static_cast<int>(shares.size());
  {
    const std::vector<std::jthread> threads = hpcx::start_threads(
        static_cast<int>(shares.size()), "a device's pipeline", [&](int number) {
          const auto i = static_cast<std::size_t>(number);
          try {
            run.devices[i] = shares[i].pipeline->run(shares[i].operands, *board.splits[i], start,
                                                     limits.active, limits.most_blocks);
          } catch (...) {
            board.fail(std::current_exception());
          }
          --board.devices_at_work;
        });
    try {
      if (worker) run.host = worker->run(limits.most_blocks >= 0);
    } catch (...) {
      board.fail(std::current_exception());
    }
  }
  if (board.failure) std::rethrow_exception(board.failure);
  run.seconds = seconds_since(start);
  return run;
}

double host_rate(hpcx::Device& host, const Operands& operands, double seconds) {
  const hpcx::Stream stream = host.create_stream(hpcx::Priority::Normal);
  const std::int64_t rows = std::min<std::int64_t>(operands.c.rows, 4096);
  const std::int64_t depth = std::min<std::int64_t>(operands.a.cols, 4096);
  const std::int64_t cols = std::min<std::int64_t>(operands.c.cols, 512);
  double flops = 0;
  const Clock::time_point start = Clock::now();
  do {
    host.blas().gemm(stream, {operands.alpha, operands.a.block(0, 0, rows, depth),
                              operands.b.block(0, 0, depth, cols), operands.beta,
                              operands.c.block(0, 0, rows, cols)});
    stream.ref().synchronize();
    flops += Shape{rows, cols, depth}.flops();
  } while (seconds_since(start) < seconds);
  return flops / seconds_since(start);
}

}  // namespace hpl::gemm
