#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "hpl/machine/model/prediction.h"
#include "made_up_machine.h"

// Products, and what runs beside them: each takes from the other.

namespace hpl {
namespace {

using test::only_products;
using test::spec_of;

double seconds(const DecidedRun& decided, const Rates& rates) {
  return predict(ModelKind::Simulated, decided, rates).seconds;
}
double seconds(const RunSpec& spec, const Rates& rates) {
  return seconds(decided_run(spec, rates), rates);
}

// Without look-ahead a panel that the second chunk hides takes from its products all the same.
TEST(BesideProducts, PanelsTakeFromThemWithoutLookAheadToo) {
  Rates rates = only_products();
  rates.device_panel->seconds = test::always(2, 0.05);
  RunSpec spec = spec_of(32768, 1024);
  spec.depth = 0;
  DecidedRun decided = decided_run(spec, rates);
  decided.settings.stages.schedule.chunk_columns = 8192;
  const double hidden = seconds(decided, rates);
  rates.device_panel->product_beside = 0.5;
  // Of 31 panels, those that products of another chunk are as long as.
  EXPECT_GT(seconds(decided, rates), hidden + 10 * 0.5 * 0.05);
  EXPECT_LT(seconds(decided, rates), hidden + 31 * 0.5 * 0.05);
}

// Products lose to solves beside them for twice as long.
TEST(BesideProducts, SolvesLastLonger) {
  Rates rates = only_products();
  rates.solve_gflops = test::always(2, 500);
  rates.shared.product_beside_solve = 0.6;
  DecidedRun decided = decided_run(spec_of(65536, 1024), rates);
  decided.settings.stages.schedule.chunk_columns = 8192;
  const auto lost_to_solves = [&](double fraction) {
    rates.shared.solve_beside_product = fraction;
    return seconds(decided, rates) - seconds(decided, only_products());
  };
  const double at_full_rate = lost_to_solves(1);
  EXPECT_NEAR(lost_to_solves(0.5), 2 * at_full_rate, 0.1 * at_full_rate);
}

Rates of_one_core() {
  Rates rates = only_products();
  rates.device_panel->seconds = test::always(2, 0.1);
  rates.host_panel = rates.device_panel;
  rates.host_panel->product_beside = 0;
  rates.shared.product_beside_solve = 0;
  rates.solve_gflops = test::always(2, 50);
  rates.kind = ProcessorKind::Cpu;
  return rates;
}

// One core does one thing at a time: panels and solves, and all that they take from products. A
// rank that waits for a panel exchanges rows for the one before, and does not wait with that too.
TEST(BesideProducts, WorkersOfAProcessorShareACore) {
  const Rates rates = of_one_core();
  for (const int columns : {1, 2}) {
    DecidedRun decided = decided_run(spec_of(16384, 1024, 1, columns), rates);
    decided.settings.pipeline = PipelineKind::Serial;
    const double serial = seconds(decided, rates);
    decided.settings.pipeline = PipelineKind::Fine;
    EXPECT_NEAR(seconds(decided, rates), serial, 0.01 * serial) << columns;
  }
}

// A core that takes in panels multiplies for as much less, and for no more.
TEST(BesideProducts, APanelCostsTheCoreThatReceivesItWhileItTravels) {
  Rates rates = of_one_core();
  rates.host_panel->seconds = test::always(2, 0.01);
  for (LinkRates& link : rates.links)
    link.seconds = test::messages(1e-6, 10);
  const double travelling = 8e-9 * 16384.0 * 16384 / 2 / 10;  // all panels, to one rank
  DecidedRun decided = decided_run(spec_of(16384, 1024, 1, 2), rates);
  decided.settings.pipeline = PipelineKind::Fine;
  rates.shared.product_beside_messages = 1;
  const double free = seconds(decided, rates);
  rates.shared.product_beside_messages = 0;
  const double with = seconds(decided, rates);
  EXPECT_GT(with, free + 0.25 * travelling);
  EXPECT_LT(with, free + 1.1 * travelling);
}

TEST(BesideProducts, TheSerialPipelineHasNoNarrowPanels) {
  Rates rates = only_products();
  DecidedRun decided = decided_run(spec_of(8192, 1024), rates);
  decided.settings.pipeline = PipelineKind::Serial;
  const double alone = seconds(decided, rates);
  rates.narrow_panel = PanelRates{test::always(2, 1), {}};
  rates.narrow_panel_columns = 1;
  EXPECT_DOUBLE_EQ(seconds(decided, rates), alone);
  decided.settings.pipeline = PipelineKind::Fine;
  EXPECT_GT(seconds(decided, rates), alone + 6);
}

// A wide panel takes more from the products beside it than a narrow one.
TEST(BesideProducts, PanelsTakeFromThemByTheirSize) {
  Rates rates = only_products();
  rates.device_panel->seconds = test::always(2, 0.1);
  const RunSpec spec = spec_of(32768, 1024);
  const double alone = seconds(spec, rates);
  rates.device_panel->product_beside_by_size = {{{8192}, {512, 1024}}, {1, 0.5}};
  rates.device_panel->beside_product_by_size = test::always(2, 1);
  // The panels of the first half, about: later ones take longer than the products beside them.
  EXPECT_GT(seconds(spec, rates), alone + 10 * 0.05);
  rates.device_panel->product_beside_by_size = {{{8192}, {512, 1024}}, {0.5, 1}};
  EXPECT_NEAR(seconds(spec, rates), alone, 1e-9);
}

// Rows that travel between process rows cost products what messages do, where that was measured.
TEST(BesideProducts, MessagesOfAnExchangeAreToldFromCopies) {
  Rates rates = only_products();
  rates.links.front().seconds = test::messages(1e-9, 10);
  rates.shared.product_beside_swap = 0.5;
  const RunSpec spec = spec_of(32768, 1024, 2, 1);
  const double as_copies = seconds(spec, rates);
  rates.shared.product_beside_exchange = 0.5;
  EXPECT_NEAR(seconds(spec, rates), as_copies, 1e-9);
  rates.shared.product_beside_exchange = 1;
  // Sum over the steps of 8 w c bytes: 3/4 of them to exchange, 1/2 to gather.
  const double exchanges = 1.25 * 8 * 32768.0 * 32768 / 2 / 10e9;
  EXPECT_NEAR(seconds(spec, rates), as_copies - 0.5 * exchanges, 0.15 * exchanges);
}

double exchanging(const Rates& rates) {
  const DecidedRun decided = decided_run(spec_of(16384, 1024, 2, 1), rates);
  return predict(ModelKind::Simulated, decided, rates).busy[Phase::RowSwap];
}

// Products slow down the copies of an exchange, and no messages.
TEST(BesideProducts, MessagesOfAnExchangeKeepTheirRate) {
  Rates rates = only_products();
  rates.links.front().seconds = test::messages(1e-9, 10);
  const double messages = exchanging(rates);
  rates.shared.swap_beside_product = 0.1;
  EXPECT_NEAR(exchanging(rates), messages, 1e-3 * messages);
  rates.row_copy_gbytes = test::always(1, 10);
  const double copies = 3.5 * 8 * 16384.0 * 16384 / 2 / 10e9;
  EXPECT_GT(exchanging(rates), messages + 2 * copies);
}

// The process row that has the panel sends rows away while fewer come: the link is idle the other
// way round for a part of that.
TEST(BesideProducts, AnExchangeGoesOneWayInPart) {
  Rates rates = only_products();
  rates.links.front().seconds = test::messages(1e-9, 1);
  const double both_ways = exchanging(rates);
  rates.links.front().seconds_alone = test::messages(1e-9, 2);
  const double one_way = 8 * 16384.0 * 16384 / 2 / 2;
  EXPECT_NEAR(both_ways - exchanging(rates), one_way * (1 / 1e9 - 1 / 2e9), 0.02 * both_ways);
}

/// Messages take most of the time, those along rows and along columns about as much.
Rates of_messages(double row_gbytes, double column_gbytes) {
  Rates rates = only_products();
  rates.product_gflops = test::always(3, 20000);
  rates.links = {
      {.neighbours = Neighbours::Row, .seconds = test::messages(1e-9, row_gbytes)},
      {.neighbours = Neighbours::Column, .seconds = test::messages(1e-9, column_gbytes)}};
  return rates;
}

void set_message_shares(Rates& rates, double share) {
  rates.shared.broadcast_beside_exchange = rates.shared.exchange_beside_broadcast = share;
}

// On one link both take as long as one after the other, on two links as long as the longer one.
// Products are hidden.
TEST(BesideProducts, BroadcastsAndExchangesOfARankShareItsLink) {
  const RunSpec spec = spec_of(98304, 128, 2, 2);
  Rates rates = of_messages(1, 1.25);
  const double row = seconds(spec, of_messages(1, test::kNoLimit));
  const double column = seconds(spec, of_messages(test::kNoLimit, 1.25));
  for (const ModelKind kind : {ModelKind::Simulated, ModelKind::Sampled}) {
    const auto with_share = [&](double share, PipelineKind pipeline) {
      set_message_shares(rates, share);
      DecidedRun decided = decided_run(spec, rates);
      decided.settings.pipeline = pipeline;
      return predict(kind, decided, rates).seconds;
    };
    const double two_links = with_share(1, PipelineKind::Fine);
    EXPECT_NEAR(two_links, std::max(row, column), 0.1 * row) << to_string(kind);
    EXPECT_NEAR(with_share(0.999999, PipelineKind::Fine), two_links, 1e-3 * row) << to_string(kind);
    const double one_link = with_share(0.5, PipelineKind::Fine);
    EXPECT_NEAR(one_link, row + column, 0.02 * (row + column)) << to_string(kind);
    EXPECT_GT(with_share(0.5, PipelineKind::Serial), one_link) << to_string(kind);
    // Messages of the coarse pipeline follow each other anyway.
    EXPECT_EQ(with_share(0.5, PipelineKind::Coarse), with_share(1, PipelineKind::Coarse));
  }
}

TEST(BesideProducts, MessagesOfOneDirectionHaveTheLinkForThemselves) {
  Rates rates = of_messages(1, 1.25);
  for (const auto& [rows, columns] : {std::pair(1, 4), std::pair(4, 1)}) {
    const RunSpec spec = spec_of(32768, 1024, rows, columns);
    set_message_shares(rates, 1);
    const double whole = seconds(spec, rates);
    set_message_shares(rates, 0.5);
    EXPECT_EQ(seconds(spec, rates), whole) << rows;
  }
}

// A panel loses to products while these last, on the process that makes it.
TEST(BesideProducts, PanelsAreSlowOnlyWhileProductsLast) {
  Rates rates = only_products();
  rates.device_panel->seconds = test::always(2, 1);
  rates.device_panel->beside_product = 0.5;
  // 16 panels of a second; two process columns. The products beside a panel are those of all block
  // columns that its owner has left but one. The next panel's own columns come before it.
  double expected = 16, ahead = 0;
  for (int k = 1; k < 16; ++k) {
    const double columns = 1024.0 * ((16 - k + 1) / 2 - 1);
    expected += 0.5 * 2 * 1024.0 * (16 - k) * columns * 1024 / 1e12;
    ahead += 2 * 1024.0 * (16 - k) * 1024 * 1024 / 1e12;
  }
  EXPECT_NEAR(seconds(spec_of(16 * 1024, 1024, 1, 2), rates), expected + ahead, 0.002 * expected);
}

}  // namespace
}  // namespace hpl
