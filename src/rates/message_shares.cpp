#include "message_shares.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "hpl/base/number/statistics.h"
#include "hpl/comm/mpi/wait_policy.h"

namespace hpl {

namespace {

/// Messages of a line, one after another.
class MessageSeries {
 public:
  using Begin = std::function<std::unique_ptr<Transfer>(int)>;

  /// `begin(i)`: begins message i in `stream`.
  MessageSeries(hpcx::StreamRef stream, int count, Begin begin)
      : stream_(stream), begin_(std::move(begin)), count_(count), start_(stream.record()) {}

  /// Moves on without blocking. True when nothing is left for the host to do.
  bool progress() {
    if (transfer_ && !transfer_->progress()) return false;
    transfer_.reset();
    if (begun_ < count_)
      transfer_ = begin_(begun_++);
    else if (end_.empty())
      end_ = stream_.record();
    return !end_.empty();
  }
  double seconds() const {
    end_.synchronize();
    return end_.seconds_since(start_);
  }

 private:
  hpcx::StreamRef stream_;
  Begin begin_;
  int count_, begun_ = 0;
  std::unique_ptr<Transfer> transfer_;
  hpcx::Event start_, end_;
};

struct LineSeconds {
  double row = 0, column = 0;
};

/// The share of its rate that work of `alone` seconds kept for the `shared` seconds beside other
/// work, if it took `together` seconds in all.
double kept(double alone, double together, double shared) {
  return std::clamp((alone - (together - shared)) / shared, 0.01, 1.0);
}

}  // namespace

void measure_message_shares(const RateTables& tables, const LineExchange& row,
                            const LineExchange& column, SharedRates& shared) {
  constexpr std::int64_t kBytes = std::int64_t{4} << 20;
  constexpr double kSeconds = 0.05;  // of the messages of a line
  constexpr int kRepeats = 5, kMostMessages = 100;
  const mpi::Communicator& world = tables.world();
  const std::int64_t bytes = std::min({kBytes, row.longest(), column.longest()});
  // The slowest rank counts.
  const auto seconds = [&](int along_row, int along_column) -> LineSeconds {
    world.barrier();
    MessageSeries of_row(row.stream(), along_row,
                         [&](int i) { return row.begin_one_way(bytes, i % 2 == 1); });
    MessageSeries of_column(column.stream(), along_column,
                            [&](int) { return column.begin(bytes); });
    // One thread moves both, so that no level of threads of MPI is needed.
    mpi::wait_until(row.wait(), [&] {
      const bool row_ends = of_row.progress(), column_ends = of_column.progress();
      return row_ends && column_ends;
    });
    return {world.all_reduce(of_row.seconds(), mpi::Reduce::Max),
            world.all_reduce(of_column.seconds(), mpi::Reduce::Max)};
  };
  seconds(2, 2);  // buffers are registered with the network at their first use
  const auto count = [](double of_two) {
    return 2 * static_cast<int>(std::clamp(kSeconds / of_two, 1.0, kMostMessages / 2.0));
  };
  const int along_row = count(seconds(2, 0).row), along_column = count(seconds(0, 2).column);
  std::vector<double> broadcast, exchange;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const double row_alone = seconds(along_row, 0).row;
    const double column_alone = seconds(0, along_column).column;
    const LineSeconds both = seconds(along_row, along_column);
    const double beside = std::min(both.row, both.column);
    broadcast.push_back(kept(row_alone, both.row, beside));
    exchange.push_back(kept(column_alone, both.column, beside));
  }
  shared.broadcast_beside_exchange = median(broadcast);
  shared.exchange_beside_broadcast = median(exchange);
}

}  // namespace hpl
