#include "tune/trials/tuned_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "unit/input/command_line/parsed.h"
#include "unit/machine/decide/facts.h"

namespace hpl {
namespace {

UsualRun run_of(RunSpec spec, const Facts& facts) {
  return {
      .spec = spec, .settings = decide(spec, facts, {}), .facts = facts, .grids = {{1, 4}, {2, 2}}};
}
UsualRun processors() {
  return run_of({.order = 8000, .block_size = 192, .grid_columns = 4}, test::cpu_facts(2));
}
UsualRun gpus() {
  return run_of({.order = 100'000, .block_size = 2048, .grid_columns = 4}, test::gpu_facts());
}

using test::parse;

const TuneSetting* find(const std::vector<TuneSetting>& settings, const std::string& name) {
  const auto at = std::ranges::find(settings, name, &TuneSetting::name);
  return at == settings.end() ? nullptr : &*at;
}

TEST(TunedSettings, EachBeginsWithWhatNobodyTunes) {
  for (const UsualRun& run : {processors(), gpus()}) {
    const std::vector<TuneSetting> settings = tuned_settings(Options(), run);
    const auto preferred = [&](const std::string& name) {
      const TuneSetting& setting = *find(settings, name);
      return setting.values[setting.preferred];
    };
    EXPECT_EQ(preferred("--NB"), std::to_string(run.spec.block_size));
    EXPECT_EQ(preferred("-P -Q"), "1x4");
    EXPECT_EQ(preferred("--depth"), "1");
    EXPECT_EQ(preferred("--chunk"), std::to_string(run.settings.stages.schedule.chunk_columns));
    EXPECT_EQ(preferred("--bcast"), "1ringM");
    EXPECT_EQ(preferred("--swap"), "spread-roll");
    EXPECT_EQ(preferred("--solve-rows"), std::to_string(run.settings.stages.solve_rows));
  }
}

TEST(TunedSettings, OfHplMxpAreTheBlockSizeWithTheStorageAndNothingAboutPivots) {
  UsualRun run = run_of(make_mixed(gpus().spec, {}), test::gpu_facts());
  const std::vector<TuneSetting> settings = tuned_settings(Options(), run);
  ASSERT_NE(find(settings, "--storage"), nullptr);
  EXPECT_EQ(find(settings, "--storage")->values, (std::vector<std::string>{"16", "32"}));
  EXPECT_EQ(find(settings, "--storage")->group, TuneGroup::Crossed);
  for (const char* const name : {"--nbmin", "--panel", "--swap", "--solve-rows"})
    EXPECT_EQ(find(settings, name), nullptr) << name;
  TunePoint point;
  for (const TuneSetting& setting : settings)
    point.push_back(setting.preferred);
  for (std::size_t i = 0; i < settings.size(); ++i)
    if (settings[i].name == "--storage") point[i] = 1;
  EXPECT_EQ(flags_beside_hpl_dat(settings, point), "--storage 32");
  EXPECT_EQ(with_point(Options(), settings, point).wishes.mixed.storage_bits, 32);

  run.spec =
      make_mixed(run.spec, {.operands = hpcx::Precision::Fp32, .storage = hpcx::Precision::Fp32});
  EXPECT_EQ(find(tuned_settings(Options(), run), "--storage"), nullptr) << "there is no choice";
}

TEST(TunedSettings, PanelsOfProcessorsHaveShapesAndThoseOfGpusUnits) {
  const std::vector<TuneSetting> cpu = tuned_settings(Options(), processors());
  for (const char* const name : {"--nbmin", "--ndiv", "--pfact", "--rfact"}) {
    ASSERT_NE(find(cpu, name), nullptr) << name;
    EXPECT_EQ(find(cpu, name)->group, TuneGroup::Panel);
  }
  EXPECT_EQ(find(cpu, "--panel"), nullptr);
  EXPECT_EQ(find(cpu, "--transport"), nullptr);
  const std::vector<TuneSetting> gpu = tuned_settings(Options(), gpus());
  for (const char* const name : {"--panel", "--panel-units", "--transport"})
    EXPECT_NE(find(gpu, name), nullptr) << name;
  EXPECT_EQ(find(gpu, "--nbmin"), nullptr);
}

TEST(TunedSettings, WhatHasNoEffectOnOneRankIsNotTuned) {
  UsualRun alone = processors();
  alone.spec.grid_columns = 1;
  alone.grids = {{1, 1}};
  const std::vector<TuneSetting> settings = tuned_settings(Options(), alone);
  EXPECT_EQ(find(settings, "--bcast"), nullptr);
  EXPECT_EQ(find(settings, "--swap"), nullptr);
  EXPECT_EQ(find(settings, "-P -Q")->values, std::vector<std::string>{"1x1"});
}

TEST(TunedSettings, AFlagFixesItsValueAndAListIsWhatIsTried) {
  const Options options = parse({"--NB", "128,256", "--depth", "0", "--chunk", "1000", "--swap",
                                 "mix", "--nbmin", "4", "--rfact", "crout"});
  const std::vector<TuneSetting> settings = tuned_settings(options, processors());
  EXPECT_EQ(find(settings, "--NB")->values, (std::vector<std::string>{"128", "256"}));
  EXPECT_EQ(find(settings, "--depth")->values, std::vector<std::string>{"0"});
  EXPECT_EQ(find(settings, "--chunk")->values, std::vector<std::string>{"1000"});
  EXPECT_EQ(find(settings, "--nbmin")->values, std::vector<std::string>{"4"});
  EXPECT_EQ(find(settings, "--rfact")->values, std::vector<std::string>{"Crout"});
  EXPECT_EQ(find(settings, "--swap"), nullptr);
}

TEST(TunedSettings, PanelsAreASmallPartOfTheMatrixUnlessTheUsualOneIsNot) {
  UsualRun small = processors();
  small.spec.order = 1000;
  EXPECT_EQ(find(tuned_settings(Options(), small), "--NB")->values,
            (std::vector<std::string>{"64", "96", "192"}));
}

TEST(TunedSettings, LocalSearchesHaveTheStepsOfTheirNames) {
  for (const auto& [method, step] : {std::pair{"local32", 32}, std::pair{"local64", 64}}) {
    const Options options = parse(std::string("tune -o t.dat --method ") + method);
    const TuneSetting nb = *find(tuned_settings(options, processors()), "--NB");
    ASSERT_GT(nb.values.size(), 4u);
    for (std::size_t i = 0; i < nb.values.size(); ++i)
      EXPECT_EQ(nb.values[i], std::to_string(step * static_cast<int>(i + 1)));
    EXPECT_EQ(nb.values[nb.preferred], "192");
    // Those of GPUs are four times as long.
    EXPECT_EQ(find(tuned_settings(options, gpus()), "--NB")->values.front(),
              std::to_string(4 * step));
  }
}

TEST(TunedSettings, APointBecomesOptions) {
  const std::vector<TuneSetting> settings = tuned_settings(Options(), gpus());
  TunePoint point;
  for (const TuneSetting& setting : settings)
    point.push_back(setting.preferred);
  EXPECT_EQ(point_text(settings, point), "the defaults");
  EXPECT_EQ(flags_beside_hpl_dat(settings, point), "");
  const auto choose = [&](const std::string& name, const std::string& value) {
    for (std::size_t i = 0; i < settings.size(); ++i)
      if (settings[i].name == name)
        point[i] = static_cast<std::size_t>(std::ranges::find(settings[i].values, value) -
                                            settings[i].values.begin());
  };
  choose("--NB", "768");
  choose("-P -Q", "2x2");
  choose("--panel", "host");
  choose("--transport", "mpi-host");
  choose("--bcast", "longM");
  choose("--swap", "mix");
  choose("--pipeline", "coarse");
  const Options options = with_point(Options(), settings, point);
  EXPECT_EQ(options.fields.block_sizes, std::vector<std::int64_t>{768});
  EXPECT_EQ(options.fields.grid_rows, std::vector<int>{2});
  EXPECT_EQ(options.fields.grid_columns, std::vector<int>{2});
  EXPECT_EQ(options.wishes.panel, PanelRequest::Host);
  EXPECT_EQ(options.wishes.transport, TransportKind::MpiHost);
  EXPECT_EQ(options.fields.broadcasts, std::vector<BroadcastVariant>{BroadcastVariant::LongM});
  EXPECT_EQ(options.fields.swap, SwapVariant::Mix);
  EXPECT_EQ(options.wishes.pipeline, PipelineKind::Coarse);
  // HPL.dat says the rest.
  EXPECT_EQ(flags_beside_hpl_dat(settings, point),
            "--panel host --pipeline coarse --transport mpi-host");
}

TEST(TunedSettings, AFlagIsFixedWhereNoSettingVariesIt) {
  const Options options =
      parse("tune -o t.dat -N 5000 --NB 192,256 -P 1 --pipeline coarse --arithmetic emulated:14");
  const std::vector<TuneSetting> settings{{"--NB", {"192", "256"}}, {"-P -Q", {"1x1"}}};
  const std::vector<GivenFlag> fixed = fixed_flags(options, settings);
  ASSERT_EQ(fixed.size(), 2u);
  EXPECT_EQ(fixed[0].name, "--arithmetic");
  EXPECT_EQ(fixed[0].value, "emulated:14");
  EXPECT_EQ(fixed[1].name, "--pipeline");
}

TEST(TunedSettings, FlagsOfRunsAreWhatAnHplDatLeavesOut) {
  const Options options = parse(
      "tune -o t.dat -N 5000 --threads 3 --NB=192 --no-bind --device=cpu --progress always "
      "--watchdog 60");
  EXPECT_EQ(flags_of_runs(options), "--device cpu --threads 3 --no-bind");
}

}  // namespace
}  // namespace hpl
