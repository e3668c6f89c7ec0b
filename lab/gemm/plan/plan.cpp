#include "gemm/plan/plan.h"

#include <cmath>

#include "block_order.h"
#include "hpl/base/error/error.h"
#include "hpl/base/number/memory_account.h"
#include "slots.h"

namespace hpl::gemm {

namespace {

constexpr std::int64_t kGrain = 16;  // of every dimension: a library's fast kernels want even ones
constexpr std::int64_t kLargeGrain = 256;   // of large blocks: a multiple of the tiles of kernels
constexpr std::int64_t kLargeBlock = 2048;  // and what is large
constexpr std::int64_t kLargestPiece = 8192;
constexpr std::int64_t kBlocksWanted = 256;  // filling and draining cost one block's time each
constexpr std::int64_t kMostSteps = 1 << 20;

std::int64_t round_down(std::int64_t value, std::int64_t grain) {
  return value / grain * grain;
}
std::int64_t grain_of(std::int64_t piece) {
  return piece >= kLargeBlock && piece % kLargeGrain == 0 ? kLargeGrain : kGrain;
}

std::int64_t chosen_piece(const PlanSpec& spec) {
  const double area = static_cast<double>(spec.shape.rows) * static_cast<double>(spec.shape.cols) /
                      double{kBlocksWanted};
  auto side = static_cast<std::int64_t>(std::sqrt(area));
  side = round_down(side, side >= kLargeBlock ? kLargeGrain : kGrain);
  return std::clamp(side, std::min(spec.least_piece, kLargestPiece), kLargestPiece);
}

/// Rows and columns of blocks, depth of pieces, and buffers for C.
struct Blocking {
  Pieces rows, cols, depth;
  int buffers = 1;

  std::int64_t a_slot() const { return rows.longest() * depth.longest() * kElementBytes; }
  std::int64_t b_slot() const { return cols.longest() * depth.longest() * kElementBytes; }
  std::int64_t c_buffer() const { return rows.longest() * cols.longest() * kElementBytes; }
  /// Two pieces of A and of B: one in use, one on its way.
  std::int64_t least_bytes() const { return buffers * c_buffer() + 2 * a_slot() + 2 * b_slot(); }
};

int c_buffers(const PlanSpec& spec, std::int64_t buffer_bytes) {
  if (!loads_beside_products(spec.variant)) return stores_beside_products(spec.variant) ? 2 : 1;
  // One being loaded, one that each stream computes, one being stored; two more let the link run
  // ahead.
  const int least = spec.streams + 2;
  return (least + 2) * buffer_bytes <= spec.device_bytes / 4 ? least + 2 : least;
}

Blocking blocking_of(const PlanSpec& spec, std::int64_t piece) {
  Blocking blocking{Pieces::of(spec.shape.rows, piece, grain_of(piece)),
                    Pieces::of(spec.shape.cols, piece, grain_of(piece)),
                    Pieces::of(spec.shape.depth, spec.shape.depth, kGrain)};
  blocking.buffers = c_buffers(spec, blocking.c_buffer());
  if (blocking.least_bytes() <= spec.device_bytes) return blocking;
  const std::int64_t left = spec.device_bytes - blocking.buffers * blocking.c_buffer();
  const std::int64_t deepest = round_down(
      left / (2 * kElementBytes * (blocking.rows.longest() + blocking.cols.longest())), kGrain);
  if (deepest >= kGrain) blocking.depth = Pieces::of(spec.shape.depth, deepest, kGrain);
  return blocking;
}

Blocking choose_blocking(const PlanSpec& spec) {
  std::int64_t piece = spec.piece > 0 ? spec.piece : chosen_piece(spec);
  // A piece of less depth than width moves more of A and B than of C.
  const auto good = [&](const Blocking& blocking) {
    return blocking.least_bytes() <= spec.device_bytes &&
           (blocking.depth.count == 1 || blocking.depth.longest() >= piece);
  };
  Blocking blocking = blocking_of(spec, piece);
  if (spec.piece == 0)
    while (!good(blocking) && piece > kGrain) {
      piece = std::max(kGrain, round_down(piece / 2, kGrain));
      blocking = blocking_of(spec, piece);
    }
  if (blocking.least_bytes() > spec.device_bytes) {
    Blocking least = blocking;
    least.depth = Pieces::of(spec.shape.depth, kGrain, kGrain);
    throw ConfigError(
        "{} of device memory hold no product of {} x {} blocks of C: {} are needed at least",
        bytes_text(spec.device_bytes), blocking.rows.longest(), blocking.cols.longest(),
        bytes_text(least.least_bytes()));
  }
  return blocking;
}

/// Slots for pieces of A and B, and the work units that they allow.
struct Residence {
  int a_slots, b_slots;
  std::int64_t unit_rows, unit_cols;
};

Residence residence_of(const PlanSpec& spec, const Blocking& blocking) {
  const std::int64_t left = spec.device_bytes - blocking.buffers * blocking.c_buffer();
  const std::int64_t down = blocking.rows.count, across = blocking.cols.count;
  const std::int64_t chunks = blocking.depth.count;
  const std::int64_t all_a = down * chunks, all_b = across * chunks;
  const auto slots = [](std::int64_t bytes, std::int64_t each, std::int64_t most) {
    return std::clamp<std::int64_t>(bytes / each, 0, most);
  };
  // All of B, and two pieces of A at least, or the other way round: then everything is loaded once.
  std::int64_t a = slots(left - all_b * blocking.b_slot(), blocking.a_slot(), all_a);
  std::int64_t b = slots(left - all_a * blocking.a_slot(), blocking.b_slot(), all_b);
  if (a >= std::min<std::int64_t>(2, all_a))
    b = all_b;
  else if (b >= std::min<std::int64_t>(2, all_b))
    a = all_a;
  else {
    // Halves, but two pieces of each at least, for which there is memory.
    const std::int64_t most_a =
        (left - std::min<std::int64_t>(2, all_b) * blocking.b_slot()) / blocking.a_slot();
    a = std::clamp(slots(left / 2, blocking.a_slot(), all_a), std::min<std::int64_t>(2, all_a),
                   std::min(most_a, all_a));
    b = slots(left - a * blocking.a_slot(), blocking.b_slot(), all_b);
  }
  // A strip of the next unit needs a slot before this unit is done with its own.
  const auto unit = [&](std::int64_t have, std::int64_t all, std::int64_t pieces) {
    if (have >= all) return pieces;
    return std::clamp<std::int64_t>((have - 1) / chunks, 1, pieces);
  };
  const auto even = [](std::int64_t pieces, std::int64_t most) {
    const std::int64_t units = (pieces + most - 1) / most;
    return (pieces + units - 1) / units;
  };
  return {static_cast<int>(a), static_cast<int>(b), even(down, unit(a, all_a, down)),
          even(across, unit(b, all_b, across))};
}

std::vector<Step> steps_of(const std::vector<BlockPosition>& order, const Plan& plan) {
  std::vector<Step> steps;
  steps.reserve(order.size() * static_cast<std::size_t>(plan.depth.count));
  for (std::size_t block = 0; block < order.size(); ++block) {
    for (std::int64_t d = 0; d < plan.depth.count; ++d) {
      Step step;
      step.row = order[block].row;
      step.col = order[block].col;
      // To and fro: where a strip is shared, its last piece is read first.
      step.depth =
          reuses_strips(plan.spec.variant) && block % 2 == 1 ? plan.depth.count - 1 - d : d;
      step.block = static_cast<std::int64_t>(block);
      step.unit = order[block].unit;
      step.first = d == 0;
      step.last = d == plan.depth.count - 1;
      step.load_c = step.first && plan.spec.loads_c;
      step.c_buffer = static_cast<int>(step.block % plan.c_buffers);
      const std::int64_t before = step.block - plan.c_buffers;  // block that had the buffer
      if (step.first && before >= 0) step.c_after = (before + 1) * plan.depth.count - 1;
      steps.push_back(step);
    }
  }
  return steps;
}

void place(Plan& plan) {
  std::vector<std::int64_t> a, b, periods;
  for (const Step& step : plan.steps) {
    a.push_back(step.row * plan.depth.count + step.depth);
    b.push_back(step.col * plan.depth.count + step.depth);
    periods.push_back(reuses_strips(plan.spec.variant) ? 0 : step.unit);
  }
  const std::vector<Placement> of_a = place_pieces(a, periods, plan.a_slots);
  const std::vector<Placement> of_b = place_pieces(b, periods, plan.b_slots);
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    Step& step = plan.steps[s];
    step.a_slot = of_a[s].slot;
    step.load_a = of_a[s].load;
    step.a_after = of_a[s].after;
    step.b_slot = of_b[s].slot;
    step.load_b = of_b[s].load;
    step.b_after = of_b[s].after;
  }
}

}  // namespace

