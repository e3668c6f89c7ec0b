#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hpl/comm/mpi/communicator.h"

namespace hpl::mpi {

// Collectives of vectors along a line of ranks, by messages that a test can count. An MPI may sum
// long vectors whole on a tree.

/// One round of an exchange: each rank sends the parts of `parts` ranks to the rank `distance`
/// away, and receives as many.
struct ExchangeRound {
  int distance = 1;
  int parts = 1;
};
/// The rounds in which a part of every rank reaches every rank: ceil(log2(size)). Source: Bruck et
/// al., IEEE Trans. Parallel Distrib. Syst. 8 (1997) 1143-1156. Pure.
std::vector<ExchangeRound> exchange_rounds(int size);

/// `values`: the parts of all ranks in the order of ranks, counts[r] elements of rank r. The own
/// part is read, all others are written. A rank sends a message a round. Collective over the line.
void all_gather(const Communicator& line, std::span<const std::int64_t> counts,
                std::span<double> values);
/// Element by element the sum over the ranks: the same bits on every rank. A rank sends two
/// messages a round, and 2 (size - 1)/size of the vector. `scratch`: as long as `values`.
/// Collective over the line.
void all_sum(const Communicator& line, std::span<double> values, std::span<double> scratch);

/// A rank of a line, in a tree below `root`.
struct TreePlace {
  int rank = 0;
  int root = 0;
  int size = 1;
  /// The distance from the root counts ranks up (1) or down (-1) the line. The rank at distance 1
  /// is a leaf below the root.
  int direction = 1;
};
/// The ranks next to a rank in a tree.
struct TreeLinks {
  std::optional<int> parent = {};  ///< empty at the root
  std::vector<int> children = {};

  friend bool operator==(const TreeLinks&, const TreeLinks&) = default;
};
/// A binomial tree: the root has ceil(log2(size)) children, no rank has more, and paths have at
/// most floor(log2(size)) messages. Children stand in the order of their distances. Pure.
TreeLinks binomial_tree(const TreePlace& place);

/// Up to this many ranks the messages of a star, which are under way together, take no longer than
/// those of a tree, which follow each other. Short vectors are assumed.
inline constexpr int kLongestStar = 32;
/// Up to kLongestStar ranks a star, with children in the order of ranks; beyond it a binomial tree.
/// Pure.
TreeLinks star_or_tree(const TreePlace& place);
/// The most messages that a rank sends, or receives, along star_or_tree(): size - 1 up to
/// kLongestStar ranks, ceil(log2(size)) beyond. Pure.
int star_or_tree_messages(int size);

/// Element by element the sum over the ranks, on `root`; the values of others are used up. size - 1
/// messages on a binomial tree. `scratch`: as long as `values`. Collective over the line.
void sum_to(const Communicator& line, std::span<double> values, std::span<double> scratch,
            int root);
/// Root's bytes to every rank. size - 1 messages on a binomial tree. Collective over the line.
void send_to_all(const Communicator& line, std::span<std::byte> bytes, int root);

}  // namespace hpl::mpi
