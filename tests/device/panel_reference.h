#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "device_fixture.h"

/// The reference of panel solvers.
namespace hpcx::conformance {

struct Factors {
  HostMatrix panel;
  std::vector<std::int64_t> pivots;
  std::int64_t zero_column = -1;
};

/// Unblocked elimination of the same matrix; its pivots are the right ones. A column without pivot
/// is left undivided.
inline Factors panel_reference(const HostMatrix& a) {
  const std::int64_t rows = a.shape.rows;
  const std::int64_t cols = a.shape.cols;
  Factors result{a, {}};
  HostMatrix& lu = result.panel;
  for (std::int64_t k = 0; k < std::min(rows, cols); ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; i < rows; ++i)
      if (std::abs(lu(i, k)) > std::abs(lu(pivot, k))) pivot = i;
    result.pivots.push_back(pivot);
    for (std::int64_t j = 0; j < cols; ++j)
      std::swap(lu(k, j), lu(pivot, j));
    double* multipliers = &lu(0, k);
    const bool divides = std::abs(multipliers[k]) > 0.0;
    if (!divides && result.zero_column < 0) result.zero_column = k;
    for (std::int64_t i = k + 1; divides && i < rows; ++i)
      multipliers[i] /= multipliers[k];
    for (std::int64_t j = k + 1; j < cols; ++j) {
      double* column = &lu(0, j);
      for (std::int64_t i = k + 1; i < rows; ++i)
        column[i] -= multipliers[i] * column[k];
    }
  }
  return result;
}

/// Tests of panels in the memory of one device.
class PanelTest : public DeviceTest {
 protected:
  void SetUp() override {
    if (device_->create_panel_solver({.max_rows = 1, .max_cols = 1}) == nullptr)
      GTEST_SKIP() << "this device factorizes panels the host's way";
  }

  Factors factorize_alone(PanelSolver& solver, const HostMatrix& panel) {
    const auto steps = static_cast<std::size_t>(std::min(panel.shape.rows, panel.shape.cols));
    const DeviceMatrix on_device = upload(panel);
    const Buffer pivots = upload(std::vector<std::int64_t>(steps, -7));
    const Buffer zero = upload(std::vector<std::int64_t>{-7});
    solver.factorize(stream_, {on_device.view, pivots.as<std::int64_t>(), zero.as<std::int64_t>()});
    return {download(on_device, panel.shape), download<std::int64_t>(pivots, steps),
            download<std::int64_t>(zero, 1)[0]};
  }
  Factors factorize_alone(const HostMatrix& panel, int compute_units = 0) {
    const auto solver = device_->create_panel_solver({.max_rows = panel.shape.rows,
                                                      .max_cols = panel.shape.cols,
                                                      .compute_units = compute_units});
    return factorize_alone(*solver, panel);
  }
};

}  // namespace hpcx::conformance