std::int64_t Plan::device_bytes() const {
  return kElementBytes * (a_slots * a_slot_elements() + b_slots * b_slot_elements() +
                          c_buffers * c_buffer_elements());
}

Traffic Plan::traffic() const {
  Traffic traffic;
  for (const Step& step : steps) {
    const Shape size = shape_of(step);
    if (step.load_a) traffic.a += kElementBytes * size.rows * size.depth;
    if (step.load_b) traffic.b += kElementBytes * size.depth * size.cols;
    if (step.load_c) traffic.c_in += kElementBytes * size.rows * size.cols;
    if (step.last) traffic.c_out += kElementBytes * size.rows * size.cols;
  }
  return traffic;
}

Plan make_plan(const PlanSpec& spec) {
  HPL_ASSERT(spec.shape.rows > 0 && spec.shape.cols > 0 && spec.shape.depth > 0);
  const Blocking blocking = choose_blocking(spec);
  Plan plan;
  plan.spec = spec;
  plan.rows = blocking.rows;
  plan.cols = blocking.cols;
  plan.depth = blocking.depth;
  if (plan.blocks() * plan.depth.count > kMostSteps)
    throw ConfigError(
        "pieces of {} make {} products of C = A B, more than {}: take larger pieces or allow more "
        "device memory",
        blocking.rows.longest(), plan.blocks() * plan.depth.count, kMostSteps);
  const Residence residence = residence_of(spec, blocking);
  plan.a_slots = residence.a_slots;
  plan.b_slots = residence.b_slots;
  plan.c_buffers = static_cast<int>(std::min<std::int64_t>(blocking.buffers, plan.blocks()));
  const UnitGrid grid{plan.rows.count, plan.cols.count, residence.unit_rows, residence.unit_cols};
  plan.units_down = grid.down();
  plan.units_across = grid.across();
  plan.steps = steps_of(block_order(grid, reuses_strips(spec.variant)), plan);
  place(plan);
  return plan;
}

Traffic least_traffic(const Shape& shape, bool loads_c) {
  const std::int64_t c = kElementBytes * shape.rows * shape.cols;
  return {kElementBytes * shape.rows * shape.depth, kElementBytes * shape.depth * shape.cols,
          loads_c ? c : 0, c};
}

}  // namespace hpl::gemm
