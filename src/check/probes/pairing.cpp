#include "pairing.h"

#include "hpl/base/error/error.h"

namespace hpl {

int tournament_rounds(int players) {
  return players < 2 ? 0 : players - 1 + players % 2;
}

std::optional<int> tournament_partner(int players, int round, int player) {
  HPL_ASSERT(player >= 0 && player < players && round >= 0 && round < tournament_rounds(players));
  // One seat stays, the others turn by one a round; with an odd number the fixed seat is empty.
  const int turning = tournament_rounds(players), fixed = turning;
  if (player == fixed) {
    // It meets the one that is its own partner below: 2 p = round (mod turning).
    for (int p = 0; p < turning; ++p)
      if ((2 * p) % turning == round) return p;
  }
  const int partner = ((round - player) % turning + turning) % turning;
  if (partner != player) return partner;
  return fixed < players ? std::optional(fixed) : std::nullopt;
}

int ring_rounds(int players) {
  return players < 2 ? 0 : players == 2 ? 1 : 2 + players % 2;
}

std::optional<int> ring_partner(int players, int round, int player) {
  HPL_ASSERT(player >= 0 && player < players && round >= 0 && round < ring_rounds(players));
  // The pair (p, p + 1) meets in round p % 2; the odd one that closes the ring has its own.
  const auto round_of = [&](int first) {
    return first == players - 1 && players % 2 == 1 ? 2 : first % 2;
  };
  const int before = (player + players - 1) % players;
  if (round_of(player) == round) return (player + 1) % players;
  if (round_of(before) == round) return before;
  return std::nullopt;
}

}  // namespace hpl
