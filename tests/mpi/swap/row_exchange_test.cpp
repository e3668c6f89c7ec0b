#include "hpl/lu/swap/row_exchange.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "support/cpu_device.h"
#include "support/peer_device.h"
#include "support/random_pivots.h"

namespace hpl {
namespace {

constexpr std::int64_t kOrder = 61, kBlock = 7, kWidest = 40;

struct Way {
  SwapVariant variant;
  bool equilibrate;
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << to_string(way.variant) << (way.equilibrate ? ", equilibrated" : "");
}

class RealRowExchange : public testing::TestWithParam<std::tuple<Way, bool, TransportKind>> {
 protected:
  static RunSpec make_spec(int processes) {
    const auto& [way, transposed_u, transport] = GetParam();
    return {.order = kOrder,
            .block_size = kBlock,
            .grid_rows = processes,
            .swap = way.variant,
            .swap_threshold = 5,
            .transposed_u = transposed_u,
            .equilibrate = way.equilibrate};
  }
  /// Through the host in pieces of two columns or three.
  std::unique_ptr<Transport> make_transport() {
    const auto kind = std::get<TransportKind>(GetParam());
    if (kind == TransportKind::MpiHost)
      return make_mpi_host_transport(comm_, *device_, 3 * exchange_column_bytes(kBlock) - 8, 2);
    if (kind == TransportKind::Peer && comm_.size() > 1)
      return make_peer_transport(comm_, reachable_);
    return make_mpi_device_transport(comm_);
  }
  static double entry(std::int64_t row, std::int64_t column) {
    return static_cast<double>(1000 * row + column);
  }

  mpi::Communicator comm_ = mpi::Communicator::world();
  RunSpec spec_ = make_spec(comm_.size());
  LocalShape shape_ = local_shape(spec_, {comm_.rank(), 0});
  std::unique_ptr<hpcx::Device> device_ = test::open_cpu(1);
  test::PeerDevice reachable_{*device_};
  hpcx::Stream stream_ = device_->create_stream(hpcx::Priority::Normal);
};

TEST_P(RealRowExchange, DoesWhatSingleExchangesOfRowsDo) {
  DeviceExchangePlan plan(*device_, kBlock);
  const ExchangeBuffers space(reachable_, kBlock, kWidest, comm_.size() > 1);
  const auto transport = make_transport();
  const hpcx::Buffer* const memory_of_messages[] = {&space.message_memory()};
  const auto exposed = transport->expose(memory_of_messages);
  RowExchange exchange(*transport, spec_, mpi::WaitPolicy::sleeping());
  const hpcx::Buffer memory =
      device_->allocate(static_cast<std::size_t>(8 * shape_.stored_rows * kWidest));
  // The stand-in for the inverse of L11 shows whether each element was solved, and how often.
  std::array<double, kBlock * kBlock> twice{};
  for (std::int64_t i = 0; i < kBlock; ++i)
    twice[static_cast<std::size_t>(i * (kBlock + 1))] = 2;
  const hpcx::ConstMatrixView stand_in{twice.data(), kBlock, kBlock, kBlock,
                                       hpcx::Layout::RowMajor};
  std::array<double, kBlock * kWidest> elsewhere{};
  for (std::int64_t first = 0; first < kOrder; first += kBlock)
    for (const std::int64_t columns : {std::int64_t{1}, std::int64_t{5}, kWidest}) {
      const std::int64_t width = std::min(kBlock, kOrder - first);
      const auto pivots =
          test::random_pivots(kOrder, first, width, static_cast<unsigned>(first + columns));
      const auto original = test::exchange_one_by_one(kOrder, first, pivots);
      const hpcx::MatrixView chunk{memory.as<double>(), shape_.stored_rows, columns, columns,
                                   hpcx::Layout::RowMajor};
      for (std::int64_t i = 0; i < shape_.local_rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j)
          chunk(i, j) = entry(shape_.rows.to_global({i}).value, j);

      plan.assign(stream_, plan_row_exchange(permutation_of(pivots, first), shape_.rows, first));
      const hpcx::MatrixView u12 = exchange.solve_site(columns) == SolveSite::Divided
                                       ? space.u(width, columns, spec_.transposed_u)
                                       : space.u12(width, columns);
      const hpcx::MatrixView result =
          comm_.size() > 1
              ? u12
              : hpcx::MatrixView{elsewhere.data(), width, columns, columns, hpcx::Layout::RowMajor};
      exchange.exchange(stream_, chunk, plan.on_device(), space);
      for (const auto& [u, solved] : exchange.to_solve(columns, plan.on_device(), space, result))
        device_->blas().gemm(stream_, {1.0, stand_in.block(0, 0, width, width), u, 0.0, solved});
      if (exchange.solve_site(columns) == SolveSite::Divided)
        exchange.all_gather(stream_, plan.on_device(), space, result);
      stream_.ref().synchronize();

      for (std::int64_t t = 0; t < width; ++t)
        for (std::int64_t j = 0; j < columns; ++j)
          ASSERT_EQ(result(t, j), 2 * entry(original[first + t], j))
              << "first " << first << " row " << t;
      for (std::int64_t i = 0; i < shape_.local_rows; ++i) {
        const std::int64_t row = shape_.rows.to_global({i}).value;
        if (row >= first && row < first + width) continue;
        for (std::int64_t j = 0; j < columns; ++j)
          ASSERT_EQ(chunk(i, j), entry(original[row], j)) << "first " << first << " row " << row;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Ways, RealRowExchange,
                         testing::Combine(testing::Values(Way{SwapVariant::BinaryExchange, false},
                                                          Way{SwapVariant::SpreadRoll, false},
                                                          Way{SwapVariant::SpreadRoll, true},
                                                          Way{SwapVariant::Mix, true}),
                                          testing::Bool(),
                                          testing::Values(TransportKind::Peer,
                                                          TransportKind::MpiDevice,
                                                          TransportKind::MpiHost)));

}  // namespace
}  // namespace hpl
