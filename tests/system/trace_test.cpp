#include <map>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using Trace = XhplTest;
using nlohmann::json;

/// Names of the rows of each rank that have slices.
std::map<int, std::set<std::string>> rows_of(const json& trace) {
  std::map<std::pair<int, int>, std::string> names;
  std::map<int, std::set<std::string>> rows;
  for (const json& event : trace.at("traceEvents")) {
    const int rank = event.at("pid"), row = event.at("tid");
    if (event.at("name") == "thread_name") names[{rank, row}] = event.at("args").at("name");
    if (event.at("ph") == "X") rows[rank].insert(names.at({rank, row}));
  }
  return rows;
}

TEST_F(Trace, HasARowForEveryWorkerAndStreamOfEveryRank) {
  write_dat({.orders = {90}, .grid_rows = {2}, .grid_columns = {1}});
  for (const char* pipeline : {"fine", "coarse"}) {
    ASSERT_TRUE(all_passed(mpirun(2, {"--trace", "trace.json", "--pipeline", pipeline}), 1));
    const std::set<std::string> all{
        "run",          "panel worker",    "transfer worker", "swap worker",  "update worker",
        "panel stream", "transfer stream", "swap stream",     "update stream"};
    const auto rows = rows_of(json_file("trace.json"));
    EXPECT_EQ(rows, (std::map<int, std::set<std::string>>{{0, all}, {1, all}})) << pipeline;
  }
}

TEST_F(Trace, HoldsEveryRunAlsoWhereRanksSitOneOut) {
  write_dat({.orders = {0, 30}, .grid_rows = {1, 1}, .grid_columns = {1, 2}});
  ASSERT_TRUE(all_passed(mpirun(2, "--trace trace.json"), 4));
  const json trace = json_file("trace.json");
  int runs = 0;
  for (const json& event : trace.at("traceEvents"))
    if (event.at("ph") == "X" && event.at("cat") == "run") ++runs;
  EXPECT_EQ(runs, 2 * (1 + 2));
}

TEST_F(Trace, IsRefusedBeforeTheFirstRunWhenItCannotBeWritten) {
  write_dat({.orders = {30}});
  EXPECT_TRUE(refused(mpirun(1, "--trace none/trace.json"), "cannot write the trace to"));
}

}  // namespace
}  // namespace hpl::test
