#include "hpl/predict/predict_options.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/machine/model/machine_sheet.h"
#include "hpl/predict/prediction_report.h"
#include "support/message_of.h"

namespace hpl {
namespace {

PredictOptions parsed(std::vector<const char*> words) {
  words.insert(words.begin(), "xhpl-predict");
  return parse_predict_command_line(static_cast<int>(words.size()), words.data());
}
std::string refusal(const std::vector<const char*>& words) {
  return test::message_of<ConfigError>([&] { parsed(words); });
}

TEST(PredictOptions, ReadsLists) {
  const PredictOptions options = parsed(
      {"h200.json", "--nodes", "8,64", "-N", "1000,2000", "--model", "all", "--json", "out.json"});
  EXPECT_EQ(options.machine, "h200.json");
  EXPECT_EQ(options.nodes, (std::vector{8, 64}));
  EXPECT_EQ(options.orders, (std::vector<std::int64_t>{1000, 2000}));
  EXPECT_EQ(options.model, ModelRequest::All);
  EXPECT_EQ(options.json_file, "out.json");
}

TEST(PredictOptions, RefusesWhatItCannotHonour) {
  EXPECT_EQ(refusal({}), "no machine is given; name its rates, its data sheet or one of --list");
  EXPECT_EQ(refusal({"a.json", "--nodes", "0"}), "--nodes must be at least 1, found \"0\"");
  EXPECT_EQ(refusal({"a.json", "--model", "overlapped"}),
            "--model must be auto, sampled, simulated or all, found \"overlapped\"");
  EXPECT_EQ(refusal({"a.json", "--frobnicate"}),
            "unknown argument \"--frobnicate\"; xhpl predict --help shows every flag");
  EXPECT_EQ(refusal({"a.json", "--what-if", "nic=400Gb"}),
            "--what-if is no longer a flag; change a copy of the data sheet (share/xhpl/machines)");
  EXPECT_EQ(refusal({"--top500", "list.csv"}),
            "--top500 is no longer a flag; the sources of xhpl have the program models for lists");
}

TEST(PredictOptions, HelpShowsEveryFlag) {
  const std::string help = parsed({"--help"}).text;
  for (const std::string_view line : split_lines(help))
    EXPECT_LE(line.size(), 80U) << line;
  for (const char* flag : {"--nodes", "--dat", "--model", "--matrix", "--json"})
    EXPECT_NE(help.find(flag), std::string::npos) << flag;
}

TEST(PredictOptions, ListTheDataSheetsByTheNamesThatTheyTake) {
  const std::string list = parsed({"--list"}).text;
  EXPECT_TRUE(list.starts_with("a100-40gb ")) << list;
  EXPECT_NE(list.find("\nh200           H200 SXM, eight a node\n"), std::string::npos) << list;
  EXPECT_EQ(read_machine_file("h200").sheet->name, "H200 SXM, eight a node");
  EXPECT_EQ(test::message_of<ConfigError>([] { read_machine_file("h201"); }),
            "there is no file and no data sheet \"h201\"; xhpl predict --list shows the sheets");
}

PredictionReport report() {
  PredictedRun run{.nodes = 2, .half_order = 512};
  run.spec.order = 1000;
  run.spec.broadcast = BroadcastVariant::Long;
  run.node_rows = 2;
  run.node_columns = 4;
  run.look_ahead = 1;
  run.chunk_columns = 64;
  run.pipeline = "fine";
  run.device_panel = true;
  run.device_matrix = false;
  run.memory_bytes = 1e9;
  run.prediction = {.model = ModelKind::Sampled, .seconds = 2, .gflops = 300, .efficiency = 0.5};
  run.prediction.busy[Phase::Multiply] = 1.5;
  run.prediction.exposed[Phase::RowSwap] = 0.25;
  run.prediction.waiting_seconds = 0.125;
  run.smaller = {{500, 150}, {1000, 300}};
  return {.program = {"xhpl-predict", "1.2.3"},
          .machine = "made up",
          .origin = "measured",
          .runs = {run}};
}

TEST(PredictionReport, IsReadAsItWasWritten) {
  const Record::Json written = to_json_value(report());
  const auto read = from_json_value<PredictionReport>(JsonCursor(written, "p.json"));
  EXPECT_EQ(to_json_value(read), written);
  const PredictedRun& run = read.runs[0];
  EXPECT_EQ(run.spec.broadcast, BroadcastVariant::Long);
  EXPECT_FALSE(run.device_matrix);
  EXPECT_EQ(run.prediction.exposed[Phase::RowSwap], 0.25);
}

}  // namespace
}  // namespace hpl
