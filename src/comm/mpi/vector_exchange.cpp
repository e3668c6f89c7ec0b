#include "hpl/comm/mpi/vector_exchange.h"

#include <algorithm>

#include "collective_wait.h"
#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/request.h"

namespace hpl::mpi {

namespace {

int wrapped(int rank, const Communicator& line) {
  return (rank + line.size()) % line.size();
}

/// Sends to one rank and receives from another, both whole.
void swap_messages(const Communicator& line, std::span<const double> out, int to,
                   std::span<double> in, int from) {
  RequestSet requests;
  requests.irecv(line, std::as_writable_bytes(in), wrapped(from, line), line.tag(0));
  requests.isend(line, std::as_bytes(out), wrapped(to, line), line.tag(0));
  requests.wait(kCollectiveWait);
}

void send(const Communicator& line, std::span<const std::byte> bytes, int to) {
  isend(line, bytes, to, line.tag(0)).wait(kCollectiveWait);
}

void receive(const Communicator& line, std::span<std::byte> bytes, int from) {
  irecv(line, bytes, from, line.tag(0)).wait(kCollectiveWait);
}

void add(std::span<const double> more, std::span<double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] += more[i];
}

/// A vector with the part of this rank first, then those of the next ranks around the line.
class RotatedParts {
 public:
  RotatedParts(const Communicator& line, std::span<const std::int64_t> counts,
               std::span<double> values)
      : line_(line), values_(values) {
    HPL_ASSERT(std::ssize(counts) == line.size());
    for (int k = 0; k < line.size(); ++k)
      begins_.push_back(begins_.back() + static_cast<std::size_t>(counts[index(k)]));
    HPL_ASSERT(begins_.back() == values.size());
    for (int rank = 0; rank < line.rank(); ++rank)
      before_ += static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]);
    std::rotate(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(before_),
                values_.end());
  }

  /// The parts of `count` ranks, from the one `first` behind this rank.
  std::span<double> parts(int first, int count) const {
    const std::size_t begin = begins_[static_cast<std::size_t>(first)];
    return values_.subspan(begin, begins_[static_cast<std::size_t>(first + count)] - begin);
  }
  void gather() const {
    for (const ExchangeRound& round : exchange_rounds(line_.size()))
      swap_messages(line_, parts(0, round.parts), line_.rank() - round.distance,
                    parts(round.distance, round.parts), line_.rank() + round.distance);
  }
  /// The way of gather() backwards: each part goes to its rank and is added up on its way.
  void sum(std::span<double> scratch) const {
    const std::vector<ExchangeRound> rounds = exchange_rounds(line_.size());
    for (auto round = rounds.rbegin(); round != rounds.rend(); ++round) {
      const std::span<double> kept = parts(0, round->parts);
      const std::span<double> arrived = scratch.first(kept.size());
      swap_messages(line_, parts(round->distance, round->parts), line_.rank() + round->distance,
                    arrived, line_.rank() - round->distance);
      add(arrived, kept);
    }
  }
  /// Parts in the order of ranks again.
  void turn_back() const {
    std::rotate(values_.begin(), values_.end() - static_cast<std::ptrdiff_t>(before_),
                values_.end());
  }

 private:
  std::size_t index(int behind) const {
    return static_cast<std::size_t>(wrapped(line_.rank() + behind, line_));
  }

  const Communicator& line_;
  std::span<double> values_;
  std::vector<std::size_t> begins_{0};
  std::size_t before_ = 0;  // elements of the ranks before this one
};

}  // namespace

std::vector<ExchangeRound> exchange_rounds(int size) {
  std::vector<ExchangeRound> rounds;
  for (int distance = 1; distance < size; distance *= 2)
    rounds.push_back({distance, std::min(distance, size - distance)});
  return rounds;
}

void all_gather(const Communicator& line, std::span<const std::int64_t> counts,
                std::span<double> values) {
  const RotatedParts all(line, counts, values);
  all.gather();
  all.turn_back();
}

void all_sum(const Communicator& line, std::span<double> values, std::span<double> scratch) {
  const std::int64_t length = std::ssize(values), size = line.size();
  std::vector<std::int64_t> counts;
  for (std::int64_t rank = 0; rank < size; ++rank)
    counts.push_back(length * (rank + 1) / size - length * rank / size);
  const RotatedParts all(line, counts, values);
  all.sum(scratch);
  all.gather();
  all.turn_back();
}

TreeLinks binomial_tree(const TreePlace& place) {
  const auto rank_at = [&](int distance) {
    return ((place.root + place.direction * distance) % place.size + place.size) % place.size;
  };
  const int distance =
      (place.direction * (place.rank - place.root) % place.size + place.size) % place.size;
  TreeLinks links;
  for (int bit = 1; bit < place.size; bit *= 2) {
    if ((distance & bit) != 0) {
      links.parent = rank_at(distance - bit);
      break;
    }
    if (distance + bit < place.size) links.children.push_back(rank_at(distance + bit));
  }
  return links;
}

TreeLinks star_or_tree(const TreePlace& place) {
  if (place.size > kLongestStar) return binomial_tree(place);
  if (place.rank != place.root) return {.parent = place.root};
  TreeLinks links;
  for (int rank = 0; rank < place.size; ++rank)
    if (rank != place.root) links.children.push_back(rank);
  return links;
}

int star_or_tree_messages(int size) {
  return size > kLongestStar ? static_cast<int>(exchange_rounds(size).size()) : size - 1;
}

void sum_to(const Communicator& line, std::span<double> values, std::span<double> scratch,
            int root) {
  const TreeLinks links = binomial_tree({line.rank(), root, line.size()});
  const std::span<double> arrived = scratch.first(values.size());
  for (const int child : links.children) {
    receive(line, std::as_writable_bytes(arrived), child);
    add(arrived, values);
  }
  if (links.parent) send(line, std::as_bytes(values), *links.parent);
}

void send_to_all(const Communicator& line, std::span<std::byte> bytes, int root) {
  const TreeLinks links = binomial_tree({line.rank(), root, line.size()});
  if (links.parent) receive(line, bytes, *links.parent);
  RequestSet sends;
  for (auto child = links.children.rbegin(); child != links.children.rend(); ++child)
    sends.isend(line, bytes, *child, line.tag(0));
  sends.wait(kCollectiveWait);
}

}  // namespace hpl::mpi
