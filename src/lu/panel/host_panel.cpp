#include "hpl/lu/panel/host_panel.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "hpcx/blas.h"
#include "pivot_search.h"

namespace hpl {

namespace {

namespace host = hpcx::host;
using hpcx::Diagonal;
using hpcx::MatrixView;
using hpcx::Triangle;

/// The recursion. Row numbers count in X; columns [first, last) are being factorized.
///
/// Rows above column c in the order of pivots are final and the same on all processes, so every
/// process computes their U part itself; `live(c)` is where its own rows still in play begin.
class PanelRecursion {
 public:
  PanelRecursion(const HostPanelProblem& problem, const PanelSweep& sweep, const PanelTeam& team,
                 PivotExchange* exchange)
      : p_(problem),
        sweep_(sweep),
        team_(team),
        exchange_(exchange),
        x_(problem.x),
        width_(problem.geometry.width),
        threads_(threads_of(team)),
        found_(static_cast<std::size_t>(threads_)) {}

  void run() {
    pass(
        live(0), 0, [](std::int64_t, std::int64_t) {}, 0);
    factorize(0, width_);
    pass(
        live(width_), width_, [](std::int64_t, std::int64_t) {}, 0);
  }

  double exchange_seconds() const { return exchange_seconds_; }

 private:
  // Operations in the time of reading or writing an element next to the last one.
  static constexpr std::int64_t kFlopsPerElement = 16;
  static constexpr std::int64_t kElementsPerLine = 32;  // a line of a row's own per element

  /// Threads that make a panel together, of those that there are. All wait for the one whose core
  /// has something else to do, so where there are many, one stays out.
  static int threads_of(const PanelTeam& team) {
    constexpr int kMany = 8;
    return team.threads < kMany ? team.threads : team.threads - 1;
  }

  void factorize(std::int64_t first, std::int64_t last) {
    const std::int64_t columns = last - first;
    if (columns == 1)
      eliminate(first);
    else if (columns <= sweep_.recursion_stop)
      sweep(first, last, sweep_.panel_variant, 1);
    else
      sweep(first, last, sweep_.recursive_variant, piece_of(columns));
  }

  /// Columns of a piece when `columns` are cut into NDIV pieces of multiples of NBMIN.
  std::int64_t piece_of(std::int64_t columns) const {
    const std::int64_t units = (columns + sweep_.recursion_stop - 1) / sweep_.recursion_stop;
    return (units + sweep_.recursion_divisor - 1) / sweep_.recursion_divisor *
           sweep_.recursion_stop;
  }

  std::int64_t live(std::int64_t column) const {
    return p_.geometry.on_owner_row ? column : width_;
  }

  void sweep(std::int64_t first, std::int64_t last, PanelVariant variant, std::int64_t piece) {
    for (std::int64_t c = first, e; c < last; c = e) {
      e = std::min(c + piece, last);
      if (variant == PanelVariant::Left && c > first) {
        solve(first, c, c, e);              // U(first:c, c:e) = L11^-1 A(first:c, c:e)
        multiply(live(c), first, c, c, e);  // A(c:, c:e) -= L(c:, first:c) U(first:c, c:e)
      }
      factorize(c, e);
      if (e == last) break;
      if (variant == PanelVariant::Right) {
        solve(c, e, e, last);
        multiply(live(e), c, e, e, last);
      } else if (variant == PanelVariant::Crout) {
        // The row block of U to the right, then only the next block of columns below it.
        if (c > first)
          host::gemm(
              {-1.0, block(c, e, first, c), block(first, c, e, last), 1.0, block(c, e, e, last)});
        solve(c, e, e, last);
        multiply(live(e), first, e, e, std::min(e + piece, last));
      }
    }
  }

  MatrixView block(std::int64_t i, std::int64_t i_end, std::int64_t j, std::int64_t j_end) const {
    return x_.block(i, j, i_end - i, j_end - j);
  }

