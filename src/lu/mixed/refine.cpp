#include "hpl/lu/mixed/refine.h"

#include <cmath>

#include "hpl/lu/verify/residual.h"

namespace hpl {

namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

/// y := y + alpha x.
void add(double alpha, const Vector& x, Vector& y) {
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] += alpha * x[i];
}

Vector times(double alpha, Vector v) {
  for (double& element : v)
    element *= alpha;
  return v;
}

/// The solution so far, and what is left of the right-hand side.
class Iterate {
 public:
  Iterate(const RefinementProblem& problem, Refinement& refinement)
      : problem_(problem),
        refinement_(refinement),
        right_side_norm_(largest_magnitude(problem.right_side)),
        x_(problem.right_side.size(), 0.0),
        residual_(problem.right_side) {}

  const Vector& residual() const { return residual_; }
  const Vector& x() const { return x_; }
  Vector take() && { return std::move(x_); }

  /// x := next, r := b - A x. True when that is the end: solved, or not a number.
  bool settle(Vector next) {
    x_ = std::move(next);
    residual_ = problem_.right_side;
    add(-1, problem_.product(x_), residual_);
    const double scaled = problem_.agreed(scaled_by(x_, largest_magnitude(residual_)));
    refinement_.history.push_back(scaled);
    refinement_.converged = scaled < kRefinementTolerance;
    return refinement_.converged || !std::isfinite(scaled);
  }
  /// The scaled residual of x with such a residual.
  double scaled_by(const Vector& x, double residual_norm) const {
    return scaled_residual({.residual_infinity = residual_norm,
                            .matrix_infinity = problem_.matrix_norm,
                            .solution_infinity = largest_magnitude(x),
                            .right_side_infinity = right_side_norm_},
                           static_cast<std::int64_t>(x.size()));
  }
  bool may_go_on() const { return refinement_.iterations < kMostRefinements; }

 private:
  const RefinementProblem& problem_;
  Refinement& refinement_;
  double right_side_norm_;
  Vector x_, residual_;
};

Vector refine_plainly(const RefinementProblem& problem, Refinement& refinement) {
  Iterate iterate(problem, refinement);
  bool ended = false;
  while (!ended && iterate.may_go_on()) {
    Vector next = problem.approximate(iterate.residual());
    ++refinement.iterations;
    add(1, iterate.x(), next);
    ended = iterate.settle(std::move(next));
  }
  return std::move(iterate).take();
}

/// The least squares problem of GMRES, in triangular form by rotations.
class Hessenberg {
 public:
  explicit Hessenberg(double norm) : rest_{norm} {}

  /// One more column: its elements down to the one below the diagonal. Returns the norm of the
  /// residual with it.
  double add_column(Vector h) {
    const std::size_t k = columns_.size();
    for (std::size_t i = 0; i < k; ++i)
      rotate(rotations_[i], h[i], h[i + 1]);
    const double length = std::hypot(h[k], h[k + 1]);
    rotations_.push_back(length > 0 ? Rotation{h[k] / length, h[k + 1] / length} : Rotation{1, 0});
    rotate(rotations_[k], h[k], h[k + 1]);
    rest_.push_back(0);
    rotate(rotations_[k], rest_[k], rest_[k + 1]);
    columns_.push_back(std::move(h));
    return std::abs(rest_[k + 1]);
  }
  Vector solution() const {
    Vector y(rest_.begin(), rest_.end() - 1);
    for (std::size_t j = y.size(); j-- > 0;) {
      y[j] /= columns_[j][j];
      for (std::size_t i = 0; i < j; ++i)
        y[i] -= columns_[j][i] * y[j];
    }
    return y;
  }

 private:
  struct Rotation {
    double cosine, sine;
  };
  static void rotate(const Rotation& by, double& a, double& b) {
    const double first = by.cosine * a + by.sine * b;
    b = by.cosine * b - by.sine * a;
    a = first;
  }

  std::vector<Vector> columns_;
  std::vector<Rotation> rotations_;
  Vector rest_;
};

/// One cycle from the residual of `iterate`. Returns the x that it leads to.
///
/// The approximate solutions are kept (flexible GMRES). The solver rounds to few bits, so that
/// their sum is not its solution of the sum, and x would have another residual than the one known.
Vector gmres_cycle(const RefinementProblem& problem, const Iterate& iterate,
                   Refinement& refinement) {
  const double norm = std::sqrt(dot(iterate.residual(), iterate.residual()));
  // The norm that counts is the largest element's. It falls about as the Euclidean one does.
  const double element_share = largest_magnitude(iterate.residual()) / norm;
  std::vector<Vector> basis{times(1 / norm, iterate.residual())}, directions;
  Hessenberg hessenberg(norm);
  for (;;) {
    directions.push_back(problem.approximate(basis.back()));
    Vector w = problem.product(directions.back());
    ++refinement.iterations;
    Vector h;
    for (const Vector& v : basis) {
      h.push_back(dot(w, v));
      add(-h.back(), v, w);
    }
    h.push_back(std::sqrt(dot(w, w)));
    const double length = h.back();
    const double left = hessenberg.add_column(std::move(h));

    Vector x = iterate.x();
    const Vector y = hessenberg.solution();
    for (std::size_t i = 0; i < y.size(); ++i)
      add(y[i], directions[i], x);
    const double estimate = problem.agreed(iterate.scaled_by(x, left * element_share));
    const bool goes_on = estimate >= kRefinementTolerance / 2 && length > 0 &&
                         std::ssize(directions) < kGmresRestart && iterate.may_go_on();
    if (!goes_on) return x;
    refinement.history.push_back(estimate);
    basis.push_back(times(1 / length, std::move(w)));
  }
}

Vector refine_by_gmres(const RefinementProblem& problem, Refinement& refinement) {
  Iterate iterate(problem, refinement);
  bool ended = false;
  while (!ended && iterate.may_go_on())
    ended = iterate.settle(gmres_cycle(problem, iterate, refinement));
  return std::move(iterate).take();
}

}  // namespace

std::vector<double> refine(MixedSolver solver, const RefinementProblem& problem,
                           Refinement& refinement) {
  refinement.iterations = 0;
  refinement.history.clear();
  refinement.converged = problem.right_side.empty();
  if (refinement.converged) return {};
  return solver == MixedSolver::Gmres ? refine_by_gmres(problem, refinement)
                                      : refine_plainly(problem, refinement);
}

}  // namespace hpl
