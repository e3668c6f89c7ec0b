#include "hpl/lu/verify/residual.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "support/forwarding_device.h"
#include "support/grid_system.h"
#include "support/whole_run.h"

namespace hpl {
namespace {

constexpr std::int64_t kOrder = 60;

/// A device whose products of a matrix and a vector are changed afterwards.
class WrongProducts final : public test::ForwardingDevice {
 public:
  using Change = std::function<void(hpcx::VectorView y)>;
  WrongProducts(hpcx::Device& device, Change change)
      : ForwardingDevice(device), change_(std::move(change)) {}

 private:
  void gemv(hpcx::StreamRef stream, const hpcx::VectorProduct& product) override {
    ForwardingDevice::gemv(stream, product);
    stream.host_task([this, y = product.y] { change_(y); });
  }

  Change change_;
};

void make_zero(hpcx::VectorView y) {
  for (std::int64_t i = 0; i < y.size; ++i)
    y[i] = 0;
}

class VerifySolution : public testing::Test {
 protected:
  /// Calls check(residual, name) with the verdict on `x` on every grid.
  template <class Check>
  void judge_on_all_grids(const std::vector<double>& x, Check check,
                          hpcx::Device* judging = nullptr) const {
    for (const auto& [rows, columns] : test::grids_of(mpi::Communicator::world().size())) {
      test::GridSystem system(*device_, {.order = static_cast<std::int64_t>(x.size()),
                                         .block_size = 7,
                                         .grid_rows = rows,
                                         .grid_columns = columns});
      system.set_solution(x);
      check(verify_solution(judging != nullptr ? *judging : *device_, system.parts(), 16.0),
            system.name());
    }
  }

  std::unique_ptr<hpcx::Device> device_ = test::open_cpu(2);
  std::vector<double> solution_ = test::reference_solution(kOrder);
};

TEST_F(VerifySolution, PassesTheSolution) {
  judge_on_all_grids(solution_, [](const Residual& residual, const std::string& name) {
    EXPECT_TRUE(residual.passed) << name;
    EXPECT_GT(residual.scaled, 0.0) << name;
    EXPECT_LT(residual.scaled, 1.0) << name;
    EXPECT_GE(residual.samples.rows, 2) << name;
    EXPECT_EQ(residual.samples.wrong, 0) << name;
  });
}

TEST_F(VerifySolution, FailsWhereTheBlasMakesZerosOfEveryProduct) {
  WrongProducts zeros(*device_, make_zero);
  std::vector<double> x = solution_;
  x[31] += 0.5;
  judge_on_all_grids(
      x,
      [](const Residual& residual, const std::string& name) {
        EXPECT_FALSE(residual.passed) << name;
        EXPECT_GT(residual.scaled, 16.0) << name << ": the own product counts";
        EXPECT_EQ(residual.samples.wrong, residual.samples.rows) << name;
        EXPECT_EQ(residual.samples.first_row, 0) << name;
        EXPECT_EQ(residual.samples.residual, 0.0) << name;
        EXPECT_GT(std::abs(residual.samples.own), residual.samples.tolerance) << name;
      },
      &zeros);
}

TEST_F(VerifySolution, FailsWhereOneElementOfAProductIsOff) {
  const bool first_rank = mpi::Communicator::world().rank() == 0;
  // The least of them would not fail by the residual.
  for (const double off : {1e-3, -1e-11, 7e-13}) {
    WrongProducts last(*device_, [off, first_rank](hpcx::VectorView y) {
      if (first_rank) y[y.size - 1] += off;
    });
    judge_on_all_grids(
        solution_,
        [off](const Residual& residual, const std::string& name) {
          EXPECT_FALSE(residual.passed) << name;
          EXPECT_GT(residual.samples.wrong, 0) << name;
          if (std::abs(off) < 1e-12) {
            EXPECT_LT(residual.scaled, 16) << name;
          }
        },
        &last);
  }
}

TEST_F(VerifySolution, FailsNanThatTheProductsOfTheBlasHide) {
  WrongProducts zeros(*device_, make_zero);
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    std::vector<double> x = solution_;
    x[17] = bad;
    judge_on_all_grids(
        x,
        [](const Residual& residual, const std::string& name) {
          EXPECT_FALSE(residual.passed) << name;
        },
        &zeros);
  }
}

TEST_F(VerifySolution, MeasuresTheNormsOfTheGeneratedSystem) {
  const test::Dense a = test::benchmark_matrix(kOrder);
  double infinity = 0, one = 0, right_side = 0;
  for (std::int64_t i = 0; i < kOrder; ++i) {
    double row = 0, column = 0;
    for (std::int64_t j = 0; j < kOrder; ++j) {
      row += std::abs(a(i, j));
      column += std::abs(a(j, i));
    }
    infinity = std::max(infinity, row);
    one = std::max(one, column);
    right_side = std::max(right_side, std::abs(a(i, kOrder)));
  }
  double x_infinity = 0, x_one = 0;
  for (const double value : solution_) {
    x_infinity = std::max(x_infinity, std::abs(value));
    x_one += std::abs(value);
  }
  judge_on_all_grids(solution_, [&](const Residual& residual, const std::string& name) {
    EXPECT_NEAR(residual.matrix_infinity, infinity, 1e-12) << name;
    EXPECT_NEAR(residual.matrix_one, one, 1e-12) << name;
    EXPECT_EQ(residual.right_side_infinity, right_side) << name;
    EXPECT_EQ(residual.solution_infinity, x_infinity) << name;
    EXPECT_NEAR(residual.solution_one, x_one, 1e-12 * x_one) << name;
    EXPECT_EQ(residual.scaled, scaled_residual(residual, kOrder)) << name;
  });
}

TEST_F(VerifySolution, FailsASolutionWithOneElementALittleOff) {
  for (const std::int64_t place : {std::int64_t{0}, std::int64_t{31}, kOrder - 1}) {
    std::vector<double> x = solution_;
    x[place] += 1e-9;
    judge_on_all_grids(x, [&](const Residual& residual, const std::string& name) {
      EXPECT_FALSE(residual.passed) << name << " element " << place;
      EXPECT_GT(residual.scaled, 16.0) << name;
    });
  }
}

TEST_F(VerifySolution, FailsNanAndInfinityAnywhere) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const std::int64_t place : {std::int64_t{0}, std::int64_t{31}, kOrder - 1}) {
      std::vector<double> x = solution_;
      x[place] = bad;
      judge_on_all_grids(x, [](const Residual& residual, const std::string& name) {
        EXPECT_FALSE(residual.passed) << name;
      });
    }
}

TEST_F(VerifySolution, PassesAnEmptySystem) {
  judge_on_all_grids({}, [](const Residual& residual, const std::string& name) {
    EXPECT_TRUE(residual.passed) << name;
    EXPECT_EQ(residual.scaled, 0.0) << name;
  });
}

}  // namespace
}  // namespace hpl
