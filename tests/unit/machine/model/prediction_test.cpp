#include "hpl/machine/model/prediction.h"

#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hpcx/device.h"
#include "hpl/base/error/error.h"
#include "hpl/machine/model/machine_sheet.h"
#include "made_up_machine.h"
#include "support/message_of.h"

namespace hpl {
namespace {

using test::gpu_cluster_sheet;
using test::kNoLimit;
using test::kNoTime;
using test::only_products;
using test::spec_of;

constexpr ModelKind kAll[] = {ModelKind::Sampled, ModelKind::Simulated};

Prediction predicted(ModelKind kind, const RunSpec& spec, const Rates& rates) {
  return predict(kind, decided_run(spec, rates), rates);
}
double seconds(ModelKind kind, const RunSpec& spec, const Rates& rates) {
  return predicted(kind, spec, rates).seconds;
}

void scale_products(MachineSheet& sheet, double factor) {
  for (double& gflops : sheet.accelerator->product_gflops)
    gflops *= factor;
}

Rates cluster_rates() {
  return rates_of(parse_machine_sheet("machine.json", gpu_cluster_sheet()));
}

TEST(Models, AgreeWhereOnlyProductsTakeTime) {
  // Sum of 2 m n NB over the tails; b is one column more, padded to 16.
  double expected = 0;
  for (double left = 8192 - 512; left > 0; left -= 512)
    expected += 2 * left * (left + 16) * 512 / 1e12;
  EXPECT_NEAR(seconds(ModelKind::Simulated, spec_of(8192, 512), only_products()), expected,
              1e-3 * expected);
}

TEST(Simulation, HidesNoPanelThatNothingRunsBeside) {
  Rates rates = only_products();
  rates.product_gflops = test::always(3, test::kNoLimit);
  rates.device_panel->seconds = test::always(2, 1);
  // Five panels, one after another.
  EXPECT_NEAR(seconds(ModelKind::Simulated, spec_of(5 * 256, 256), rates), 5, 1e-3);
}

TEST(Simulation, HidesPanelsBehindProductsThatTakeLonger) {
  Rates rates = only_products();
  const RunSpec spec = spec_of(32768, 512);
  const double products = seconds(ModelKind::Simulated, spec, rates);
  // A tenth of the first product, and no more than the last ones.
  rates.device_panel->seconds = test::always(2, 0.02);
  const Prediction with = predicted(ModelKind::Simulated, spec, rates);
  EXPECT_GT(with.seconds, products + 0.02);
  EXPECT_LT(with.seconds, products + 0.5 * 64 * 0.02);
  EXPECT_NEAR(with.busy[Phase::PanelFactorization], 64 * 0.02, 1e-6);
  EXPECT_NEAR(with.exposed[Phase::PanelFactorization], with.seconds - products, 1e-3);
  // Without look-ahead nothing hides them.
  RunSpec without = spec;
  without.depth = 0;
  EXPECT_NEAR(seconds(ModelKind::Simulated, without, rates), products + 64 * 0.02, 0.01);
}

TEST(Simulation, PassesAPanelOnFromProcessToProcess) {
  Rates rates = only_products();
  rates.product_gflops = test::always(3, test::kNoLimit);
  // A second each, whatever its length.
  for (LinkRates& link : rates.links)
    link.seconds = test::always(1, 1);
  RunSpec spec = spec_of(512, 512, 1, 4);
  const auto time = [&](BroadcastVariant variant) {
    spec.broadcast = variant;
    DecidedRun decided = decided_run(spec, rates);
    return predict(ModelKind::Simulated, decided, rates).busy[Phase::PanelBroadcast] * 4;
  };
  // Arrivals at 1, 2, 3: the sum over the ranks that wait.
  EXPECT_NEAR(time(BroadcastVariant::Ring1), 1 + 2 + 3, 1e-6);
  // The first alone; then the root goes on to the others.
  EXPECT_NEAR(time(BroadcastVariant::Ring1M), 1 + 2 + 3, 1e-6);
  EXPECT_NEAR(time(BroadcastVariant::Ring2), 1 + 2 + 3, 1e-6);
  const double by_long = time(BroadcastVariant::Long);
  EXPECT_GT(by_long, 1 + 2 + 3 + 1e-3);
  // A library's own broadcast is a ring whatever is asked for, also between nodes alone.
  rates.ranks_per_node = 1;
  rates.links = {{.place = LinkPlace::BetweenNodes, .seconds = test::always(1, 1)}};
  EXPECT_NEAR(time(BroadcastVariant::Long), by_long, 1e-6);
  rates.links.front().transport = "nccl";
  EXPECT_NEAR(time(BroadcastVariant::Long), 1 + 2 + 3, 1e-6);
}

TEST(Simulation, IsAsSlowAsTheSlowestRank) {
  Rates rates = only_products();
  const RunSpec spec = spec_of(16384, 256, 2, 2);
  const double equal = seconds(ModelKind::Simulated, spec, rates);
  rates.rank_speeds = {1, 1, 0.5, 1};
  const auto slow = [&](BalanceRequest balance) {
    const DecidedRun decided = decided_run(spec, rates, {.balance = balance});
    return predict(ModelKind::Simulated, decided, rates).seconds;
  };
  EXPECT_GT(slow(BalanceRequest::Off), 1.8 * equal);
  // Blocks follow the rates, as in the run: its row has a third of them. Its neighbour could have
  // two thirds of them.
  EXPECT_NEAR(slow(BalanceRequest::Auto), 4.0 / 3 * equal, 0.04 * equal);
  rates.rank_speeds.push_back(1);  // of other ranks than those of the run
  EXPECT_GT(slow(BalanceRequest::Auto), 1.8 * equal);
}

TEST(Simulation, KnowsThePipelinesOfOneThread) {
  Rates rates = only_products();
  rates.device_panel->seconds = test::always(2, 0.01);
  DecidedRun decided = decided_run(spec_of(16384, 512, 1, 2), rates);
  const auto seconds_of = [&](PipelineKind pipeline) {
    decided.settings.pipeline = pipeline;
    decided.settings.stages.schedule.host_ahead = host_ahead(pipeline);
    return predict(ModelKind::Simulated, decided, rates).seconds;
  };
  const double fine = seconds_of(PipelineKind::Fine);
  const double coarse = seconds_of(PipelineKind::Coarse);
  const double serial = seconds_of(PipelineKind::Serial);
  // Panels beside updates cost the coarse pipeline nothing, while the serial one waits for each.
  EXPECT_NEAR(coarse, fine, 0.05 * fine);
  EXPECT_GT(serial, fine + 10 * 0.01);
}

TEST(Simulation, TellsThePhasesOfEachRank) {
  const Rates rates = cluster_rates();
  for (const RankOrder order : {RankOrder::RowMajor, RankOrder::ColumnMajor}) {
    RunSpec spec = spec_of(5 * 512, 512, 2, 4);
    spec.rank_order = order;
    const Prediction simulated = predicted(ModelKind::Simulated, spec, rates);
    ASSERT_EQ(simulated.rank_busy.size(), 8U);
    PhaseTimes sum;
    for (const PhaseTimes& times : simulated.rank_busy)
      for (std::size_t phase = 0; phase < kPhaseCount; ++phase)
        sum.seconds[phase] += times.seconds[phase];
    for (std::size_t phase = 0; phase < kPhaseCount; ++phase)
      EXPECT_NEAR(sum.seconds[phase] / 8, simulated.busy.seconds[phase], 1e-9) << phase;
    // Of five block columns the first process column has two, and makes two panels.
    const std::size_t first = 0, last = order == RankOrder::RowMajor ? 3 : 6;
    EXPECT_GT(simulated.rank_busy[first][Phase::PanelFactorization],
              1.5 * simulated.rank_busy[last][Phase::PanelFactorization]);
  }
}

TEST(Models, AreNeverFasterThanTheirProducts) {
  const Rates rates = cluster_rates();
  for (const ModelKind kind : kAll)
    for (const std::int64_t order : {10000, 50000, 200000}) {
      const Prediction one = predicted(kind, spec_of(order, 1024, 2, 4), rates);
      EXPECT_LT(one.gflops, 8 * 55000) << to_string(kind) << order;
      EXPECT_GT(one.seconds, 0);
    }
}

TEST(Models, ReachMoreWithALargerMatrix) {
  const Rates rates = cluster_rates();
  for (const ModelKind kind : kAll) {
    double before = 0;
    for (const std::int64_t order : {8192, 16384, 32768, 65536, 131072}) {
      const double gflops = predicted(kind, spec_of(order, 1024, 2, 4), rates).gflops;
      EXPECT_GT(gflops, before) << to_string(kind) << " " << order;
      before = gflops;
    }
  }
}

TEST(Models, AreNotSlowerOnAFasterMachine) {
  const MachineSheet sheet = parse_machine_sheet("machine.json", gpu_cluster_sheet());
  MachineSheet wider = sheet, closer = sheet, faster = sheet;
  wider.nic_gbits *= 2;
  closer.in_node_gbytes *= 2;
  scale_products(faster, 1.2);
  const RunSpec spec = spec_of(200000, 1024, 4, 8);
  for (const ModelKind kind : kAll) {
    const double before = seconds(kind, spec, rates_of(sheet));
    for (const MachineSheet& changed : {wider, closer, faster})
      EXPECT_LE(seconds(kind, spec, rates_of(changed)), before * (1 + 1e-9)) << to_string(kind);
  }
}

TEST(Models, SampledAgreesWithSimulated) {
  struct Case {
    RunSpec spec;
    double nic_gbits = 400, products = 1;  // products: beside those of the sheet
    int depth = 1;
    PipelineKind pipeline = PipelineKind::Fine;
    bool host_memory = false;
  };
  constexpr auto kCoarse = PipelineKind::Coarse, kSerial = PipelineKind::Serial;
  const Case cases[] = {
      {spec_of(98304, 1024), 400},  // played as it is
      {spec_of(200000, 1024, 2, 4), 400},
      {spec_of(100000, 512, 4, 8), 400},
      {spec_of(540000, 1024, 8, 8), 400},
      {spec_of(540000, 1024, 8, 8), 400, 1, 1, kCoarse},
      {spec_of(540000, 1024, 8, 8), 400, 1, 1, kSerial},
      {spec_of(600000, 1024, 4, 8), 400, 1, 1, PipelineKind::Fine, true},
      {spec_of(250000, 512, 8, 1), 400},
      {spec_of(250000, 512, 1, 8), 400, 1, 1, kSerial},
      {spec_of(500000, 2048, 16, 16), 400},       // two thirds panels and messages
      {spec_of(250000, 1024, 16, 16), 400},       // panels
      {spec_of(600000, 1536, 16, 16), 200},       // exchange of rows
      {spec_of(300000, 1024, 4, 32), 100},        // panels leave their nodes slowly
      {spec_of(400000, 1024, 8, 16), 50},         // broadcasts
      {spec_of(400000, 1024, 8, 16), 400, 0.25},  // products
      {spec_of(250000, 1024, 8, 16), 400, 1, 0},  // no look-ahead
      {spec_of(250000, 1024, 8, 16), 400, 1, 2},
  };
  for (const auto& [given, nic_gbits, products, depth, pipeline, host_memory] : cases) {
    RunSpec spec = given;
    spec.depth = depth;
    SCOPED_TRACE(testing::Message()
                 << spec.order << " " << spec.grid_rows << " x " << spec.grid_columns << " "
                 << nic_gbits << " Gb/s depth " << depth << " " << to_string(pipeline));
    MachineSheet sheet = parse_machine_sheet("machine.json", gpu_cluster_sheet());
    sheet.nic_gbits = nic_gbits;
    scale_products(sheet, products);
    const Rates rates = rates_of(sheet);
    const MatrixRequest matrix = host_memory ? MatrixRequest::Host : MatrixRequest::Device;
    DecidedRun decided = decided_run(spec, rates, {.matrix = matrix});
    decided.settings.pipeline = pipeline;
    const Prediction simulated = predict(ModelKind::Simulated, decided, rates);
    const Prediction sampled = predict(ModelKind::Sampled, decided, rates);
    EXPECT_NEAR(sampled.seconds, simulated.seconds, 0.01 * simulated.seconds);
    // Not the sum alone: where the time goes. A rank that waits until another row of its column has
    // the panel waits for a broadcast in the sampled model, which plays one row.
    const auto exposed = [](const Prediction& prediction, Phase phase) {
      const double waiting = phase == Phase::PanelBroadcast ? prediction.waiting_seconds : 0;
      return prediction.exposed[phase] + waiting;
    };
    for (int i = 0; i < kPhaseCount; ++i) {
      const auto phase = static_cast<Phase>(i);
      EXPECT_NEAR(exposed(sampled, phase), exposed(simulated, phase), 0.03 * simulated.seconds)
          << to_string(phase);
    }
  }
}

TEST(Models, KnowNoPhasesOfEachRankWhereSomeStepsAreSampled) {
  for (const int columns : {1, 8})
    EXPECT_TRUE(
        predicted(ModelKind::Sampled, spec_of(columns * 250000, 64, 1, columns), cluster_rates())
            .rank_busy.empty());
}

// A run that is stopped early is the beginning of the whole one.
TEST(Models, SampleAsManyStepsAsARunMakes) {
  const Rates rates = cluster_rates();
  DecidedRun decided = decided_run(spec_of(540000, 1024, 8, 8), rates);
  for (const std::int64_t steps : {100, 400}) {
    decided.settings.stages.schedule.step_limit = steps;
    const double simulated = predict(ModelKind::Simulated, decided, rates).seconds;
    EXPECT_NEAR(predict(ModelKind::Sampled, decided, rates).seconds, simulated, 0.01 * simulated);
  }
}

// All time of a rank is either products or exposed.
TEST(Models, AccountForAllTime) {
  for (const ModelKind kind : kAll)
    for (const PipelineKind pipeline :
         {PipelineKind::Fine, PipelineKind::Coarse, PipelineKind::Serial}) {
      DecidedRun decided = decided_run(spec_of(50000, 512, 4, 8), cluster_rates());
      decided.settings.pipeline = pipeline;
      const Prediction all = predict(kind, decided, cluster_rates());
      double sum = all.waiting_seconds;
      for (const double seconds : all.exposed.seconds)
        sum += seconds;
      EXPECT_NEAR(sum, all.seconds, 1e-6 * all.seconds)
          << to_string(kind) << " " << to_string(pipeline);
    }
}

// Panels of 1024 columns on two process rows: what their pivots take is all.
TEST(Models, AssumeWhatPivotsTakeWhereThatWasNotMeasured) {
  Rates rates = only_products();
  rates.product_gflops = test::always(3, test::kNoLimit);
  const RunSpec spec = spec_of(8 * 1024, 1024, 2, 1);
  const auto a_column = [&] {
    return seconds(ModelKind::Simulated, spec, rates) / static_cast<double>(spec.order);
  };
  rates.device_panel->pivot_seconds = test::always(1, 7e-6);
  EXPECT_NEAR(a_column(), 7e-6, 1e-8);
  // Not the latency of what carries panels, unless that is less.
  rates.device_panel->pivot_seconds = {};
  rates.links.front().seconds = {{{8, 1e12}}, {58e-6, 58e-6}};
  EXPECT_NEAR(a_column(), 3e-6 + 2 * 8 * 58e-6 / 8192, 0.5e-6);
  rates.links.front().seconds = test::always(1, 1e-6);
  EXPECT_NEAR(a_column(), 1e-6, 1e-8);
  // Beside products a panel that takes less of the device has pivots of its own.
  rates.device_panel->pivot_seconds = test::always(1, 7e-6);
  rates.narrow_panel = rates.device_panel;
  rates.narrow_panel->pivot_seconds = test::always(1, 2e-6);
  rates.narrow_panel_columns = 1;
  EXPECT_NEAR(a_column(), (7e-6 + 7 * 2e-6) / 8, 1e-7);  // b is beside the last one
}

TEST(Models, MultiplyMoreSlowlyWhereNbIsNoMultipleOfSixteen) {
  Rates rates = only_products();
  rates.uneven_product_share = {{{1, 8}}, {0.5, 0.8}};
  EXPECT_DOUBLE_EQ(rates.product_share(1008), 1);
  EXPECT_DOUBLE_EQ(rates.product_share(1000), 0.8);
  EXPECT_DOUBLE_EQ(rates.product_share(1001), 0.5);
  const Rates even = only_products();
  for (const ModelKind kind : kAll) {
    const RunSpec spec = spec_of(20000, 1000);
    EXPECT_NEAR(seconds(kind, spec, rates), seconds(kind, spec, even) / 0.8, 1e-6)
        << to_string(kind);
  }
}

// Twice the rate for the first two seconds.
TEST(Models, AreFasterAfterAPause) {
  Rates rates = only_products();
  const auto seconds_of = [&](const RunSpec& spec, double gain) {
    rates.boost = {.gain = gain, .seconds = 2};
    return predict(ModelKind::Simulated, decided_run(spec, rates), rates);
  };
  const RunSpec longer = spec_of(32768, 1024), shorter = spec_of(8192, 1024);
  const double all = seconds_of(longer, 0).seconds;
  const Prediction boosted = seconds_of(longer, 1);
  EXPECT_NEAR(boosted.seconds, all - 2, 1e-6);
  EXPECT_NEAR(boosted.exposed[Phase::Multiply], boosted.seconds, 1e-3);
  EXPECT_NEAR(boosted.rank_busy.front()[Phase::Multiply], boosted.busy[Phase::Multiply], 1e-9);
  EXPECT_NEAR(seconds_of(shorter, 1).seconds, seconds_of(shorter, 0).seconds / 2, 1e-4);
}

TEST(Models, KnowTheInverseOfL11) {
  Rates rates = only_products();
  RunSpec spec = spec_of(8192, 1024);
  spec.depth = 0;
  const double without = seconds(ModelKind::Simulated, spec, rates);
  rates.inverse_seconds = {{{512, 1024}}, {1, 3}};
  EXPECT_NEAR(seconds(ModelKind::Simulated, spec, rates), without + 8 * 3, 0.01);
}

// Two steps of NB = 1024. Up to 32 processes all blocks of a step meet at one rank, beyond they
// follow each other along a tree.
TEST(Models, PriceTheMessagesOfTheBackSubstitution) {
  Rates rates = only_products();
  rates.task_seconds = 0;
  for (LinkRates& link : rates.links)  // 1 GB/s, without latency
    link.seconds = {{{1, 1e12}}, {1e-9, 1e3}};
  for (const auto& [processes, messages] : {std::pair(1, 0), {2, 1}, {32, 31}, {33, 6}, {64, 6}})
    for (const bool row : {false, true}) {
      const RunSpec spec = spec_of(2048, 1024, row ? 1 : processes, row ? processes : 1);
      EXPECT_NEAR(predicted(ModelKind::Simulated, spec, rates).busy[Phase::BackSubstitution],
                  2 * messages * 8192e-9, 1e-9)
          << processes;
    }
}

TEST(Simulation, CountsTheWayOfAHostsPanelAsTransferToTheHostAndAsFactorizationBack) {
  Rates rates = only_products();
  rates.host_panel = rates.device_panel;
  const auto busy = [&rates](double gbytes_to_host, double gbytes_to_device) {
    rates.copies = CopyRates{.host_to_device_gbytes = gbytes_to_device,
                             .device_to_host_gbytes = gbytes_to_host};
    DecidedRun decided = decided_run(spec_of(4096, 512), rates);
    decided.settings.stages.device_panel = false;
    return predict(ModelKind::Simulated, decided, rates).busy;
  };
  constexpr double kPanels = 8e-9 * 512 * 512 * (8 + 7 + 6 + 5 + 4 + 3 + 2 + 1);  // GB
  const PhaseTimes alone = busy(kNoLimit, kNoLimit);
  EXPECT_NEAR(busy(1, kNoLimit)[Phase::PanelTransfer], alone[Phase::PanelTransfer] + kPanels, 1e-6);
  EXPECT_NEAR(busy(kNoLimit, 1)[Phase::PanelFactorization],
              alone[Phase::PanelFactorization] + kPanels, 1e-6);
}

TEST(Models, SayWhichRateIsMissing) {
  Rates rates = only_products();
  rates.links.pop_back();
  rates.ranks_per_node = 2;
  EXPECT_EQ(test::message_of<ConfigError>([&] {
              static_cast<void>(predicted(ModelKind::Simulated, spec_of(1000, 100, 1, 4), rates));
            }),
            "a 1 x 4 grid with 1 x 2 ranks on a node needs the rate of a link between nodes, "
            "and the rates of made up hold none");
  DecidedRun decided = decided_run(spec_of(1000, 100), rates);
  decided.settings.stages.device_panel = false;
  EXPECT_THROW(static_cast<void>(predict(ModelKind::Sampled, decided, rates)), ConfigError);
}

TEST(Models, SayWhichLinksStandForOthers) {
  Rates rates = only_products();
  rates.ranks_per_node = 2;
  const auto remark = [&](int rows, int columns) {
    const auto remarks =
        remarks_on_rates(decided_run(spec_of(1000, 100, rows, columns), rates), rates);
    return remarks.empty() ? "" : remarks.front().text;
  };
  EXPECT_EQ(remark(4, 1), "") << "links of any neighbours";
  for (LinkRates& link : rates.links)
    link.neighbours = Neighbours::Row;
  EXPECT_EQ(remark(1, 4), "");
  EXPECT_EQ(remark(4, 1).find("the rates have no links along columns inside a node, along columns "
                              "between nodes: "),
            0U);
  EXPECT_EQ(remark(1, 1), "");
}

TEST(Models, TakeSmallAndEmptyMatrices) {
  const Rates rates = cluster_rates();
  for (const ModelKind kind : kAll)
    for (const std::int64_t order : {1, 5, 100, 1025})
      EXPECT_GE(seconds(kind, spec_of(order, 128, 2, 3), rates), 0) << order;
}

TEST(HostMemory, HoldsWhatTheDeviceDoesNot) {
  const Rates rates = cluster_rates();
  ASSERT_TRUE(rates.memory_bytes && rates.copies);
  const RunSpec spec = spec_of(100'000, 1024);
  const auto used = [](const DecidedRun& decided) {
    return static_cast<double>(decided.settings.memory.total().device);
  };
  ASSERT_GT(used(decided_run(spec, rates)), *rates.memory_bytes);
  const DecidedRun decided = decided_run(spec, rates, {.matrix = MatrixRequest::Host});
  EXPECT_TRUE(in_host_memory(decided));
  EXPECT_LE(used(decided), *rates.memory_bytes);
  EXPECT_GT(used(decided), 0.97 * *rates.memory_bytes);
}

// The machine of `rates` as a job on it sees it.
Facts facts_of_a_job(const Rates& rates) {
  return {.kind = ProcessorKind::Gpu,
          .device = "cuda",
          .shares_host_memory = false,
          .factorizes_panels = true,
          .stream_bytes = hpcx::kUsualStreamBytes,
          .threads = 11,
          .cores = 12,
          .ranks_per_node = rates.ranks_per_node,
          .memory = {.device = {static_cast<std::int64_t>(*rates.memory_bytes), "free memory"},
                     .host = {std::int64_t{1} << 42, "MemAvailable"}}};
}

TEST(Memory, OfAPredictionIsThatOfTheRun) {
  const Rates rates = cluster_rates();
  for (const auto& [rows, columns] : {GridShape{1, 1},
                                      {1, 2},
                                      {2, 1},
                                      {1, 3},
                                      {2, 2},
                                      {1, 5},
                                      {5, 1},
                                      {2, 3},
                                      {1, 7},
                                      {2, 4},
                                      {4, 2},
                                      {8, 1}})
    for (const std::int64_t block_size : {512, 1024, 2048})
      for (const double share : {0.3, 0.9, 1.5, 3.0})
        for (const Wishes& wishes :
             {Wishes{}, Wishes{.matrix = MatrixRequest::Host},
              Wishes{.panel = PanelRequest::Host, .matrix = MatrixRequest::Auto},
              Wishes{.pipeline = PipelineKind::Coarse, .chunk = 8192}}) {
          const double elements = share * *rates.memory_bytes / 8 * rows * columns;
          const auto order = static_cast<std::int64_t>(std::sqrt(elements));
          const RunSpec spec = spec_of(order, block_size, rows, columns);
          const RunSettings predicted = decided_run(spec, rates, wishes).settings;
          const RunSettings run = decide(spec, facts_of_a_job(rates), wishes);
          EXPECT_EQ(predicted.memory, run.memory)
              << order << " " << block_size << " " << rows << " x " << columns;
          const SchedulePolicy &one = predicted.stages.schedule, &other = run.stages.schedule;
          EXPECT_EQ(one.visits.resident_columns, other.visits.resident_columns);
          EXPECT_EQ(one.visits.steps, other.visits.steps);
          EXPECT_EQ(one.chunk_columns, other.chunk_columns);
          EXPECT_EQ(predicted.pipeline, run.pipeline);
          EXPECT_EQ(predicted.tile, run.tile);
        }
}

}  // namespace
}  // namespace hpl