  /// body(number, i, i_end) on pieces of [begin, end), by as many threads where `elements` of X
  /// read or written by it make that worth while. Where it goes over rows as often as it may, the
  /// same rows fall to the same thread, whose cache holds them.
  template <class Body>
  void share(std::int64_t begin, std::int64_t end, std::int64_t elements, std::int64_t pieces,
             const Body& body) const {
    constexpr std::int64_t kLeastElements = 16384;  // some microseconds
    if (pieces == 1 || elements < kLeastElements) return body(0, begin, end);
    const std::int64_t each = round_up((end - begin + pieces - 1) / pieces, kPadding);
    team_.run((end - begin + each - 1) / each, [&](std::int64_t number) {
      const std::int64_t i = begin + number * each;
      body(number, i, std::min(i + each, end));
    });
  }

  /// A(k:k_end, j:j_end) := L(k:k_end, k:k_end)^-1 A(k:k_end, j:j_end), on replicated rows.
  void solve(std::int64_t k, std::int64_t k_end, std::int64_t j, std::int64_t j_end) {
    const std::int64_t order = k_end - k;
    if (order == 1) return;
    const std::int64_t flops = order * order * (j_end - j);
    share(j, j_end, flops / kFlopsPerElement, threads_,
          [&](std::int64_t, std::int64_t i, std::int64_t i_end) {
            host::trsm({Triangle::Lower, Diagonal::Unit, block(k, k_end, k, k_end)},
                       block(k, k_end, i, i_end));
          });
  }

  /// A(row:, j:j_end) -= L(row:, k:k_end) U(k:k_end, j:j_end), on this process's rows.
  void multiply(std::int64_t row, std::int64_t k, std::int64_t k_end, std::int64_t j,
                std::int64_t j_end) {
    const std::int64_t depth = k_end - k, columns = j_end - j;
    const MatrixView u = block(k, k_end, j, j_end);
    const auto product = [&](std::int64_t i, std::int64_t i_end) {
      const MatrixView l = block(i, i_end, k, k_end), a = block(i, i_end, j, j_end);
      if (depth == 1)
        host::ger(-1.0, column(l, 0), hpcx::row(u, 0), a);
      else if (columns == 1)
        host::gemv({-1.0, l, column(u, 0), 1.0, column(a, 0)});
      else
        host::gemm({-1.0, l, u, 1.0, a});
    };
    pass(row, j, product, columns * std::max<std::int64_t>(1, 2 * depth / kFlopsPerElement));
  }

  /// One pass over rows [row, ...), piece by piece: the column eliminated last is divided by its
  /// pivot, product(i, i_end) is made, which takes as long as to read `elements` of a row, and
  /// column `next`, which is eliminated then, is searched for its pivot. So each column is read
  /// while a cache has it, and threads meet once.
  template <class Product>
  void pass(std::int64_t row, std::int64_t next, const Product& product, std::int64_t elements) {
    constexpr std::int64_t kLeastRows = 256;  // each piece packs U
    const std::int64_t rows = x_.rows - row;
    const std::int64_t owned_end = width_ + p_.geometry.below_rows;  // padding is never a pivot
    const std::int64_t pieces = std::clamp<std::int64_t>(rows / kLeastRows, 1, threads_);
    std::ranges::fill(found_, PivotCandidate());
    if (rows > 0)
      share(row, x_.rows, rows * (elements + 2), pieces,
            [&](std::int64_t number, std::int64_t i, std::int64_t i_end) {
              if (undivided_ >= 0) scale(&x_(i, undivided_), i_end - i, pivot_);
              product(i, i_end);
              if (next == width_ || i >= owned_end) return;
              PivotCandidate& found = found_[static_cast<std::size_t>(number)];
              found = find_pivot(&x_(i, next), std::min(i_end, owned_end) - i);
              found.index += i - row;
            });
    undivided_ = -1;
  }

