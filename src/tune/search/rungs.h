#pragma once

#include <cstddef>
#include <vector>

#include "hpl/tune/search/tune_search.h"

namespace hpl {

/// The time of trials of a kind.
class TrialCost {
 public:
  /// `whole`: seconds of a trial of level 0; `overhead`: of any trial beside. Guesses.
  TrialCost(double whole, double overhead) : whole_(whole), overhead_(overhead) {}

  double at(int level) const;
  void learn(double whole, int level, double cost);

 private:
  double whole_, overhead_;
  std::vector<double> wholes_, beside_;
};

/// Levels of the rungs of a halving, and how many candidates it begins with.
struct Rungs {
  int first = 0, last = 0;
  std::size_t candidates = 0;
};

/// A candidate of a rung with its result.
struct Scored {
  std::size_t index;  ///< in the order of proposal
  TunePoint point;
  double seconds;
  std::size_t trial;  ///< the last one
};

/// Sorts a rung, the fastest first, ties in the order of proposal.
void rank(std::vector<Scored>& rung);

/// Differences below are noise: the one that was proposed first is taken.
inline constexpr double kTie = 0.003;

/// Of three candidates one goes on; of any at least one.
std::size_t third_of(std::size_t count);

/// Rungs for as many of the candidates, and with trials as long, as `seconds` allow; more
/// candidates go before longer trials. None where not even the shortest trials of two fit.
Rungs affordable_rungs(const TrialCost& cost, std::size_t candidates, double seconds, int shortest);

}  // namespace hpl
