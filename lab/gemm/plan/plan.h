#pragma once

#include <cstdint>
#include <vector>

#include "gemm/plan/pieces.h"
#include "gemm/plan/variant.h"
#include "hpl/base/record/record.h"

namespace hpl::gemm {

/// C (rows x cols) := alpha A (rows x depth) B (depth x cols) + beta C.
struct Shape {
  std::int64_t rows = 0, cols = 0, depth = 0;

  double flops() const {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(depth);
  }
};

/// The input of a plan.
struct PlanSpec {
  Shape shape;
  Variant variant = Variant::DataPlacement;
  bool loads_c = true;             ///< beta is not zero
  std::int64_t device_bytes = 0;   ///< for pieces of A and B and blocks of C
  std::int64_t piece = 0;          ///< rows and columns of a block of C; 0: chosen
  std::int64_t least_piece = 256;  ///< of a chosen one, where memory allows
  int streams = 2;                 ///< for products
};

/// One product: a block of C gets one piece of depth. A block's steps follow each other.
struct Step {
  std::int64_t row = 0, col = 0, depth = 0;  ///< numbers of pieces
  std::int64_t block = 0;                    ///< number of the block of C, in the order of the plan
  std::int64_t unit = 0;                     ///< work unit: strips that are on the device together
  int a_slot = 0, b_slot = 0, c_buffer = 0;
  bool load_a = false, load_b = false, load_c = false;
  bool first = false, last = false;  ///< of the steps of its block: the last one stores

  // Steps that must have happened before, by number; -1: none.
  std::int64_t a_after = -1;  ///< product that last read what the load of A overwrites
  std::int64_t b_after = -1;  ///< the same of B
  std::int64_t c_after = -1;  ///< step whose store frees the buffer of C
};

/// Bytes that cross the link.
struct Traffic {
  std::int64_t a = 0, b = 0, c_in = 0, c_out = 0;
  std::int64_t in() const { return a + b + c_in; }
};
void describe(Record& record, Traffic& traffic);

/// The order of work on one device, what lies where, and what waits for what. Pure data.
struct Plan {
  PlanSpec spec;
  Pieces rows, cols, depth;
  std::int64_t units_down = 0, units_across = 0;  ///< p x q
  int a_slots = 0, b_slots = 0, c_buffers = 0;
  std::vector<Step> steps;

  std::int64_t blocks() const { return rows.count * cols.count; }
  std::int64_t a_slot_elements() const { return rows.longest() * depth.longest(); }
  std::int64_t b_slot_elements() const { return depth.longest() * cols.longest(); }
  std::int64_t c_buffer_elements() const { return rows.longest() * cols.longest(); }
  std::int64_t device_bytes() const;
  std::int64_t first_step_of(std::int64_t block) const { return block * depth.count; }
  std::int64_t last_step_of(std::int64_t block) const { return (block + 1) * depth.count - 1; }
  Shape shape_of(const Step& step) const {
    return {rows.length(step.row), cols.length(step.col), depth.length(step.depth)};
  }
  Traffic traffic() const;
};

/// Work units p x q, each as many strips as the device holds beside the buffers; blocks inside a
/// unit in an order in which what has to be loaded comes as evenly as can be. Throws ConfigError
/// where not even the smallest blocks fit.
Plan make_plan(const PlanSpec& spec);

/// The least that has to cross the link: A, B and C once.
Traffic least_traffic(const Shape& shape, bool loads_c);

}  // namespace hpl::gemm
