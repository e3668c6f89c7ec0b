#pragma once

#include <optional>

namespace hpl {

/// All pairs of `players` in rounds of disjoint pairs, so that no measurement disturbs another one
/// at its own ends (the circle method of tournaments). Every pair meets in exactly one round.
int tournament_rounds(int players);
/// Whom `player` meets in `round`; empty when it pauses.
std::optional<int> tournament_partner(int players, int round, int player);

/// The neighbours of a ring of `players`, last and first included, in rounds of disjoint pairs:
/// two rounds, three where the number is odd, one for two players, none for one.
int ring_rounds(int players);
std::optional<int> ring_partner(int players, int round, int player);

}  // namespace hpl
