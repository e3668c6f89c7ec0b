// lab/scripts/trace-hidden and trace-compare.
#include <regex>
#include <string>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using TraceHidden = XhplTest;
using TraceCompare = XhplTest;
using nlohmann::json;

/// A span of rank 0, from second to second.
json slice(int row, const char* category, const char* name, int step, double begin, double end) {
  return {{"ph", "X"},
          {"cat", category},
          {"name", name},
          {"pid", 0},
          {"tid", row},
          {"ts", 1e6 * begin},
          {"dur", 1e6 * (end - begin)},
          {"args", {{"step", step}, {"chunk", 0}}}};
}

/// On a run of which all times are known.
TEST_F(TraceHidden, TellsWhatProductsHid) {
  json events = json::array();
  const auto add = [&](const char* category, const char* name, double begin, double end) {
    events.push_back(slice(1, category, name, 0, begin, end));
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
      run({{HPL_LAB_SCRIPTS_DIR "/trace-hidden", "--cuts", "0,50,100", "t"}, directory()});
  ASSERT_EQ(told.exit_code, 0) << describe(told);
  for (const std::string line :
       {"   0  row swap                 1.000    0.0 %\n",
        "   0  panel factorization      4.000   75.0 %\n",
        "   0  0 to 50 %            20.00 %  panel factorization 20.0 %\n",
        "   0  50 to 100 %          40.00 %  row swap 20.0 %, nothing of this rank 20.0 %\n"})
    EXPECT_NE(told.output.find(line), std::string::npos) << line << told.output;
}

/// The same on a trace of the program's own.
TEST_F(TraceHidden, FindsProductsByTheirNames) {
  ASSERT_EQ(mpirun(2, {"-P", "1", "-Q", "2", "-N", "1500", "--NB", "64", "--trace", "t"}).exit_code,
            0);
  // Over all of the time: its last hundredth may well pass without a product.
  const Outcome told =
      run({{HPL_LAB_SCRIPTS_DIR "/trace-hidden", "--cuts", "0,100", "t"}, directory()});
  ASSERT_EQ(told.exit_code, 0) << describe(told);
  for (const char* const phase :
       {"triangular solve", "row swap", "panel transfer", "panel factorization"})
    EXPECT_NE(told.output.find(std::string("   1  ") + phase), std::string::npos) << told.output;
  // Some part of the time at least has products; on crowded cores a short part may go by without
  // any.
  const std::regex part_with_products(R"( to \d+ % +\d?\d\.\d\d %)");
  EXPECT_TRUE(std::regex_search(told.output, part_with_products)) << told.output;
}

/// On a run and an expectation of which all times are known.
TEST_F(TraceCompare, SetsARunBesideWhatWasExpected) {
  json events = json::array();
  const auto name_row = [&](int row, const char* name) {
    events.push_back({{"ph", "M"},
                      {"name", "thread_name"},
                      {"pid", 0},
                      {"tid", row},
                      {"args", {{"name", name}}}});
  };
  const auto add = [&](int row, const char* category, const char* name, int step, double begin,
                       double end) {
    events.push_back(slice(row, category, name, step, begin, end));
  };
  name_row(1, "run");
  name_row(2, "panel stream");
  name_row(3, "panel stream, expected");
  name_row(4, "update stream");
  name_row(5, "update stream, expected");
  add(1, "run", "run 1", 0, 0, 9);
  // The second panel comes before the first product in the model, and behind it in the run.
  add(2, "stream", "panel factorization", 0, 0, 1);
  add(2, "stream", "panel factorization", 1, 5, 6);
  add(4, "stream", "matrix multiply", 0, 1, 5);
  add(4, "stream", "matrix multiply", 1, 6, 9);
  add(3, "expected", "panel factorization", 0, 0, 1);
  add(3, "expected", "panel factorization", 1, 1, 2);
  add(5, "expected", "matrix multiply", 0, 1, 4);
  add(5, "expected", "matrix multiply", 1, 4, 6);
  write_file("t", json{{"traceEvents", events}}.dump());
  const Outcome told =
      run({{HPL_LAB_SCRIPTS_DIR "/trace-compare", "--pieces", "2", "t"}, directory()});
  ASSERT_EQ(told.exit_code, 0) << describe(told);
  for (const std::string line :
       {"panel factorization          2         2      2.000        2.000\n",
        "matrix multiply              2         2      7.000        5.000\n",
        "   0  panel stream           2   50.0 %   50.0 %    0.0 %    0.0 %      1  "
        "panel factorization, step 1\n",
        "   0  update stream          2  100.0 %    0.0 %    0.0 %    0.0 %      0  ",
        "     0      5.000        4.000     +1.000     +1.000\n",
        "     1      9.000        6.000     +2.000     +3.000\n"})
    EXPECT_NE(told.output.find(line), std::string::npos) << line << told.output;
}

TEST_F(TraceCompare, RefusesATraceWithoutAnExpectation) {
  ASSERT_EQ(mpirun(1, {"-P", "1", "-Q", "1", "-N", "60", "--NB", "16", "--trace", "t"}).exit_code,
            0);
  const Outcome told = run({{HPL_LAB_SCRIPTS_DIR "/trace-compare", "t"}, directory()});
  EXPECT_EQ(told.exit_code, 1) << describe(told);
  EXPECT_NE(told.errors.find("trace-compare: t: holds no expectation; xhpl --rates RATES --trace "
                             "FILE writes one"),
            std::string::npos)
      << told.errors;
}

/// A run of this machine by its own rates: every task of the run is one of the model's.
TEST_F(TraceCompare, MatchesTheTasksOfARun) {
  ASSERT_EQ(mpirun(1, {"rates", "-o", "rates.json", "--threads", "1"}, 300).exit_code, 0);
  ASSERT_EQ(mpirun(1, {"--rates", "rates.json", "-N", "500", "--NB", "64", "-P", "1", "-Q", "1",
                       "--threads", "1", "--trace", "t"})
                .exit_code,
            0);
  const Outcome told = run({{HPL_LAB_SCRIPTS_DIR "/trace-compare", "t"}, directory()});
  ASSERT_EQ(told.exit_code, 0) << describe(told);
  for (const char* phase : {"panel factorization", "matrix multiply"}) {
    std::smatch counts;
    ASSERT_TRUE(std::regex_search(told.output, counts,
                                  std::regex(std::string("\n") + phase + R"( +(\d+) +(\d+) )")))
        << told.output;
    EXPECT_EQ(counts[1], counts[2]) << phase;
  }
}

}  // namespace
}  // namespace hpl::test
