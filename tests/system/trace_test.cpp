#include <map>
#include <regex>
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
    const auto rows = rows_of(json::parse(read_file("trace.json")));
    EXPECT_EQ(rows, (std::map<int, std::set<std::string>>{{0, all}, {1, all}})) << pipeline;
  }
}

TEST_F(Trace, HoldsEveryRunAlsoWhereRanksSitOneOut) {
  write_dat({.orders = {0, 30}, .grid_rows = {1, 1}, .grid_columns = {1, 2}});
  ASSERT_TRUE(all_passed(mpirun(2, {"--trace", "trace.json"}), 4));
  const json trace = json::parse(read_file("trace.json"));
  int runs = 0;
  for (const json& event : trace.at("traceEvents"))
    if (event.at("ph") == "X" && event.at("cat") == "run") ++runs;
  EXPECT_EQ(runs, 2 * (1 + 2));
}

/// scripts/trace-hidden, on a run of which all times are known.
TEST_F(Trace, TellsWhatProductsHid) {
  json events = json::array();
  const auto add = [&](const char* row, const char* name, double begin, double end) {
    events.push_back({{"ph", "X"},
                      {"cat", row},
                      {"name", name},
                      {"pid", 0},
                      {"tid", 1},
                      {"ts", 1e6 * begin},
                      {"dur", 1e6 * (end - begin)}});
  };
  add("run", "run 1", 0, 11);
  add("worker", "back substitution", 10, 11);
  add("stream", "matrix multiply", 1, 4);
  add("stream", "matrix multiply", 3, 6);
  add("stream", "matrix multiply", 8, 10);
  add("stream", "panel factorization", 0, 4);
  add("stream", "row swap", 6, 7);
  write_file("t", json{{"traceEvents", events}}.dump());
  const Outcome told =
      run({{HPL_SCRIPTS_DIR "/trace-hidden", "--cuts", "0,50,100", "t"}, directory()});
  ASSERT_EQ(told.exit_code, 0) << describe(told);
  for (const std::string line :
       {"   0  row swap                 1.000    0.0 %\n",
        "   0  panel factorization      4.000   75.0 %\n",
        "   0  0 to 50 %            20.00 %  panel factorization 20.0 %\n",
        "   0  50 to 100 %          40.00 %  row swap 20.0 %, nothing of this rank 20.0 %\n"})
    EXPECT_NE(told.output.find(line), std::string::npos) << line << told.output;
}

/// The same on a trace of the program's own.
TEST_F(Trace, HasTheNamesByWhichProductsAreFound) {
  ASSERT_EQ(mpirun(2, {"-P", "1", "-Q", "2", "-N", "1500", "--NB", "64", "--trace", "t"}).exit_code,
            0);
  // Over all of the time: its last hundredth may well pass without a product.
  const Outcome told =
      run({{HPL_SCRIPTS_DIR "/trace-hidden", "--cuts", "0,100", "t"}, directory()});
  ASSERT_EQ(told.exit_code, 0) << describe(told);
  for (const char* const phase :
       {"triangular solve", "row swap", "panel transfer", "panel factorization"})
    EXPECT_NE(told.output.find(std::string("   1  ") + phase), std::string::npos) << told.output;
  // Of some part of the time at least; on crowded cores a short part may go by without any.
  const std::regex part_with_products(R"( to \d+ % +\d?\d\.\d\d %)");
  EXPECT_TRUE(std::regex_search(told.output, part_with_products)) << told.output;
}

TEST_F(Trace, IsRefusedBeforeTheFirstRunWhenItCannotBeWritten) {
  write_dat({.orders = {30}});
  EXPECT_TRUE(refused(mpirun(1, {"--trace", "none/trace.json"}), "cannot write the trace to"));
}

}  // namespace
}  // namespace hpl::test
