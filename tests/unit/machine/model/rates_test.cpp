#include "hpl/machine/model/rates.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/base/json/json_text.h"
#include "hpl/machine/model/machine_sheet.h"
#include "hpl/machine/model/rate_table.h"
#include "made_up_machine.h"
#include "support/message_of.h"

namespace hpl {
namespace {

TEST(PanelRates, GoesOnBeyondWhatWasMeasured) {
  const PanelRates panel{{{{1000, 4000}, {256, 1024, 2048}}, {1, 2, 6, 2, 8, 32}}, {}};
  EXPECT_DOUBLE_EQ(panel.seconds_for(4000, 1024), 8);
  EXPECT_DOUBLE_EQ(panel.seconds_for(8000, 1024), 16);
  EXPECT_DOUBLE_EQ(panel.seconds_for(4000, 64), 0.5);
  EXPECT_DOUBLE_EQ(panel.seconds_for(4000, 4096), 128);
  EXPECT_DOUBLE_EQ(panel.seconds_for(1000, 4096), 18);
  const PanelRates one_width{{{{1000}, {256}}, {1}}, {}};
  EXPECT_DOUBLE_EQ(one_width.seconds_for(1000, 512), 2);
}

TEST(PanelRates, KnowsWhatIsKeptByTheSizeOfThePanel) {
  PanelRates rates{.product_beside = 0.8, .beside_product = 0.7};
  EXPECT_EQ(rates.shares(65536, 2048), (PanelShares{0.8, 0.7}));
  rates.product_beside_by_size = {{{8192}, {1024, 2048}}, {0.8, 0.6}};
  rates.beside_product_by_size = {{{8192}, {1024, 2048}}, {0.7, 0.5}};
  EXPECT_EQ(rates.shares(65536, 2048), (PanelShares{0.6, 0.5}));
  EXPECT_EQ(rates.shares(4096, 512), (PanelShares{0.8, 0.7}));
}

TEST(LinkRates, GoOnAtTheirBandwidth) {
  // 58 us, and 4 MB in 20 us.
  const LinkRates link{.transport = "nccl", .seconds = {{{8, 1e3, 5e6}}, {58e-6, 58e-6, 83e-6}}};
  EXPECT_NEAR(link.seconds_for(205e6), 58e-6 + 205e6 * 5e-12, 1e-6);
  const LinkRates one{.transport = "nccl", .seconds = {{{1e6}}, {1e-3}}};
  EXPECT_NEAR(one.seconds_for(4e6), 4e-3, 1e-12);
  // Noise: the longer one was faster.
  const LinkRates noisy{.transport = "nccl", .seconds = {{{1e6, 2e6}}, {1e-3, 0.9e-3}}};
  EXPECT_NEAR(noisy.seconds_for(4e6), 1.8e-3, 1e-12);
}

TEST(LinkRates, TellMessagesBothWaysFromThoseAlone) {
  LinkRates link{.transport = "nccl", .seconds = {{{1e6}}, {2e-3}}};
  EXPECT_DOUBLE_EQ(link.seconds_for(3e6, 1e6), link.seconds_for(3e6));
  link.seconds_alone = {{{1e6}}, {1.25e-3}};
  EXPECT_NEAR(link.seconds_for(3e6, 1e6), 2e-3 + 2 * 1.25e-3, 1e-12);
  EXPECT_NEAR(link.seconds_for(3e6, 0), 3 * 1.25e-3, 1e-12);
  EXPECT_DOUBLE_EQ(link.seconds_for(3e6, 3e6), link.seconds_for(3e6));
}

TEST(RateTable, GivesWhatWasMeasuredAtItsPoints) {
  const RateTable table({{10, 100}, {1, 2, 4}}, {1, 2, 3, 4, 5, 6});
  EXPECT_DOUBLE_EQ(table.at({10, 1}), 1);
  EXPECT_DOUBLE_EQ(table.at({10, 4}), 3);
  EXPECT_DOUBLE_EQ(table.at({100, 2}), 5);
}

TEST(RateTable, IsAStraightLineInLogarithmsBetweenThem) {
  const RateTable table({{1, 100}}, {1, 100});
  EXPECT_NEAR(table.at({10}), 10, 1e-12);
  EXPECT_NEAR(table.at({31.6227766}), 31.6227766, 1e-6);
}

TEST(RateTable, KeepsTheValueAtItsBorderBeyondIt) {
  const RateTable table({{10, 100}}, {5, 7});
  EXPECT_DOUBLE_EQ(table.at({1}), 5);
  EXPECT_DOUBLE_EQ(table.at({1e9}), 7);
}

TEST(RateTable, GoesAlongEveryAxis) {
  const RateTable table({{1, 4}, {1, 4}, {1, 4}}, {1, 2, 3, 6, 5, 10, 15, 30});
  EXPECT_NEAR(table.at({2, 1, 1}), std::sqrt(5.0), 1e-12);
  EXPECT_NEAR(table.at({1, 2, 1}), std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(table.at({1, 1, 2}), std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(table.at({2, 2, 2}), std::sqrt(30.0), 1e-12);
}

TEST(RateTable, OfOneValueIsTheSameEverywhere) {
  EXPECT_DOUBLE_EQ(RateTable::constant(3, 42).at({1, 1e6, 7}), 42);
}

using test::gpu_cluster_sheet;
using test::only_products;

std::string rates_json(const Rates& rates) {
  return json_text(to_json_value(rates));
}

/// The message about this text.
std::string refusal_of(const std::string& text) {
  return test::message_of<ConfigError>([&] { static_cast<void>(parse_rates("rates.json", text)); });
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(RatesJson, ComesBackAsItWasWritten) {
  Rates rates = only_products();
  rates.program = {"xhpl", "1.2.3"};
  rates.threads = 16;
  rates.peak_gflops = 66900;
  rates.power_watts = 700;
  rates.copies = CopyRates{55, 54, 47, 50};
  rates.shared.product_beside_messages = 0.97;
  rates.device_panel->product_beside = 0.9;
  rates.narrow_panel = rates.device_panel;
  rates.narrow_panel->product_beside_by_size = {{{8192, 65536}, {1024, 2048}},
                                                {0.8, 0.7, 0.8, 0.6}};
  rates.narrow_panel->beside_product_by_size = {{{8192, 65536}, {1024, 2048}}, {0.7, 0.7, 0.6, 1}};
  rates.shared.product_beside_exchange = 0.95;
  rates.shared.broadcast_beside_exchange = 0.6;
  rates.shared.exchange_beside_broadcast = 0.55;
  rates.narrow_panel_columns = 16384;
  rates.uneven_product_share = {{{1, 8}}, {0.8, 0.96}};
  rates.inverse_seconds = {{{512, 1024}}, {1e-4, 2e-4}};
  rates.boost = {.gain = 0.09, .seconds = 0.15};
  rates.rank_speeds = {1, 0.98};
  rates.second_deviation = 0.02;
  rates.task_seconds = 1e-5;
  rates.links.front().neighbours = Neighbours::Row;
  EXPECT_EQ(parse_rates("x", rates_json(rates)), rates);
  const Rates of_sheet = rates_of(parse_machine_sheet("sheet", gpu_cluster_sheet()));
  EXPECT_EQ(parse_rates("x", rates_json(of_sheet)), of_sheet);
  rates.mixed = MixedRates{.spec = {.storage = hpcx::Precision::Fp32},
                           .iterations = 3,
                           .factor_gelements = {{{1024, 4096}, {64, 192}}, {1, 2, 3, 4}},
                           .matrix_gelements = 0.5};
  rates.row_copy_gbytes = {};
  EXPECT_EQ(parse_rates("x", rates_json(rates)), rates);
  rates.mixed.reset();
  EXPECT_EQ(refusal_of(rates_json(rates)),
            "rates.json: the document must be an object with row_copy or mixed, found an object");
}

TEST(RatesJson, SaysWhereAndWhatIsWrong) {
  Rates rates = only_products();
  rates.program.version = "1.2.3";
  const std::string good = rates_json(rates);
  EXPECT_EQ(refusal_of(good), "no error");
  EXPECT_EQ(refusal_of("{"),
            "rates.json: must be JSON as xhpl rates writes it, found line 1, column 2: "
            "syntax error while parsing object key - unexpected end of input; expected string "
            "literal");
  EXPECT_EQ(refusal_of("[]"), "rates.json: the document must be an object, found an array");
  EXPECT_EQ(refusal_of(replaced(good, "\"rates\"", "\"machine\"")),
            "rates.json: kind must be rates, found \"machine\"");
  EXPECT_EQ(refusal_of(replaced(good, "\"schema_version\": 1", "\"schema_version\": 9")),
            "rates.json: schema_version must be 1 (xhpl 1.2.3 wrote it), found 9");
  EXPECT_EQ(refusal_of(replaced(good, "1000.0", "-1000.0")),
            "rates.json: product.gflops[0][0][0] must be above 0, found -1000.0");
  EXPECT_EQ(refusal_of(replaced(good, "\"in_node\"", "\"in_space\"")),
            "rates.json: links[0].place must be in_node or between_nodes, found \"in_space\"");
  EXPECT_EQ(
      refusal_of(replaced(good, "\"product_beside_swap\": 1.0", "\"product_beside_swap\": 2")),
      "rates.json: shared.product_beside_swap must be from 0 to 1, found 2");
  EXPECT_EQ(refusal_of(replaced(good, "\"gain\": 0.0", "\"gain\": -0.1")),
            "rates.json: boost.gain must be at least 0, found -0.1");
  EXPECT_EQ(refusal_of(replaced(good, "\"second_deviation_seconds\": 0.0",
                                "\"second_deviation_seconds\": -1")),
            "rates.json: second_deviation_seconds must be at least 0, found -1");
  EXPECT_EQ(refusal_of(replaced(good, "\"gpu\"", "\"tpu\"")),
            "rates.json: processor_kind must be cpu or gpu, found \"tpu\"");
}

TEST(RatesJson, RefusesTablesThatDoNotFitTheirSizes) {
  const auto with_links = [](const std::string& link) {
    const std::string good = rates_json(only_products());
    const auto begin = good.find("\"links\""), end = good.find("\"copies\"");
    return refusal_of(good.substr(0, begin) + "\"links\": [" + link + "], " + good.substr(end));
  };
  const std::string names = R"({"neighbours": "any", "place": "in_node", "transport": "mpi", )";
  EXPECT_EQ(with_links(names + R"("bytes": [8, 4], "seconds": [1, 2]})"),
            "rates.json: links[0].bytes[1] must be more than the one before, found 4");
  EXPECT_EQ(with_links(names + R"("bytes": [4, 8], "seconds": [1]})"),
            "rates.json: links[0].seconds must be a list of 2, as many as there are sizes, found "
            "an array");
  EXPECT_EQ(with_links(names + R"("bytes": [], "seconds": []})"),
            "rates.json: links[0].bytes must be an array of at least 1 elements, found an array");
}

// As the first version wrote them.
TEST(RatesJson, NeedNotHoldWhatHasADefault) {
  Record::Json document = to_json_value(only_products());
  const auto required = Record::schema<Rates>().at("required").get<std::vector<std::string>>();
  for (auto member = document.begin(); member != document.end();)
    if (member.key() == "device_panel" || member.key() == "row_copy" ||
        std::ranges::count(required, member.key()) > 0)
      ++member;
    else
      member = document.erase(member);
  for (const char* const share : {"product_beside_panel", "panel_beside_product", "shares"})
    document["device_panel"].erase(share);
  document["shared"] = Record::Json::object();
  document["boost"] = nullptr;
  document["copies"] = {{"host_to_device_gbytes_per_second", 55},
                        {"device_to_host_gbytes_per_second", 54}};
  const Rates read = parse_rates("x", document.dump());
  EXPECT_EQ(read.shared, SharedRates());
  EXPECT_EQ(read.boost, Boost());
  EXPECT_EQ(read.copies, (CopyRates{55, 54, 55, 54}));
  EXPECT_EQ(read.device_panel->beside_product, 1);
  EXPECT_TRUE(read.uneven_product_share.empty());
  EXPECT_EQ(read.plan_seconds, Rates().plan_seconds);
}

}  // namespace
}  // namespace hpl
