#pragma once

#include <algorithm>
#include <random>

namespace hpl {

/// How much longer or shorter than on average the work of a rank takes, by chance: the same in
/// every simulation. A rank makes up for what it is late by, so that none is lucky over a run.
class Chance {
 public:
  explicit Chance(int rank) : random_(static_cast<unsigned>(rank)) {}

  /// Of a piece of work with this standard deviation.
  double next(double deviation) {
    const double made_up = std::clamp(late_ / 4, -deviation, deviation);
    const double more = deviation * normal_(random_) - made_up;
    late_ += more;
    return more;
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  double late_ = 0;
};

}  // namespace hpl
