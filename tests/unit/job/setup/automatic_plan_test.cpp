#include "hpl/job/setup/automatic_plan.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu_like_device.h"
#include "hpl/job/setup/run_memory.h"
#include "hpl/machine/host/sizing.h"

namespace hpl {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kGibi = std::int64_t{1} << 30;

RunSettings settings_for(const hpcx::Device& device) {
  return device.shares_host_memory() ? RunSettings() : test::gpu_settings();
}

OrderWish wish_for(const hpcx::Device& device, GridShape grid, std::int64_t block_size,
                   std::int64_t bytes) {
  return {
      .runs = {{.block_size = block_size, .grid_rows = grid.rows, .grid_columns = grid.columns}},
      .settings = {settings_for(device)},
      .block_size = block_size,
      .memory = {{bytes, "free memory of the device"}, {bytes, "free memory of the host"}}};
}

std::int64_t needed(const OrderWish& wish, std::int64_t order, const hpcx::Device& device) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < wish.runs.size(); ++i) {
    RunSpec spec = wish.runs[i];
    spec.order = order;
    most = std::max(most, bytes_per_rank(spec, wish.settings[i], device));
  }
  return most;
}

class ChooseOrder : public testing::Test {
 protected:
  test::GpuLikeDevice gpu_;
  std::unique_ptr<hpcx::Device> cpu_ = test::open_cpu(1);
};

TEST_F(ChooseOrder, ChoosesForTwoGpusInAColumnWhatTheyCanHold) {
  // Two H200. With three buffers of 4096 columns in mind 188416 seemed to fit: there are 32768, and
  // messages beside them.
  OrderWish wish = wish_for(gpu_, {2, 1}, 2048, 149'550'000'000);
  wish.memory_fraction = 0.98;
  const OrderChoice choice = choose_order(wish, gpu_);
  EXPECT_GT(choice.order, 176'000);
  EXPECT_LT(choice.order, 188'416);
  RunSpec spec = wish.runs.front();
  spec.order = choice.order;
  EXPECT_NO_THROW(check_memory({spec}, wish.settings, gpu_, wish.memory));
}

TEST_F(ChooseOrder, TakesTheLargestMultipleThatFitsAndIsNeverRefused) {
  for (const hpcx::Device* const device :
       {static_cast<const hpcx::Device*>(&gpu_), static_cast<const hpcx::Device*>(cpu_.get())})
    for (const GridShape grid :
         {GridShape{1, 1}, GridShape{2, 1}, GridShape{1, 2}, GridShape{3, 5}, GridShape{8, 8}})
      for (const std::int64_t block_size : {7, 192, 1024, 2048})
        for (const double fraction : {0.5, 0.95, 0.98})
          for (const std::int64_t bytes : {12 * kGibi, 80 * kGibi, 141 * kGibi}) {
            OrderWish wish = wish_for(*device, grid, block_size, bytes);
            wish.memory_fraction = fraction;
            const std::int64_t order = choose_order(wish, *device).order;
            const double budget = fraction * static_cast<double>(bytes);
            ASSERT_GT(order, 0);
            EXPECT_EQ(order % block_size, 0);
            EXPECT_LE(static_cast<double>(needed(wish, order, *device)), budget);
            EXPECT_GT(static_cast<double>(needed(wish, order + block_size, *device)), budget)
                << grid.rows << " x " << grid.columns << ", NB = " << block_size;
            RunSpec spec = wish.runs.front();
            spec.order = order;
            EXPECT_NO_THROW(check_memory({spec}, wish.settings, *device, wish.memory));
          }
}

TEST_F(ChooseOrder, SuitsAllRunsThatAreToHaveIt) {
  OrderWish wish = wish_for(gpu_, {1, 2}, 512, 80 * kGibi);
  wish.memory_fraction = 0.98;
  const std::int64_t alone = choose_order(wish, gpu_).order;
  // Another grid, and wider panels.
  wish.runs.push_back({.block_size = 2048, .grid_rows = 2, .grid_columns = 1});
  wish.settings.push_back(wish.settings.front());
  const std::int64_t order = choose_order(wish, gpu_).order;
  EXPECT_LT(order, alone);
  EXPECT_EQ(order % 512, 0);
  const double budget = 0.98 * static_cast<double>(80 * kGibi);
  EXPECT_LE(static_cast<double>(needed(wish, order, gpu_)), budget);
  EXPECT_GT(static_cast<double>(needed(wish, order + 512, gpu_)), budget);
}

TEST_F(ChooseOrder, IsZeroWhenNothingFits) {
  for (const double fraction : {0.8, 1e-9}) {
    OrderWish wish = wish_for(*cpu_, {1, 1}, 192, 1000);
    wish.memory_fraction = fraction;
    EXPECT_EQ(choose_order(wish, *cpu_).order, 0);
  }
}

TEST_F(ChooseOrder, HoldsBeyondTwoToTheThirtyOneLocalElements) {
  OrderWish wish = wish_for(*cpu_, {200, 200}, 192, 1024 * kGibi);
  wish.memory_fraction = 0.9;
  EXPECT_GT(choose_order(wish, *cpu_).order, 60'000'000);
}

TEST_F(ChooseOrder, TakesTheSmallerOfMemoryAndTimeAndSaysWhich) {
  OrderWish wish = wish_for(*cpu_, {1, 2}, 192, 12 * kGibi);
  wish.estimate.attainable_gflops = 200;
  const OrderChoice by_time = choose_order(wish, *cpu_);
  EXPECT_EQ(by_time.order, order_for_seconds(kUsualEfficiency * 200, wish.seconds, 192));
  EXPECT_THAT(by_time.why, HasSubstr(" s at 85 % of the measured DGEMM rate"));
  EXPECT_THAT(by_time.why, HasSubstr("--mem-fraction 0.8 fills the memory"));

  wish.memory.device.bytes = kGibi / 2;
  const OrderChoice by_memory = choose_order(wish, *cpu_);
  EXPECT_LT(by_memory.order, by_time.order);
  EXPECT_LE(static_cast<double>(needed(wish, by_memory.order, *cpu_)),
            kDefaultMemoryFraction * static_cast<double>(kGibi / 2));
  EXPECT_THAT(by_memory.why, HasSubstr("80 % of 537 MB a rank (free memory of the device)"));
  EXPECT_THAT(by_memory.why, Not(HasSubstr("fills the memory")));
}

TEST_F(ChooseOrder, AFractionFromTheUserOutweighsTheTime) {
  OrderWish wish = wish_for(*cpu_, {1, 2}, 192, 12 * kGibi);
  wish.estimate.attainable_gflops = 200;
  const std::int64_t in_time = choose_order(wish, *cpu_).order;
  wish.memory_fraction = 0.9;
  EXPECT_GT(choose_order(wish, *cpu_).order, in_time);
}

TEST_F(ChooseOrder, SaysWhereTheMemoryGoes) {
  OrderWish wish = wish_for(gpu_, {2, 1}, 2048, 149'550'000'000);
  wish.memory_fraction = 0.98;
  const OrderChoice choice = choose_order(wish, gpu_);
  RunSpec spec = wish.runs.front();
  spec.order = choice.order;
  const MemoryAccount account = memory_account(spec, wish.settings.front(), gpu_);
  EXPECT_THAT(choice.why, HasSubstr("98 % of 149.55 GB a rank (free memory of the device)"));
  EXPECT_THAT(choice.why, HasSubstr(bytes_text(account.total().device) + ": " + describe(account)));
}

}  // namespace
}  // namespace hpl
