#include "hpl/machine/decide/decide.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "facts.h"
#include "hpl/base/error/error.h"
#include "support/message_of.h"

namespace hpl {
namespace {

using test::cpu_facts;
using test::gpu_facts;
using testing::HasSubstr;
using testing::Not;

RunSpec spec(int rows, int columns) {
  return {.order = 16000, .block_size = 100, .grid_rows = rows, .grid_columns = columns};
}

Decision decision(const RunSettings& settings, const std::string& about) {
  const auto at = std::ranges::find(settings.decisions, about, &Decision::about);
  return at == settings.decisions.end() ? Decision() : *at;
}

/// The remark about it; empty: none.
std::string remark(const RunSettings& settings, const std::string& about) {
  const auto at = std::ranges::find(settings.remarks, about, &Remark::about);
  return at == settings.remarks.end() ? "" : at->text;
}

TEST(Decide, ThePipelineFollowsCoresAndThreads) {
  struct Case {
    Facts facts;
    std::optional<PipelineKind> wish;
    int ranks;
    PipelineKind kind;
    const char* reason;
  };
  Facts single_thread_mpi = cpu_facts(8), gpu_of_such = gpu_facts();
  single_thread_mpi.thread_level = gpu_of_such.thread_level = mpi::ThreadLevel::Serialized;
  using Kind = PipelineKind;
  for (const auto& [facts, wish, ranks, kind, reason] :
       std::vector<Case>{{cpu_facts(8), {}, 2, Kind::Fine, "several cores"},
                         {cpu_facts(1), {}, 2, Kind::Serial, "one core a rank"},
                         {gpu_facts(), {}, 2, Kind::Fine, "beside the products on the GPU"},
                         {gpu_facts(), Kind::Coarse, 2, Kind::Coarse, "--pipeline asks for it"},
                         {single_thread_mpi, {}, 2, Kind::Serial, "several threads send"},
                         {single_thread_mpi, Kind::Fine, 2, Kind::Serial, "several threads send"},
                         {gpu_of_such, {}, 2, Kind::Coarse, "several threads send"},
                         {single_thread_mpi, {}, 1, Kind::Fine, "several cores"}}) {
    const RunSettings settings = decide(spec(1, ranks), facts, {.pipeline = wish});
    EXPECT_EQ(settings.pipeline, kind) << reason;
    EXPECT_EQ(settings.stages.schedule.host_ahead, host_ahead(kind));
    EXPECT_EQ(decision(settings, "pipeline").value, to_string(kind));
    EXPECT_THAT(decision(settings, "pipeline").reason, HasSubstr(reason));
    EXPECT_EQ(remark(settings, "pipeline").empty(), std::string(reason) != "several threads send");
  }
}

TEST(Decide, PanelsAreTheDevicesWhereItHasASolver) {
  const RunSettings on_device = decide(spec(1, 1), gpu_facts(), {});
  EXPECT_TRUE(on_device.stages.device_panel);
  EXPECT_EQ(on_device.stages.panel_compute_units, 32);
  EXPECT_EQ(decision(on_device, "panel units").value, "32");
  const RunSettings serial = decide(spec(1, 1), gpu_facts(), {.pipeline = PipelineKind::Serial});
  EXPECT_EQ(serial.stages.panel_compute_units, 0);
  const RunSettings asked = decide(spec(1, 1), gpu_facts(), {.panel = PanelRequest::Host});
  EXPECT_FALSE(asked.stages.device_panel);
  EXPECT_EQ(decision(asked, "panel").reason, "--panel host asks for it");
  const RunSettings cpu = decide(spec(1, 1), cpu_facts(), {.panel = PanelRequest::Device});
  EXPECT_FALSE(cpu.stages.device_panel);
  EXPECT_EQ(decision(cpu, "panel").reason, "the host is the device");
  EXPECT_THAT(remark(cpu, "panel"), HasSubstr("no effect"));
}

RunSpec tall(int rows, std::int64_t order) {
  RunSpec result = spec(rows, 1);
  result.order = order;
  result.block_size = 1024;
  return result;
}
Facts h100_facts() {
  Facts facts = gpu_facts();
  facts.multiprocessors = 132;
  return facts;
}

TEST(Decide, ANarrowPanelWidensAsItsRowsNeed) {
  // 524,288 rows and a block of them on each of two devices; a multiprocessor holds 8192.
  const RunSettings wide = decide(tall(2, 1 << 20), h100_facts(), {});
  EXPECT_TRUE(wide.stages.device_panel);
  EXPECT_EQ(wide.stages.panel_compute_units, 65);
  EXPECT_THAT(decision(wide, "panel units").reason, HasSubstr("tallest panel"));
  EXPECT_EQ(decide(tall(4, 1 << 20), h100_facts(), {}).stages.panel_compute_units, 33);
  EXPECT_EQ(decide(tall(8, 1 << 20), h100_facts(), {}).stages.panel_compute_units, 32);
}

TEST(Decide, PanelUnitsAskedForAreRaisedWithARemark) {
  const RunSettings settings = decide(tall(2, 40960), h100_facts(), {.panel_units = 1});
  EXPECT_EQ(settings.stages.panel_compute_units, 3);
  EXPECT_THAT(remark(settings, "panel"), HasSubstr("--panel-units 1: 3 are used"));
}

TEST(Decide, ASmallDeviceHasSmallerPanels) {
  Facts slice = gpu_facts();
  slice.multiprocessors = 14;
  EXPECT_EQ(decide(tall(2, 4096), slice, {}).stages.panel_compute_units, 14);
}

TEST(Decide, APanelThatDevicesCannotHoldIsTheHosts) {
  // The panel of a team gets 96 of 132 multiprocessors, that of one device all.
  const RunSettings two = decide(tall(2, 2 << 20), h100_facts(), {});
  EXPECT_FALSE(two.stages.device_panel);
  EXPECT_EQ(decision(two, "panel").value, "on the host");
  EXPECT_THAT(decision(two, "panel").reason, HasSubstr("needs 129 multiprocessors"));
  EXPECT_THAT(remark(two, "panel"), HasSubstr("host panel, not the device's"));
  EXPECT_TRUE(decide(tall(1, 1 << 20), h100_facts(), {}).stages.device_panel);
  EXPECT_FALSE(decide(tall(1, 132 * 8192), h100_facts(), {}).stages.device_panel);
}

TEST(Decide, DevicesMakePanelsOfUpTo128ProcessRows) {
  for (const int rows : {64, 65, 128})
    EXPECT_TRUE(decide(tall(rows, 1 << 20), h100_facts(), {}).stages.device_panel) << rows;
  const RunSettings more = decide(tall(129, 1 << 20), h100_facts(), {});
  EXPECT_FALSE(more.stages.device_panel);
  EXPECT_EQ(decision(more, "panel").reason, "more than 128 process rows");
}

TEST(Decide, WaitingThreadsPollWhereTheyHaveCores) {
  const auto polls = [](const Facts& facts) {
    return decide(spec(1, 2), facts, {}).stages.message_wait.spins();
  };
  EXPECT_TRUE(polls(cpu_facts(1)));
  EXPECT_FALSE(polls(cpu_facts(8)));
  EXPECT_TRUE(polls(gpu_facts()));
  Facts crowded = gpu_facts();
  crowded.oversubscribed = true;
  EXPECT_FALSE(polls(crowded));
  crowded = gpu_facts();
  crowded.cores = 3;
  EXPECT_FALSE(polls(crowded));
}

TEST(Decide, TheHostTakesNoPartWithoutCoresForIt) {
  RunSpec large = spec(1, 1);
  large.order = 100'000;
  Facts facts = test::with_memory(gpu_facts(), 50 * test::kGigabyte, 200 * test::kGigabyte);
  const Wishes wishes{.matrix = MatrixRequest::Host, .host_share = std::nullopt};
  EXPECT_TRUE(decide(large, facts, wishes).stages.schedule.host_takes_part);
  facts.cores = 4;
  const RunSettings settings = decide(large, facts, wishes);
  EXPECT_FALSE(settings.stages.schedule.host_takes_part);
  EXPECT_THAT(remark(settings, "host share"), HasSubstr("only 4 cores"));
  EXPECT_THAT(remark(decide(spec(1, 1), gpu_facts(), wishes), "host share"),
              HasSubstr("no columns are in host memory"));
}

TEST(Decide, RefusesWhatCannotBe) {
  Facts facts = gpu_facts();
  facts.emulates = false;
  RunSpec emulated = spec(1, 1);
  emulated.emulated_moduli = 14;
  EXPECT_THROW(decide(emulated, facts, {}), ConfigError);
  EXPECT_EQ(remark(decide(emulated, gpu_facts(), {}), "arithmetic"), "");
  EXPECT_EQ(
      test::message_of<ConfigError>([] { decide(spec(1, 1), gpu_facts(), {.visit_columns = 7}); }),
      "--matrix: columns must divide NB = 100, found 7");
}

TEST(Decide, RefusesSingularMatricesOfHplMxp) {
  Facts facts = cpu_facts();
  facts.mixed = true;
  const auto refusal = [&](MixedEntries entries, std::int64_t order) {
    RunSpec mixed = spec(1, 1);
    mixed.order = order;
    mixed.mixed = MixedSpec{.entries = entries};
    return test::message_of<ConfigError>([&] { decide(mixed, facts, {}); });
  };
  EXPECT_EQ(refusal(MixedEntries::DominantIcl, 3),
            "HPL-MxP: the matrix dominant:icl is singular for N below 4, found 3");
  EXPECT_EQ(refusal(MixedEntries::DominantOpenMxp, 1),
            "HPL-MxP: the matrix dominant:openmxp is singular for N below 2, found 1");
  EXPECT_EQ(refusal(MixedEntries::DominantIcl, 4), "no error");
  for (const auto& choice : kMixedEntries)
    EXPECT_EQ(refusal(choice.value, 0), "no error") << choice.name;
  EXPECT_EQ(refusal(MixedEntries::Conforming, 1), "no error");
}

TEST(Decide, SaysWhereEmulatedProductsDoNotPay) {
  RunSpec emulated = spec(1, 1);
  emulated.emulated_moduli = 14;
  const auto said = [&](Facts facts) { return remark(decide(emulated, facts, {}), "arithmetic"); };
  Facts gpu = gpu_facts();
  EXPECT_THAT(said(gpu), Not(HasSubstr("FP64 is faster"))) << "its rates are not known";
  gpu.int8_per_fp64 = 32;
  EXPECT_THAT(said(gpu), Not(HasSubstr("FP64 is faster")));
  gpu.int8_per_fp64 = 8;
  EXPECT_THAT(said(gpu),
              HasSubstr("14 products by INT8 stand for one, and this device makes 8.0 in "
                        "the time of one by FP64: FP64 is faster"));
  EXPECT_THAT(said(Facts{}), HasSubstr("FP64 is faster")) << "on a processor";
}

TEST(MixedSpec, IsChosenForTheDeviceAsFarAsWishesLeaveItOpen) {
  using hpcx::Precision;
  struct Case {
    MixedWishes wishes;
    ProcessorKind kind;
    Precision operands, storage;
  };
  for (const auto& [wishes, kind, operands, storage] : std::vector<Case>{
           {{}, ProcessorKind::Gpu, Precision::Fp16, Precision::Fp16},
           {{}, ProcessorKind::Cpu, Precision::Fp32, Precision::Fp32},
           {{.storage_bits = 32}, ProcessorKind::Gpu, Precision::Fp16, Precision::Fp32},
           {{.storage_bits = 16}, ProcessorKind::Cpu, Precision::Fp16, Precision::Fp16},
           {{.operands = Precision::Bf16}, ProcessorKind::Cpu, Precision::Bf16, Precision::Bf16}}) {
    const MixedSpec spec = mixed_spec(wishes, kind);
    EXPECT_EQ(spec.operands, operands);
    EXPECT_EQ(spec.storage, storage);
  }
  EXPECT_THROW(mixed_spec({.operands = Precision::Fp32, .storage_bits = 16}, ProcessorKind::Gpu),
               ConfigError);
}

TEST(Decide, OfHplMxpHasNoPanelsOfItsOwn) {
  const RunSpec mixed = make_mixed(spec(1, 2), {});
  const RunSettings settings = decide(mixed, gpu_facts(), {});
  EXPECT_FALSE(settings.stages.device_panel);
  EXPECT_EQ(decision(settings, "HPL-MxP").value, "MR11H16G");
  Facts without = gpu_facts();
  without.mixed = false;
  EXPECT_THROW(decide(mixed, without, {}), ConfigError);
}

TEST(Decide, AnOddBlockSizeIsSlowOnGpus) {
  RunSpec odd = spec(1, 1);
  odd.block_size = 1001;
  EXPECT_EQ(remark(decide(odd, gpu_facts(), {}), "NB"),
            "NB = 1001 is odd: products on a GPU are about a fifth slower than with 1000");
  EXPECT_EQ(remark(decide(odd, cpu_facts(), {}), "NB"), "");
  EXPECT_EQ(remark(decide(spec(1, 1), gpu_facts(), {}), "NB"), "");
  // One block: there is no tail to update.
  odd.order = 1001;
  EXPECT_EQ(remark(decide(odd, gpu_facts(), {}), "NB"), "");
}

TEST(Decide, LookAheadHasADeepest) {
  RunSpec deep = spec(1, 1);
  deep.depth = kDeepestLookAhead + 1;
  EXPECT_NE(remark(decide(deep, cpu_facts(), {}), "DEPTH"), "");
  EXPECT_EQ(decide(deep, cpu_facts(), {}).stages.schedule.look_ahead, kDeepestLookAhead);
  deep.depth = kDeepestLookAhead;
  EXPECT_EQ(remark(decide(deep, cpu_facts(), {}), "DEPTH"), "");
}

TEST(Decide, DistributesBlocksByRatesOnlyOfGpusAndWhereItPays) {
  const auto balance = [](const RunSpec& run, const Facts& facts, const Wishes& wishes) {
    return decide(run, facts, wishes).balance;
  };
  EXPECT_EQ(balance(spec(1, 2), gpu_facts(), {}), BalanceRequest::Rates);
  EXPECT_EQ(balance(spec(1, 2), cpu_facts(), {}), BalanceRequest::Even);
  EXPECT_EQ(balance(spec(1, 1), gpu_facts(), {}), BalanceRequest::Off);
  RunSpec small = spec(1, 2);
  small.order = 999;
  EXPECT_EQ(balance(small, gpu_facts(), {}), BalanceRequest::Even);
  EXPECT_EQ(balance(spec(1, 2), gpu_facts(), {.attainable_rate = false}), BalanceRequest::Even);
  EXPECT_EQ(balance(spec(1, 2), gpu_facts(), {.reproducible = true}), BalanceRequest::Even);
  EXPECT_EQ(balance(spec(1, 2), cpu_facts(), {.balance = BalanceRequest::Rates}),
            BalanceRequest::Rates);
}

TEST(Decide, NodesOfGpusFormTilesOfAGridOfAllRanks) {
  const NodeMap two_nodes({0, 0, 0, 0, 4, 4, 4, 4}), one_node({0, 0, 0, 0});
  EXPECT_EQ(node_tile({2, 4}, two_nodes, ProcessorKind::Gpu), choose_tile({2, 4}, 4));
  EXPECT_EQ(node_tile({2, 4}, two_nodes, ProcessorKind::Cpu), std::nullopt);
  EXPECT_EQ(node_tile({2, 2}, two_nodes, ProcessorKind::Gpu), std::nullopt);
  EXPECT_EQ(node_tile({2, 2}, one_node, ProcessorKind::Gpu), std::nullopt);
}

}  // namespace
}  // namespace hpl
