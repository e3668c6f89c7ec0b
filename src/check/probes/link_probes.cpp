#include <algorithm>
#include <functional>

#include "hpl/check/probes/probe.h"
#include "hpl/lu/grid/process_grid.h"
#include "link_timer.h"
#include "pairing.h"

namespace hpl {
namespace {

struct LinkMetrics {
  Figure latency, bandwidth;
};

/// Rounds of disjoint pairs within `comm`; `partner` gives the rank there that this rank meets.
/// `world_rank` turns it into the number for the record. Collective over comm.
struct Rounds {
  const mpi::Communicator& comm;
  int count = 0;
  std::function<std::optional<int>(int round)> partner;
  std::function<int(int rank)> world_rank;
};

void measure_rounds(const Rounds& rounds, bool brief, LinkMetrics metrics, RankRecord& record) {
  LinkTimer timer(rounds.comm, brief);
  for (int round = 0; round < rounds.count; ++round) {
    rounds.comm.barrier();  // no pair of the round before disturbs this one
    const std::optional<int> peer = rounds.partner(round);
    if (!peer) continue;
    const LinkFigures figures = timer.measure(*peer);
    if (rounds.comm.rank() > *peer) continue;  // the lower rank tells
    record.measurements.push_back({metrics.latency, rounds.world_rank(*peer), figures.latency_us});
    record.measurements.push_back(
        {metrics.bandwidth, rounds.world_rank(*peer), figures.bandwidth_gbytes});
  }
}

/// Neighbours in this rank's row or column of the grid.
enum class Line { Row, Column };

void measure_ring(const CheckContext& context, Line line, const char* name, LinkMetrics metrics,
                  RankRecord& record) {
  const int rows = context.grid.rows, columns = context.grid.columns;
  const int length = line == Line::Row ? columns : rows;
  if (length < 2) return skip(record, name, "the grid has one process there");
  const std::vector<int>& ranks = context.grid_ranks;
  const auto own = std::ranges::find(ranks, context.world.rank());
  const bool in_grid = own != ranks.end();
  const GridPosition at =
      grid_position(static_cast<int>(own - ranks.begin()), rows, columns, context.rank_order);
  const auto neighbour = [&](int place) {
    const GridPosition there =
        line == Line::Row ? GridPosition{at.row, place} : GridPosition{place, at.column};
    return ranks[rank_at(there, rows, columns, context.rank_order)];
  };
  const auto partner = [&](int round) -> std::optional<int> {
    const auto place = in_grid ? ring_partner(length, round, line == Line::Row ? at.column : at.row)
                               : std::nullopt;
    return place ? std::optional(neighbour(*place)) : std::nullopt;
  };
  measure_rounds({.comm = context.world,
                  .count = ring_rounds(length),
                  .partner = partner,
                  .world_rank = [](int rank) { return rank; }},
                 context.brief(), metrics, record);
}

}  // namespace

void probe_rows(const CheckContext& context, RankRecord& record) {
  measure_ring(context, Line::Row, "MPI along rows", {Figure::RowLatency, Figure::RowBandwidth},
               record);
}

void probe_columns(const CheckContext& context, RankRecord& record) {
  measure_ring(context, Line::Column, "MPI along columns",
               {Figure::ColumnLatency, Figure::ColumnBandwidth}, record);
}

void probe_pairs_in_node(const CheckContext& context, RankRecord& record) {
  const int size = context.node.size();
  if (size < 2) return skip(record, "MPI in a node", "the node has one rank");
  measure_rounds(
      {.comm = context.node,
       .count = tournament_rounds(size),
       .partner = [&](int round) { return tournament_partner(size, round, context.node.rank()); },
       .world_rank = [&](int rank) { return context.node_ranks[rank]; }},
      context.brief(), {Figure::PairLatency, Figure::PairBandwidth}, record);
}

void probe_pairs_of_nodes(const CheckContext& context, RankRecord& record) {
  if (context.leader_ranks.size() < 2)
    return skip(record, "MPI between nodes", "there is one node");
  if (!context.leaders) return;  // another rank of the node measures
  const mpi::Communicator& leaders = *context.leaders;
  measure_rounds(
      {.comm = leaders,
       .count = tournament_rounds(leaders.size()),
       .partner =
           [&](int round) { return tournament_partner(leaders.size(), round, leaders.rank()); },
       .world_rank = [&](int rank) { return context.leader_ranks[rank]; }},
      context.brief(), {Figure::NodeLatency, Figure::NodeBandwidth}, record);
}

}  // namespace hpl