  /// Of what the last pass has found. Of several as large the first.
  PivotCandidate best_found() const {
    PivotCandidate best = found_.front();
    for (const PivotCandidate& found : found_)
      if (found.magnitude > best.magnitude) best = found;
    return best;
  }

  /// Brings the pivot of column c to row c. The next pass divides the column by it.
  void eliminate(std::int64_t c) {
    const PivotCandidate best = best_found();
    const std::int64_t pivot = live(c) + best.index;
    const double magnitude =
        exchange_ == nullptr ? exchange_locally(c, pivot, best) : exchange_globally(c, pivot, best);
    if (!(magnitude > 0)) {
      if (*p_.zero_column < 0) *p_.zero_column = p_.geometry.first + c;
      return;
    }
    undivided_ = c;
    pivot_ = x_(c, c);
  }

  double exchange_locally(std::int64_t c, std::int64_t pivot, const PivotCandidate& best) {
    p_.pivots[c] = p_.rows.to_global({p_.geometry.row_begin.value + pivot}).value;
    if (pivot != c)
      share(0, width_, width_ * kElementsPerLine, threads_,
            [&](std::int64_t, std::int64_t j, std::int64_t j_end) {
              for (; j < j_end; ++j)
                std::swap(x_(c, j), x_(pivot, j));
            });
    return best.magnitude;
  }

  double exchange_globally(std::int64_t c, std::int64_t pivot, const PivotCandidate& best) {
    const StepGeometry& g = p_.geometry;
    const auto copy_row = [&](std::int64_t i, std::span<double> row) {
      for (std::int64_t j = 0; j < width_; ++j)
        row[static_cast<std::size_t>(j)] = x_(i, j);
    };
    const auto set_row = [&](std::int64_t i, std::span<const double> row) {
      for (std::int64_t j = 0; j < width_; ++j)
        x_(i, j) = row[static_cast<std::size_t>(j)];
    };
    // A process without rows proposes nothing: magnitude -1 loses against any proposal.
    PivotExchange::Winner proposal{.magnitude = -1, .row = p_.rows.extent()};
    const bool has_rows = width_ + g.below_rows > live(c);
    if (has_rows) {
      proposal = {best.magnitude, global_row(pivot).value};
      copy_row(pivot, exchange_->candidate());
    }
    if (g.on_owner_row) copy_row(c, exchange_->current());

    const auto start = std::chrono::steady_clock::now();
    const PivotExchange::Winner winner = exchange_->exchange(proposal, g.on_owner_row);
    exchange_seconds_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    p_.pivots[c] = winner.row;
    if (has_rows && proposal.row == winner.row) set_row(pivot, exchange_->current());
    set_row(c, exchange_->candidate());
    return winner.magnitude;
  }

  /// Global row of row i of X, one of this process's own.
  GlobalRow global_row(std::int64_t i) const {
    const StepGeometry& g = p_.geometry;
    return g.on_owner_row ? p_.rows.to_global({g.row_begin.value + i})
                          : p_.rows.to_global({g.below_begin.value + i - width_});
  }

  const HostPanelProblem& p_;
  const PanelSweep& sweep_;
  const PanelTeam& team_;
  PivotExchange* exchange_;
  MatrixView x_;
  std::int64_t width_;
  int threads_;
  std::vector<PivotCandidate> found_;  // by pieces of the column that is next
  std::int64_t undivided_ = -1;        // a column, of which
  double pivot_ = 0;
  double exchange_seconds_ = 0;
};

}  // namespace

void factorize_panel(const HostPanelProblem& problem, const PanelSweep& sweep,
                     const PanelTeam& team, PivotExchange* exchange, double* exchange_seconds) {
  *problem.zero_column = -1;
  if (exchange != nullptr) exchange->resize(problem.geometry.width);
  PanelRecursion recursion(problem, sweep, team, exchange);
  recursion.run();
  *exchange_seconds += recursion.exchange_seconds();
}

}  // namespace hpl
