#include "panel_arrivals.h"

#include <algorithm>
#include <cmath>

#include "hpl/lu/broadcast/broadcast.h"

namespace hpl {

namespace {

std::vector<int> range(int first, int last) {
  std::vector<int> distances;
  for (int distance = first; distance <= last; ++distance)
    distances.push_back(distance);
  return distances;
}

std::vector<std::vector<int>> ways(BroadcastVariant variant, int size) {
  switch (variant) {
    case BroadcastVariant::Ring1:
      return {range(1, size - 1)};
    case BroadcastVariant::Ring1M:
      return {range(1, 1), range(2, size - 1)};
    case BroadcastVariant::Ring2:
      return {range(1, (size + 1) / 2 - 1), range((size + 1) / 2, size - 1)};
    case BroadcastVariant::Ring2M:
      return {range(1, 1), range(2, size / 2), range(size / 2 + 1, size - 1)};
    case BroadcastVariant::Long:
      return {};
    case BroadcastVariant::LongM:
      return {range(1, 1)};
  }
  return {};
}

/// NCCL's own broadcast is a ring in pieces; copies out of mapped memory are taken for one.
BroadcastVariant variant_of(const CostModel& costs) {
  const LinkRates* link = costs.rates().link(Neighbours::Row, LinkPlace::InNode);
  const bool native = link != nullptr && (link->transport == "nccl" || link->transport == "peer");
  return native ? BroadcastVariant::Ring1 : costs.decided().spec.broadcast;
}

/// A hop: when the first piece is there, and when all is.
struct HopSeconds {
  double piece = 0, whole = 0;
};

}  // namespace

PanelArrivals::PanelArrivals(const CostModel& costs)
    : costs_(costs),
      size_(costs.decided().spec.grid_columns),
      tile_columns_(costs.decided().settings.tile.columns),
      ways_(ways(variant_of(costs), size_)),
      first_without_way_(1) {
  for (std::vector<int>& way : ways_) {
    std::erase_if(way, [this](int distance) { return distance >= size_; });
    for (const int distance : way)
      first_without_way_ = std::max(first_without_way_, distance + 1);
  }
  std::erase_if(ways_, [](const std::vector<int>& way) { return way.empty(); });
}

void PanelArrivals::of(const SentPanel& panel, std::span<double> arrival) const {
  const auto& [root, bytes, begin] = panel;
  std::copy(begin.begin(), begin.end(), arrival.begin());
  if (size_ == 1) return;
  const auto at = [](int place) { return static_cast<std::size_t>(place); };
  const double first_bytes = std::min(bytes, static_cast<double>(kDefaultSegmentBytes));
  HopSeconds inside, between;
  if (std::min(tile_columns_, size_) > 1)
    inside = {costs_.row_message(LinkPlace::InNode, first_bytes),
              costs_.row_message(LinkPlace::InNode, bytes)};
  if (tile_columns_ < size_)
    between = {costs_.row_message(LinkPlace::BetweenNodes, first_bytes),
               costs_.row_message(LinkPlace::BetweenNodes, bytes)};
  double root_free = begin[at(root)];
  for (const std::vector<int>& way : ways_) {
    double first_piece = root_free, whole = root_free;  // at the process before
    int from = root;
    for (const int distance : way) {
      const int to = root + distance < size_ ? root + distance : root + distance - size_;
      const HopSeconds& hop = in_node(from, to) ? inside : between;
      const double begins = std::max(first_piece, begin[at(to)]);
      if (from == root) root_free = begins + hop.whole;
      first_piece = begins + hop.piece;
      whole = std::max(begins + hop.whole, whole + hop.piece);
      arrival[at(to)] = whole;
      from = to;
    }
  }
  if (first_without_way_ < size_) long_arrivals(panel, first_without_way_, root_free, arrival);
}

void PanelArrivals::long_arrivals(const SentPanel& panel, int first_distance, double root_free,
                                  std::span<double> arrival) const {
  const auto at = [&](int distance) {
    return static_cast<std::size_t>((panel.root + distance) % size_);
  };
  // Everybody has to be there.
  double together = root_free;
  for (int distance = first_distance; distance < size_; ++distance)
    together = std::max(together, panel.begin[at(distance)]);
  const int others = size_ - first_distance + 1;
  const double piece = panel.bytes / others;
  const int last = (panel.root + size_ - 1) % size_;
  const LinkPlace place = in_node(panel.root, last) ? LinkPlace::InNode : LinkPlace::BetweenNodes;
  const double spread = costs_.row_message(place, panel.bytes - piece) +
                        (std::ceil(std::log2(others)) - 1) * costs_.row_message(place, 8);
  const double roll = (others - 1) * costs_.row_message(place, piece);
  for (int distance = first_distance; distance < size_; ++distance)
    arrival[at(distance)] = together + spread + roll;
}

}  // namespace hpl
