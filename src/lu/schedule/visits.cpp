#include "hpl/lu/schedule/visits.h"

#include <algorithm>

#include "hpl/base/error/error.h"

namespace hpl {

namespace {

/// Copies may take this part of the products' time. They come in bursts, and other processes of the
/// host use the same memory.
constexpr double kCopyShare = 0.5;
constexpr int kMostSteps = 64;
/// Wider visits make products hardly faster.
constexpr std::int64_t kWideEnough = 1024;

/// The widest divisor of a block column that is at most kWideEnough.
std::int64_t default_columns(std::int64_t block) {
  std::int64_t parts = (block + kWideEnough - 1) / kWideEnough;
  while (block % parts != 0)
    ++parts;
  return block / parts;
}

/// For visits that do not end evenly: one in kFew times s is of each phase but the last.
constexpr std::int64_t kFew = 4;

/// Visits end with the steps that leave this remainder by s.
std::int64_t visit_phase(const VisitPolicy& visits, std::int64_t number) {
  const std::int64_t period = (visits.evenly ? 1 : kFew) * visits.steps;
  return std::min<std::int64_t>(number % period, visits.steps - 1);
}

/// `visits` with as many resident columns as fit. Empty where the slots alone do not fit.
std::optional<VisitPolicy> filled(VisitPolicy visits, const LocalShape& shape,
                                  const VisitWish& wish) {
  const std::int64_t spare = wish.device_bytes - wish.needs(visits);
  if (spare < 0) return std::nullopt;
  if (wish.three_stage) return visits;
  const std::int64_t block = shape.columns.block();
  visits.resident_columns = spare / (8 * shape.stored_rows) / block * block;
  // Resident columns are stored with padding, which the division above leaves out.
  while (visits.resident_columns > 0 && wish.needs(visits) > wish.device_bytes)
    visits.resident_columns -= block;
  return visits;
}

}  // namespace

VisitedPart visited_part(const LocalShape& shape, const VisitPolicy& visits) {
  const std::int64_t block = shape.columns.block();
  const std::int64_t columns = visits.columns == 0 ? block : visits.columns;
  HPL_ASSERT(block % columns == 0);
  const std::int64_t resident = std::min(visits.resident_columns, shape.stored_columns);
  const std::int64_t whole = shape.columns.lower_bound({shape.rows.extent()}).value / block * block;
  const std::int64_t visited = std::min(round_up(shape.stored_columns - resident, block), whole);
  return {visited, columns, visited == 0 ? 0 : static_cast<int>(block / columns) + 4};
}

bool visit_ends(const VisitPolicy& visits, std::int64_t number, std::int64_t last,
                std::int64_t step) {
  return step == last || step % visits.steps == visit_phase(visits, number);
}

double visit_bytes(const LocalShape& shape, const VisitPolicy& visits, int look_ahead) {
  const std::int64_t block = shape.columns.block();
  const VisitedPart part = visited_part(shape, visits);
  double bytes = 0;
  for (std::int64_t column = 0; column < part.columns; column += part.slot_columns) {
    const std::int64_t panel = shape.columns.to_global({column}).value / block;
    const auto load = [&](std::int64_t first) {
      const std::int64_t above = shape.rows.lower_bound({first * block}).value;
      bytes += 8.0 * static_cast<double>(shape.stored_rows - above) *
               static_cast<double>(part.slot_columns);
    };
    // Look-ahead takes the first columns at once: they visit once.
    const std::int64_t last = std::max<std::int64_t>(panel - look_ahead - 1, 0);
    std::int64_t first = 0;
    for (std::int64_t end = visit_phase(visits, column / part.slot_columns); end < last;
         end += visits.steps) {
      load(first);
      first = end + 1;
    }
    load(first);
  }
  return bytes;
}

double product_flops(const LocalShape& shape) {
  const auto order = static_cast<double>(shape.rows.extent());
  return 2.0 / 3 * order * order * order / (shape.rows.processes() * shape.columns.processes());
}

double copy_share(const LocalShape& shape, const VisitPolicy& visits, int look_ahead,
                  double balanced_depth) {
  return visit_bytes(shape, visits, look_ahead) * balanced_depth / 4 / product_flops(shape);
}

VisitPolicy choose_visits(const LocalShape& shape, const VisitWish& wish) {
  const int first = wish.three_stage ? 1 : wish.steps.value_or(1);
  const int last = wish.three_stage ? 1 : wish.steps.value_or(kMostSteps);
  const std::int64_t columns = wish.columns.value_or(default_columns(shape.columns.block()));
  VisitPolicy best{.resident_columns = 0, .steps = first, .columns = columns};
  double least = std::numeric_limits<double>::infinity();
  for (int steps = first; steps <= last; ++steps) {
    auto visits = filled({0, steps, columns}, shape, wish);
    if (!visits) break;
    const auto share = [&] {
      return copy_share(shape, *visits, wish.look_ahead, wish.balanced_depth);
    };
    visits->evenly =
        static_cast<double>(steps * shape.columns.block()) < wish.balanced_depth && share() < 1;
    if (share() < least) {
      best = *visits;
      least = share();
    }
    if (share() <= kCopyShare) break;
  }
  return best;
}

}  // namespace hpl
