#include "hpl/run/runs/rank_card.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "hpl/base/record/record.h"
#include "hpl/machine/host/host_facts.h"
#include "hpl/machine/host/versions.h"

namespace hpl {

namespace {

RankCard card_of(int rank, const Machine& machine, const std::string& why_out) {
  RankCard card{
      .host = {.name = host_name(),
               .ranks = 1,
               .devices = machine.devices_of_node(),
               .why_out = why_out.empty() ? "" : fmt::format("rank {}: {}", rank, why_out),
               .facts = host_facts()}};
  card.host.facts.emplace_back("mpi", short_library_version(mpi::library_version()));
  card.host.facts.emplace_back("program", program_version());
  std::erase_if(card.host.facts, [](const auto& fact) { return fact.second.empty(); });
  if (!machine.problem().empty()) return card;
  hpcx::Device& device = machine.device();
  const hpcx::DeviceProperties& properties = device.properties();
  if (properties.backend == hpcx::Backend::Cpu) card.host.devices = 1;
  card.device = {.rank = rank,
                 .host = card.host.name,
                 .backend = std::string(to_string(properties.backend)),
                 .index = properties.index,
                 .model = properties.name,
                 .identity = device.telemetry().identity(),
                 .health = device.telemetry().health()};
  return card;
}

void add_rank(JobHost& host, const JobHost& of_rank, bool cpu) {
  host.ranks += of_rank.ranks;
  // All ranks of a host see its GPUs; the CPU is shared out among them.
  host.devices = cpu ? host.devices + of_rank.devices : std::max(host.devices, of_rank.devices);
  if (of_rank.why_out.empty()) return;
  if (!host.why_out.empty()) host.why_out += "; ";
  host.why_out += of_rank.why_out;
}

}  // namespace

void describe(Record& record, RankCard& card) {
  record("host", card.host);
  record("device", card.device);
}

std::vector<RankCard> gather_rank_cards(const mpi::Communicator& world, const Machine& machine,
                                        const std::string& why_out) {
  std::vector<RankCard> cards;
  for (const std::string& packed :
       world.gather_text(pack(card_of(world.rank(), machine, why_out)), 0))
    cards.push_back(unpack<RankCard>(packed));
  return cards;
}

std::vector<JobHost> hosts_of(std::vector<RankCard>& cards) {
  const bool cpu = std::ranges::none_of(
      cards, [](const RankCard& card) { return card.device && card.device->backend != "cpu"; });
  std::vector<JobHost> hosts;
  std::map<std::string, std::size_t> places;
  std::map<std::string, int> devices;
  for (RankCard& card : cards) {
    if (cpu && !card.device) card.host.devices = 0;
    if (cpu && card.device) card.device->index = devices[card.host.name]++;
    const auto [place, is_new] = places.try_emplace(card.host.name, hosts.size());
    if (is_new)
      hosts.push_back(card.host);
    else
      add_rank(hosts[place->second], card.host, cpu);
  }
  return hosts;
}

}  // namespace hpl
