#include "hpl/report/trace/trace_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "hpl/base/error/error.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The time lines of all ranks of a run.
struct TracedRun {
  std::string name;
  double seconds = 0;
  std::vector<RankTimeline> ranks;
};

void add(TraceEvents& events, const TracedRun& run) {
  events.begin(run.name, run.seconds);
  for (const RankTimeline& rank : run.ranks)
    events.add(rank);
  events.end();
}

std::string to_trace_json(const std::vector<TracedRun>& runs) {
  TraceEvents events;
  for (const TracedRun& run : runs)
    add(events, run);
  return events.document();
}

TracedRun small_run() {
  return {.name = "run 1",
          .seconds = 1.0,
          .ranks = {{.rank = 0,
                     .host = "node01",
                     .device = "cuda 0: H200",
                     .spans = {{Track::UpdateStream, Phase::Multiply, 3, 2, 0.5, 0.75},
                               {Track::UpdateStream, Phase::Solve, 3, 2, 0.25, 0.5},
                               {Track::PanelWorker, Phase::PanelExchange, 1, 0, 0.125, 0.1875},
                               {Track::PanelWorker, Phase::PanelFactorization, 1, 0, 0.125, 0.25}}},
                    {.rank = 1, .host = "node02", .device = "cuda 0: H200"}}};
}

json events_of(const std::vector<TracedRun>& runs) {
  return json::parse(to_trace_json(runs)).at("traceEvents");
}

json slices(const json& events, int rank, const std::string& category) {
  json found = json::array();
  for (const json& event : events)
    if (event["ph"] == "X" && event["pid"] == rank && event["cat"] == category)
      found.push_back(event);
  return found;
}

/// The metadata named `what` of a row; the last one counts, as for a reader.
json metadata(const json& events, const std::string& what, int rank, const json& row) {
  json found;
  for (const json& event : events)
    if (event["ph"] == "M" && event["name"] == what && event["pid"] == rank && event["tid"] == row)
      found = event["args"];
  return found;
}

TEST(Trace, IsOneCompleteEventASpanInMicroseconds) {
  const json streams = slices(events_of({small_run()}), 0, "stream");
  ASSERT_EQ(streams.size(), 2U);
  EXPECT_EQ(streams[0]["name"], "triangular solve");
  EXPECT_EQ(streams[0]["ts"], 250000.0);
  EXPECT_EQ(streams[0]["dur"], 250000.0);
  EXPECT_EQ(streams[1]["name"], "matrix multiply");
  EXPECT_EQ(streams[1]["args"], json({{"step", 3}, {"chunk", 2}}));
}

TEST(Trace, DrawsWhatWasExpectedOfATrackBelowIt) {
  TracedRun run = small_run();
  run.ranks[0].expected = {{Track::UpdateStream, Phase::Multiply, 3, 2, 0.5, 1.25}};
  const json events = events_of({run, small_run()});
  const json expected = slices(events, 0, "expected");
  ASSERT_EQ(expected.size(), 1U);
  EXPECT_EQ(expected[0]["name"], "matrix multiply");
  EXPECT_EQ(expected[0]["dur"], 750000.0);
  EXPECT_EQ(expected[0]["args"], json({{"step", 3}, {"chunk", 2}}));
  const json row = expected[0]["tid"];
  EXPECT_EQ(metadata(events, "thread_name", 0, row)["name"], "update stream, expected");
  EXPECT_EQ(row, slices(events, 0, "stream")[0]["tid"].get<int>() + 1);
  // The next run begins behind it.
  EXPECT_GT(slices(events, 1, "run")[1]["ts"], 1250000.0);
}

TEST(Trace, DrawsRowsOfOtherKindsForOtherProgramsAfterWhatThereIs) {
  TraceEvents trace;
  add(trace, small_run());
  trace.add(TracedStages{.name = "dp",
                         .seconds = 2,
                         .processes = {{.number = 0,
                                        .name = "device 0",
                                        .label = "H200",
                                        .rows = {{"load", {{"load", 0.5, 1.5, 7, 1}}},
                                                 {"product", {{"product", 1, 2, 7, 0}}}}}}});
  const json events = json::parse(trace.document()).at("traceEvents");
  const json stages = slices(events, 0, "stage");
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0]["name"], "load");
  EXPECT_EQ(stages[0]["ts"], 1550000.0) << "a gap of a twentieth behind the run before";
  EXPECT_EQ(stages[0]["dur"], 1000000.0);
  EXPECT_EQ(stages[0]["args"], json({{"step", 7}, {"chunk", 1}}));
  EXPECT_EQ(metadata(events, "process_name", 0, 0)["name"], "device 0");
  EXPECT_EQ(metadata(events, "thread_name", 0, stages[1]["tid"])["name"], "product");
}

TEST(Trace, NamesRanksAndRowsAndPutsWorkersAboveStreams) {
  const json events = events_of({small_run()});
  EXPECT_EQ(metadata(events, "process_name", 0, 0)["name"], "rank 0 on node01");
  EXPECT_EQ(metadata(events, "process_labels", 0, 0)["labels"], "cuda 0: H200");
  EXPECT_EQ(metadata(events, "process_name", 1, 0)["name"], "rank 1 on node02");
  const json worker = slices(events, 0, "worker")[0]["tid"];
  const json stream = slices(events, 0, "stream")[0]["tid"];
  EXPECT_EQ(metadata(events, "thread_name", 0, worker)["name"], "panel worker");
  EXPECT_EQ(metadata(events, "thread_name", 0, stream)["name"], "update stream");
  EXPECT_LT(metadata(events, "thread_sort_index", 0, worker)["sort_index"],
            metadata(events, "thread_sort_index", 0, stream)["sort_index"]);
}

