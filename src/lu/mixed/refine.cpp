#include "hpl/lu/mixed/refine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hpl/base/error/error.h"
#include "hpl/lu/verify/residual.h"

namespace hpl {

namespace {

using Vector = std::vector<double>;
using Part = std::span<double>;
using ConstPart = std::span<const double>;

/// y := y + alpha x.
void add(double alpha, ConstPart x, Part y) {
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] += alpha * x[i];
}

void stretch(double alpha, Part v) {
  for (double& element : v)
    element *= alpha;
}

double dot(const RefinementProblem& problem, ConstPart a, ConstPart b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return problem.over_parts(sum, mpi::Reduce::Sum);
}

double largest(const RefinementProblem& problem, ConstPart v) {
  return problem.over_parts(largest_magnitude(v), mpi::Reduce::Max);
}

/// The vectors of a workspace.
class Workspace {
 public:
  Workspace(std::span<double> memory, std::size_t length) : memory_(memory), length_(length) {}

  Part x() const { return vector(0); }
  Part next() const { return vector(1); }
  Part residual() const { return vector(2); }
  /// Vector k <= kGmresRestart of the basis.
  Part basis(int k) const { return vector(3 + k); }
  /// The approximate solution for vector k < kGmresRestart of the basis.
  Part direction(int k) const { return vector(3 + kGmresRestart + 1 + k); }

 private:
  Part vector(int number) const {
    return memory_.subspan(static_cast<std::size_t>(number) * length_, length_);
  }

  std::span<double> memory_;
  std::size_t length_;
};

/// The solution so far, and what is left of the right-hand side.
class Iterate {
 public:
  Iterate(const RefinementProblem& problem, const Workspace& workspace, Refinement& refinement)
      : problem_(problem),
        refinement_(refinement),
        right_side_norm_(largest(problem, problem.right_side)),
        x_(workspace.x()),
        next_(workspace.next()),
        residual_(workspace.residual()) {
    std::ranges::fill(x_, 0.0);
    std::ranges::copy(problem.right_side, residual_.begin());
  }

  ConstPart residual() const { return residual_; }
  ConstPart x() const { return x_; }
  /// Room for the next x.
  Part next() const { return next_; }

  /// x := next, r := b - A x. True when that is the end: solved, or not a number.
  bool settle() {
    std::swap(x_, next_);
    problem_.product(x_, next_);
    for (std::size_t i = 0; i < residual_.size(); ++i)
      residual_[i] = problem_.right_side[i] - next_[i];
    const double scaled = problem_.agreed(scaled_by(x_, largest(problem_, residual_)));
    refinement_.history.push_back(scaled);
    refinement_.converged = scaled < kRefinementTolerance;
    return refinement_.converged || !std::isfinite(scaled);
  }
  /// The scaled residual of x with such a residual.
  double scaled_by(ConstPart x, double residual_norm) const {
    return scaled_residual({.residual_infinity = residual_norm,
                            .matrix_infinity = problem_.matrix_norm,
                            .solution_infinity = largest(problem_, x),
                            .right_side_infinity = right_side_norm_},
                           problem_.order);
  }
  bool may_go_on() const { return refinement_.iterations < kMostRefinements; }

 private:
  const RefinementProblem& problem_;
  Refinement& refinement_;
  double right_side_norm_;
  Part x_, next_, residual_;
};

Vector solution_of(const Iterate& iterate) {
  return {iterate.x().begin(), iterate.x().end()};
}

Vector refine_plainly(const RefinementProblem& problem, const Workspace& workspace,
                      Refinement& refinement) {
  Iterate iterate(problem, workspace, refinement);
  bool ended = false;
  while (!ended && iterate.may_go_on()) {
    problem.approximate(iterate.residual(), iterate.next());
    ++refinement.iterations;
    add(1, iterate.x(), iterate.next());
    ended = iterate.settle();
  }
  return solution_of(iterate);
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

/// One cycle from the residual of `iterate`, to its next x.
///
/// The approximate solutions are kept (flexible GMRES). The solver rounds to few bits, so that
/// their sum is not its solution of the sum, and x would have another residual than the one known.
void gmres_cycle(const RefinementProblem& problem, const Workspace& workspace,
                 const Iterate& iterate, Refinement& refinement) {
  const double norm = std::sqrt(dot(problem, iterate.residual(), iterate.residual()));
  // The norm that counts is the largest element's. It falls about as the Euclidean one does.
  const double element_share = largest(problem, iterate.residual()) / norm;
  std::ranges::copy(iterate.residual(), workspace.basis(0).begin());
  stretch(1 / norm, workspace.basis(0));
  Hessenberg hessenberg(norm);
  for (int k = 0;; ++k) {
    const Part w = workspace.basis(k + 1);
    problem.approximate(workspace.basis(k), workspace.direction(k));
    problem.product(workspace.direction(k), w);
    ++refinement.iterations;
    Vector h;
    for (int i = 0; i <= k; ++i) {
      h.push_back(dot(problem, w, workspace.basis(i)));
      add(-h.back(), workspace.basis(i), w);
    }
    h.push_back(std::sqrt(dot(problem, w, w)));
    const double length = h.back();
    const double left = hessenberg.add_column(std::move(h));

    const Part x = iterate.next();
    std::ranges::copy(iterate.x(), x.begin());
    const Vector y = hessenberg.solution();
    for (int i = 0; i <= k; ++i)
      add(y[static_cast<std::size_t>(i)], workspace.direction(i), x);
    const double estimate = problem.agreed(iterate.scaled_by(x, left * element_share));
    const bool goes_on = estimate >= kRefinementTolerance / 2 && length > 0 &&
                         k + 1 < kGmresRestart && iterate.may_go_on();
    if (!goes_on) return;
    refinement.history.push_back(estimate);
    stretch(1 / length, w);
  }
}

Vector refine_by_gmres(const RefinementProblem& problem, const Workspace& workspace,
                       Refinement& refinement) {
  Iterate iterate(problem, workspace, refinement);
  bool ended = false;
  while (!ended && iterate.may_go_on()) {
    gmres_cycle(problem, workspace, iterate, refinement);
    ended = iterate.settle();
  }
  return solution_of(iterate);
}

}  // namespace

std::vector<double> refine(MixedSolver solver, const RefinementProblem& problem,
                           std::span<double> workspace, Refinement& refinement) {
  refinement.iterations = 0;
  refinement.history.clear();
  refinement.converged = problem.order == 0;
  if (refinement.converged) return {};
  const std::size_t length = problem.right_side.size();
  HPL_ASSERT(std::ssize(workspace) == refinement_vectors(solver) * std::ssize(problem.right_side));
  return solver == MixedSolver::Gmres ? refine_by_gmres(problem, {workspace, length}, refinement)
                                      : refine_plainly(problem, {workspace, length}, refinement);
}

}  // namespace hpl
