#include "hpl/run/runs/rank_card.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hpl/base/record/record.h"

namespace hpl {
namespace {

/// Of a rank with a device, or without one where `why_out` says why.
RankCard card(int rank, const std::string& host, const std::string& backend,
              const std::string& why_out = "") {
  RankCard card{.host = {.name = host,
                         .ranks = 1,
                         .devices = backend == "cpu" ? 1 : 8,
                         .facts = {{"processor", "EPYC"}}}};
  if (!why_out.empty()) {
    card.host.why_out = fmt::format("rank {}: {}", rank, why_out);
    return card;
  }
  card.device = JobDevice{.rank = rank,
                          .host = host,
                          .backend = backend,
                          .index = backend == "cpu" ? 0 : rank % 8,
                          .model = "Chip",
                          .identity = {.serial = fmt::format("S{}", rank)}};
  return card;
}

TEST(RankCard, ArrivesAsItWasSent) {
  RankCard sent = card(3, "a", "cuda");
  sent.device->health.corrected_errors = 7;
  sent.device->health.remapped_rows = hpcx::RemappedRows{.after_corrected = 1, .pending = true};
  EXPECT_EQ(to_json_value(unpack<RankCard>(pack(sent))), to_json_value(sent));
  const RankCard none = card(3, "a", "cuda", "no device");
  EXPECT_FALSE(unpack<RankCard>(pack(none)).device);
}

TEST(RankCard, AllRanksOfAHostSeeItsGpus) {
  std::vector<RankCard> cards;
  for (int rank = 0; rank < 1000; ++rank)
    cards.push_back(card(rank, fmt::format("n{:03}", rank / 8), "cuda"));
  const std::vector<JobHost> hosts = hosts_of(cards);
  ASSERT_EQ(hosts.size(), 125U);
  EXPECT_EQ(hosts[2].name, "n002");
  EXPECT_EQ(hosts[2].ranks, 8);
  EXPECT_EQ(hosts[2].devices, 8);
  EXPECT_EQ(cards[17].device->index, 1);
}

TEST(RankCard, RanksShareAProcessorAndThoseWithoutADeviceAreKept) {
  std::vector<RankCard> cards{card(0, "a", "cpu"), card(1, "a", "cpu"),
                              card(2, "b", "cpu", "no thread"), card(3, "b", "cpu")};
  const std::vector<JobHost> hosts = hosts_of(cards);
  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(hosts[0].devices, 2);
  EXPECT_EQ(hosts[1].devices, 1);
  EXPECT_EQ(hosts[1].ranks, 2);
  EXPECT_EQ(hosts[1].why_out, "rank 2: no thread");
  EXPECT_EQ(cards[1].device->index, 1);
  EXPECT_EQ(cards[3].device->index, 0);
}

}  // namespace
}  // namespace hpl