TEST(Trace, PutsWhatEnclosesBeforeWhatIsEnclosed) {
  const json panel = slices(events_of({small_run()}), 0, "worker");
  ASSERT_EQ(panel.size(), 2U);
  EXPECT_EQ(panel[0]["name"], "panel factorization");
  EXPECT_EQ(panel[1]["name"], "panel pivot exchange");
}

TEST(Trace, LetsNeighboursTouchWithoutOverlapHoweverTimesAreRounded) {
  TracedRun run = small_run();
  run.ranks[0].spans.clear();
  const double third = 1e-3 / 3;
  for (int i = 0; i < 1000; ++i)
    run.ranks[0].spans.push_back(
        {Track::SwapStream, Phase::RowSwap, i, 0, i * third, (i + 1) * third});
  const json row = slices(events_of({run}), 0, "stream");
  for (std::size_t i = 1; i < row.size(); ++i) {
    const double end = row[i - 1]["ts"].get<double>() + row[i - 1]["dur"].get<double>();
    ASSERT_NEAR(end, row[i]["ts"].get<double>(), 1e-6) << i;
  }
}

TEST(Trace, PutsRunsOneAfterAnother) {
  TracedRun second = small_run();
  second.name = "run 2";
  const json events = events_of({small_run(), second});
  const json runs = slices(events, 0, "run");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0]["ts"], 0.0);
  EXPECT_EQ(runs[0]["dur"], 1e6);
  EXPECT_EQ(runs[1]["name"], "run 2");
  EXPECT_GT(runs[1]["ts"].get<double>(), 1e6);
  const json streams = slices(events, 0, "stream");
  ASSERT_EQ(streams.size(), 4U);
  EXPECT_EQ(streams[2]["ts"].get<double>(), runs[1]["ts"].get<double>() + 250000.0);
}

TEST(Trace, IsValidWithoutAnyRun) {
  EXPECT_EQ(events_of({}), json::array());
}

TEST(Trace, EscapesWhatComesFromOutside) {
  TracedRun run = small_run();
  run.ranks[0].host = "a\"b\\c\xe9";
  EXPECT_EQ(metadata(events_of({run}), "process_name", 0, 0)["name"],
            "rank 0 on a\"b\\c\xef\xbf\xbd");
}

TEST(TraceFile, IsCompleteAfterEveryWriteAndHoldsAllRunsAtTheEnd) {
  const fs::path path =
      fs::path(testing::TempDir()) / ("trace_" + std::to_string(::getpid()) + ".json");
  const auto run_count = [&path] {
    std::ifstream file(path);
    return slices(json::parse(file).at("traceEvents"), 0, "run").size();
  };
  TraceFile trace(path);
  for (std::size_t i = 1; i <= 20; ++i) {
    const TracedRun run = small_run();
    trace.begin(run.name, run.seconds);
    for (const RankTimeline& rank : run.ranks)
      trace.add(rank);
    trace.end();
    EXPECT_LE(run_count(), i);
    EXPECT_GE(2 * run_count(), i);
  }
  trace.finish();
  EXPECT_EQ(run_count(), 20U);
  std::ifstream file(path);
  EXPECT_EQ(json::parse(file).at("traceEvents"),
            events_of(std::vector<TracedRun>(20, small_run())));
  fs::remove(path);
}

TEST(TraceFile, IsValidWithoutAnyRun) {
  const test::TemporaryDirectory directory;
  TraceFile trace(directory / "trace.json");
  trace.finish();
  EXPECT_EQ(json::parse(directory.read("trace.json")).at("traceEvents"), json::array());
}

TEST(TraceFile, KeepsItsEventsOnTheDiskWhereNothingIsLeft) {
  const test::TemporaryDirectory directory;
  {
    TraceFile trace(directory / "trace.json");
    TracedRun run = small_run();
    run.ranks[0].spans.resize(20'000, run.ranks[0].spans[0]);  // several pieces of a spool file
    trace.begin(run.name, run.seconds);
    trace.add(run.ranks[0]);
    EXPECT_FALSE(fs::exists(directory / "trace.json")) << "the run has not ended";
    trace.end();
    EXPECT_EQ(directory.read("trace.json"),
              to_trace_json({{run.name, run.seconds, {run.ranks[0]}}}));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), {}), 1);
}

TEST(TraceFile, RefusesAWrongPathBeforeTheFirstRun) {
  EXPECT_EQ(test::message_of<ConfigError>([&] { const TraceFile trace("/nowhere/trace.json"); }),
            "cannot write the trace to '/nowhere/trace.json': No such file or directory");
}

TEST(Track, HasANameOfItsOwnAndIsWorkerOrStream) {
  std::map<std::string_view, int> names;
  int streams = 0;
  for (int t = 0; t < kTrackCount; ++t) {
    ++names[to_string(static_cast<Track>(t))];
    streams += is_stream(static_cast<Track>(t)) ? 1 : 0;
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kTrackCount));
  EXPECT_EQ(streams, 6);
}

}  // namespace
}  // namespace hpl
