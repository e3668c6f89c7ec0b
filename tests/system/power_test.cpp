#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using PowerMeterOfAJob = XhplTest;

nlohmann::json power_of(const std::string& report) {
  return nlohmann::json::parse(report).at("runs").at(0).at("power");
}

TEST_F(PowerMeterOfAJob, IsInTheReportWithEnergyAndLevel) {
  // Long enough for readings within the core phase of the second run, on any machine.
  write_dat({.orders = {200, 3500}, .block_sizes = {128}, .grid_rows = {1}, .grid_columns = {1}});
  write_file("meter.sh", "while :; do echo 250; sleep 0.1; done\n");
  const Outcome outcome = mpirun(1, {"--json", "run.json", "--power-command", "exec sh meter.sh",
                                     "--power-scope", "fraction=1,subsystems=all,place=upstream"});
  ASSERT_TRUE(all_passed(outcome, 2));
  const auto run = json_file("run.json").at("runs").at(1);
  const auto& power = run.at("power");
  EXPECT_NEAR(power.at("core_seconds").get<double>(), run.at("seconds").get<double>(), 1e-6);
  EXPECT_EQ(power.at("meter").at("scope"), "fraction=1,subsystems=all,place=upstream");
  ASSERT_FALSE(power.at("meter").at("averages").is_null()) << power;
  const auto& averages = power.at("meter").at("averages");
  EXPECT_DOUBLE_EQ(averages.at("average_watts").get<double>(), 250);
  EXPECT_NEAR(averages.at("energy_joules").get<double>(),
              250 * averages.at("covered").get<double>() * power.at("core_seconds").get<double>(),
              1e-6);
  // A core phase of a second has no level.
  EXPECT_EQ(power.at("level").at("level"), 0);
}

TEST_F(PowerMeterOfAJob, ThatPrintsRubbishOrFailsCostsNothing) {
  write_dat({.orders = {500}, .grid_rows = {1}, .grid_columns = {2}});
  const Outcome outcome = mpirun(
      2, {"--json", "run.json", "--power-command", "echo no meter here; exit 7", "--repeat", "2"});
  ASSERT_TRUE(all_passed(outcome, 2));
  const auto meter = power_of(read_file("run.json")).at("meter");
  EXPECT_TRUE(meter.at("averages").is_null());
  EXPECT_NE(meter.at("remarks").dump().find("no reading in the core phase"), std::string::npos);
}

TEST_F(PowerMeterOfAJob, ThatGoesOnForEverEndsWithTheJob) {
  write_dat({.orders = {60}, .grid_rows = {1}, .grid_columns = {1}});
  EXPECT_TRUE(all_passed(mpirun(1, {"--power-command", "trap '' TERM; sleep 1000"}), 1));
}

TEST_F(PowerMeterOfAJob, EndsWithAJobThatIsKilledThoughItHasLeftItsSession) {
  const Outcome outcome = run(
      {.words = {"sh", "-c",
                 "\"$0\" -N 300 --NB 16 --repeat 100000 --no-attainable --power-command "
                 "'setsid sleep 1000 & echo $! > new && mv new started; sleep 1000' & "
                 "until [ -e started ]; do sleep 0.05; done; kill -KILL $!; wait; "
                 "for i in $(seq 600); do [ -d /proc/$(cat started) ] || exit 0; sleep 0.1; done; "
                 "read -r _ _ state _ < /proc/$(cat started)/stat; [ \"$state\" = Z ]",
                 HPL_XHPL_PATH},
       .directory = directory(),
       .timeout = std::chrono::seconds(100)});
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
}

TEST_F(PowerMeterOfAJob, MayLeaveALogThatIsMergedAfterwards) {
  write_dat({.orders = {300}, .grid_rows = {1}, .grid_columns = {1}});
  ASSERT_TRUE(all_passed(mpirun(1, "--json run.json"), 1));
  // Around the run, whenever it is made.
  write_file("pdu.csv", "time,watts\n946684800,750\nbroken\n4102444800,750\n");
  write_file("early.csv", "100,750\n200,750\n");
  const auto merged = [&](const Words& words) { return report("run.json --power-log" + words); };
  const Outcome form = merged("pdu.csv --top500 -o form.json --power-scope fraction=1/2");
  ASSERT_EQ(form.exit_code, 0) << describe(form);
  const std::string text = read_file("form.json");
  EXPECT_NE(text.find("\"value\": 1500.0"), std::string::npos) << text;
  const Outcome page = merged("pdu.csv -o page.html");
  ASSERT_EQ(page.exit_code, 0) << describe(page);
  EXPECT_NE(read_file("page.html").find(R"("source":"pdu.csv")"), std::string::npos);
  const Outcome late = merged("early.csv -o late.html --power-offset -20");
  EXPECT_EQ(late.exit_code, 2);
  EXPECT_NE(late.errors.find("shift its clock with --power-offset"), std::string::npos)
      << late.errors;
}

}  // namespace
}  // namespace hpl::test
