#include "hpl/submit/list_form.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/base/number/benchmark_formulas.h"
#include "submit/half_rate_order.h"
#include "support/holds.h"
#include "support/message_of.h"
#include "unit/page/sample_job.h"
#include "unit/report/schema_check.h"

namespace hpl::page {
namespace {

/// The field of a key.
FormField field(const ListForm& form, const std::string& key) {
  for (const FormPart& part : form.parts)
    for (const FormField& one : part.fields)
      if (one.key == key) return one;
  ADD_FAILURE() << "no field " << key;
  return {};
}

RunResult run_of(std::int64_t order, double gflops) {
  RunResult run = test::passing_run();
  run.spec.order = order;
  run.gflops = gflops;
  run.seconds = benchmark_flops(order) / gflops / 1e9;
  run.steps.clear();
  return run;
}

TEST(HalfRateOrder, LiesBetweenTwoMeasuredRuns) {
  const RunResult small = run_of(1000, 20), middle = run_of(2000, 60), large = run_of(9000, 100);
  const RunResult* const runs[] = {&large, &small, &middle};
  const auto half = half_rate_order(large, runs);
  ASSERT_TRUE(half);
  EXPECT_EQ(half->order, 1750);
  EXPECT_TRUE(half->measured);
}

TEST(HalfRateOrder, IsPredictedFromTheEndOfTheRunOtherwise) {
  // A machine whose time is flops / 100 GFLOP/s and 0.2 ms a column: steps of one run tell the
  // rate of smaller ones.
  const auto seconds = [](std::int64_t order) {
    return benchmark_flops(order) / 100e9 + 2e-4 * static_cast<double>(order);
  };
  const std::int64_t order = 20000;
  RunResult run = run_of(order, benchmark_gflops(order, seconds(order)));
  run.seconds = seconds(order);
  for (std::int64_t done = 100; done < order; done += 100)
    run.steps.push_back(
        {.step = 0, .columns_done = done, .seconds = seconds(order) - seconds(order - done)});
  const RunResult* const runs[] = {&run};
  const auto half = half_rate_order(run, runs);
  ASSERT_TRUE(half);
  EXPECT_FALSE(half->measured);
  EXPECT_NEAR(benchmark_gflops(half->order, seconds(half->order)), run.gflops / 2, 0.5);
}

TEST(HalfRateOrder, IsUnknownWithoutEither) {
  const RunResult run = run_of(1000, 20);
  const RunResult* const runs[] = {&run};
  EXPECT_FALSE(half_rate_order(run, runs));
}

TEST(Top500Form, HoldsTheFastestRunThatPassed) {
  JobReport job = test::sample_job();
  RunResult slow = test::passing_run(), wrong = test::failing_run();
  slow.gflops /= 2;
  wrong.gflops *= 2;
  job.runs = {slow, test::passing_run(), wrong};
  const RunFile file = test::sample_file(job);
  const auto form = top500_form({&file, 1});
  EXPECT_EQ(field(form, "rmax_gflops").value, test::passing_run().gflops);
  EXPECT_EQ(field(form, "nmax").value, 1000);
  EXPECT_EQ(field(form, "block_size").value, 128);
  EXPECT_EQ(field(form, "grid_rows").value, 2);
  EXPECT_EQ(field(form, "grid_columns").value, 3);
}

TEST(Top500Form, CountsCoresByTheResourcesOfTheJob) {
  JobReport job = test::sample_job();
  job.header.resources = JobResources{.ranks = 6, .nodes = 2, .threads_per_rank = 15};
  const RunFile file = test::sample_file(job);
  const auto form = top500_form({&file, 1});
  EXPECT_EQ(field(form, "cores").value, 90);
  EXPECT_TRUE(test::holds(field(form, "cores").note, {"6 on 2 nodes, 15 compute threads each"}));
  job.header.resources.reset();
  const RunFile older = test::sample_file(job);
  EXPECT_TRUE(field(top500_form({&older, 1}), "cores").value.is_null());
}

TEST(Top500Form, TakesSystemMemoryClockCoresAndSocketsFromTheHost) {
  JobReport job = test::sample_job();
  job.header.environment.emplace_back("memory", "22.5 GiB available");
  job.hosts = {{.name = "node01",
                .facts = {{"clock", "2445 MHz"},
                          {"sockets", "2"},
                          {"cores", "64"},
                          {"memory", "24 GiB"},
                          {"os", "Debian GNU/Linux 12 (bookworm)"}}}};
  const RunFile file = test::sample_file(job);
  const auto form = top500_form({&file, 1});
  EXPECT_EQ(field(form, "operating_system").value, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(field(form, "memory").value, "24 GiB");
  EXPECT_EQ(field(form, "clock").value, 2.445);
  EXPECT_EQ(field(form, "cores_per_socket").value, 32);
  EXPECT_EQ(field(form, "sockets_per_node").value, 2);
  job.hosts.clear();
  const RunFile older = test::sample_file(job);
  const auto without = top500_form({&older, 1});
  EXPECT_EQ(field(without, "memory").value, "22.5 GiB available");
  for (const char* const key : {"operating_system", "clock", "cores_per_socket"})
    EXPECT_TRUE(field(without, key).value.is_null()) << key;
}

/// A gate is of the user's making: a record is one whatever the gate was.
TEST(Top500Form, IsFilledByAJobThatMissedAGateWithARemark) {
  JobReport job = test::sample_job();
  job.exit_code = ExitCode::Slow;
  job.gates = {{.gate = "--min-gflops", .limit = 0.1, .held = true},
               {.gate = "--min-efficiency", .limit = 99, .held = false}};
  const RunFile file = test::sample_file(job);
  const auto form = top500_form({&file, 1});
  EXPECT_EQ(field(form, "rmax_gflops").value, test::passing_run().gflops);
  EXPECT_TRUE(test::holds(form_text(form), {"\n# the job missed --min-efficiency 99\n"}));
  EXPECT_FALSE(test::holds(form_text(form), {"--min-gflops"}));
  EXPECT_EQ(to_json_value(form)["remarks"][0], "the job missed --min-efficiency 99");
}

TEST(Top500Form, SaysWhichFlagBringsWhatIsUnknown) {
  const RunFile file = test::sample_file(test::sample_job());
  const auto form = top500_form({&file, 1});
  EXPECT_TRUE(field(form, "rpeak_gflops").value.is_null());
  EXPECT_EQ(field(form, "rpeak_gflops").note, "xhpl --rpeak");
  EXPECT_TRUE(field(form, "power_watts").value.is_null());
  EXPECT_NE(field(form, "power_watts").note.find("--power-command"), std::string::npos);
  EXPECT_TRUE(
      test::holds(form_text(form), {"Average power              unknown  (xhpl --power-command"}));
}

TEST(Top500Form, ExtrapolatesTheMeterToTheMachine) {
  JobReport job = test::sample_job();
  job.runs.front().power = test::metered_power();
  job.runs.front().power->meter->scope.fraction = 0.25;
  const RunFile file = test::sample_file(job);
  const auto form = top500_form({&file, 1});
  EXPECT_EQ(field(form, "power_watts").value, 2400);
  EXPECT_DOUBLE_EQ(field(form, "gflops_per_watt").value.get<double>(),
                   test::passing_run().gflops / 2400);
  EXPECT_EQ(field(form, "power_level").value, 0);
  EXPECT_EQ(field(form, "power_scope").value, "fraction=0.25");
}

TEST(Top500Form, CallsComponentPowerSo) {
  JobReport job = test::sample_job();
  job.runs.front().power = test::metered_power();
  job.runs.front().power->meter.reset();
  const RunFile file = test::sample_file(job);
  EXPECT_EQ(field(top500_form({&file, 1}), "power_watts").note.rfind("component power", 0), 0U);
}

TEST(Top500Form, MatchesItsSchema) {
  JobReport job = test::sample_job();
  job.runs.front().power = test::metered_power();
  job.runs.push_back(test::failing_run());
  const RunFile file = test::sample_file(job);
  const test::SchemaCheck check(nlohmann::json(Record::schema<ListForm>()));
  EXPECT_EQ(check.faults(nlohmann::json(to_json_value(top500_form({&file, 1})))), "");
}

/// The form of a job whose fast run has something against it and whose slow one has nothing.
ListForm form_beside(RunResult fast, const std::optional<ExitCode>& of_fast = ExitCode::Passed) {
  RunResult slow = test::passing_run();
  slow.gflops /= 2;
  JobReport good = test::sample_job(), other = test::sample_job();
  good.runs = {slow};
  other.runs = {std::move(fast)};
  other.exit_code = of_fast;
  const std::vector<RunFile> files{test::sample_file(other, "fast.json"),
                                   test::sample_file(good, "slow.json")};
  return top500_form(files);
}

TEST(Top500Form, TakesNoFasterRunThatTheListsDoNotTake) {
  RunResult emulated = test::passing_run(), loose = emulated, unchecked = emulated,
            disagreeing = emulated, unlimited = emulated, cut_off = emulated;
  emulated.spec.emulated_moduli = 14;
  loose.spec.threshold = 1e300;
  unlimited.spec.threshold = 16.5;
  unchecked.spec.threshold = 0;
  unchecked.residual.reset();
  cut_off.residual.reset();
  disagreeing.checksums =
      ChecksumResult{.faults = {{.rank = 1, .first_step = 2, .last_step = 2, .rows = 4}}};
  const std::optional<ExitCode> none;
  struct Case {
    RunResult run;
    std::optional<ExitCode> exit_code;
    std::string reason;
  };
  const Case cases[] = {
      {emulated, ExitCode::Passed, "FP64 emulated by 14 INT8 products"},
      {loose, ExitCode::Passed, "the threshold must be above 0 and at most 16, found 1e+300"},
      {unlimited, ExitCode::Passed, "the threshold must be above 0 and at most 16, found 16.5"},
      {unchecked, ExitCode::Passed, "its status is unchecked"},
      {cut_off, ExitCode::Broken, "its check was not completed; the job ended with exit code 3"},
      {disagreeing, ExitCode::Failed, "checksums: disagree"},
      {test::failing_run(), ExitCode::Failed, "the scaled residual"},
      {test::stopped_run(), ExitCode::Passed, "its status is stopped"},
      {test::passing_run(), ExitCode::Failed, "the job ended with exit code 1"},
      {test::passing_run(), ExitCode::Broken, "the job ended with exit code 3"},
      {test::passing_run(), none, "the job has not ended"}};
  for (const Case& one : cases) {
    const ListForm form = form_beside(one.run, one.exit_code);
    EXPECT_EQ(field(form, "rmax_gflops").value, test::passing_run().gflops / 2) << one.reason;
    ASSERT_EQ(form.left_out.size(), 1U) << one.reason;
    EXPECT_EQ(form.left_out.front().file, "fast.json");
    EXPECT_TRUE(test::holds(form.left_out.front().reason, {one.reason}));
    EXPECT_TRUE(test::holds(form_text(form), {"\nLeft out\n  fast.json: 1 run"}));
    EXPECT_NE(json_text(to_json_value(form)).find(one.reason), std::string::npos);
  }
}

TEST(Top500Form, LooksAtTheResidualWhateverItsFlagSays) {
  JobReport job = test::sample_job();
  job.runs[0].residual->scaled = 17;
  const RunFile file = test::sample_file(job);
  EXPECT_THROW(top500_form({&file, 1}), ConfigError);
}

TEST(Top500Form, HalfOfTheRateIsNoneOfARunThatIsLeftOut) {
  JobReport job = test::sample_job();
  RunResult small = test::passing_run();
  small.spec.order = 100;
  small.spec.emulated_moduli = 14;
  small.gflops /= 4;
  job.runs.push_back(small);
  const RunFile file = test::sample_file(job);
  EXPECT_EQ(field(top500_form({&file, 1}), "n_half").note.rfind("measured", 0), std::string::npos);
}

TEST(Top500Form, SaysWhyThereIsNoRunToTake) {
  JobReport job = test::sample_job();
  job.runs = {test::failing_run(), test::stopped_run(), test::failing_run()};
  job.exit_code = ExitCode::Failed;
  const std::vector<RunFile> files{test::sample_file(job), {.name = "fleet.json"}};
  EXPECT_EQ(test::message_of<ConfigError>([&] { top500_form(files); }),
            "--top500 needs a run that the lists take, found run.json: 2 runs, the fastest "
            "run 1 with 267.3 MFLOP/s: the scaled residual 124 is not below 16; the job ended with "
            "exit code 1; "
            "run.json: 1 run: its status is stopped; there is no rate; the job ended with exit "
            "code 1; fleet.json: 0 runs");
}

}  // namespace
}  // namespace hpl::page
