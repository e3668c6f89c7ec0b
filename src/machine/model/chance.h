#pragma once

#include <random>

namespace hpl {

/// How far what a rank does is from taking as long as on average, in standard deviations: normal
/// values, the same in every simulation. Each is followed by its opposite, so that no rank is lucky
/// over a run.
class Chance {
 public:
  explicit Chance(int rank) : random_(static_cast<unsigned>(rank)) {}

  double next() {
    opposite_ = !opposite_;
    if (opposite_) return last_ = normal_(random_);
    return -last_;
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  double last_ = 0;
  bool opposite_ = false;
};

}  // namespace hpl
