#pragma once

#include <string>
#include <vector>

#include "hpl/lu/system/linear_system.h"
#include "support/cpu_device.h"
#include "support/reference_lu.h"

namespace hpl::test {

/// A system on a grid of all ranks, to be filled.
struct GridSystem : LinearSystem {
  GridSystem(hpcx::Device& on, const RunSpec& run)
      : LinearSystem(on, mpi::Communicator::world(), run, {}) {}

  /// Stores the elements of [A|b] that are this process's; the padding becomes zero.
  void set_matrix(const Dense& a) {
    const LocalShape& shape = matrix.shape();
    for (std::int64_t i = 0; i < shape.stored_rows; ++i)
      for (std::int64_t j = 0; j < shape.stored_columns; ++j)
        matrix.view()(i, j) =
            i < shape.local_rows && j < shape.local_columns
                ? a(shape.rows.to_global({i}).value, shape.columns.to_global({j}).value)
                : 0.0;
  }
  void set_solution(const std::vector<double>& values) {
    for (std::int64_t i = 0; i < x.view().size; ++i)
      x.view()[i] = values[matrix.shape().columns.to_global({i}).value];
  }

  std::string name() const {
    return "N " + std::to_string(spec.order) + " on " + std::to_string(spec.grid_rows) + " x " +
           std::to_string(spec.grid_columns);
  }
};

}  // namespace hpl::test
