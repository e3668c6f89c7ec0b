#include <cstdlib>

#include "mixed_fixture.h"
#include "support/golden.h"

namespace hpcx::conformance {
namespace {

using generator::Form;

class MixedMatrixTest : public MixedTest {
 protected:
  /// A e_j, without the elements of other columns: row 0 to `rows` - 1.
  std::vector<double> column(const MixedMatrix& matrix, std::int64_t j, IndexMap map,
                             std::int64_t rows) {
    const Buffer x = upload(std::vector<double>(static_cast<std::size_t>(j + 1), 1.0));
    const Buffer y = upload(std::vector<double>(static_cast<std::size_t>(rows), 0.0));
    const IndexMap this_column{.block = 1, .stride = 1, .first = j};
    mixed_->multiply(stream_, {{matrix, map, this_column}, rows, 1, y.as<double>()},
                     x.as<double>());
    return download<double>(y, static_cast<std::size_t>(rows));
  }
};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(MixedMatrixTest);

/// One matrix of each kind. Constants of Fasi's and Higham's whose products are exact.
struct Case {
  const char* name;
  MixedMatrix matrix;
  bool own_diagonal = false;
};
std::vector<Case> cases(std::int64_t order) {
  const double root = std::sqrt(static_cast<double>(order));
  return {
      {"netlib", {.order = order}},
      {"conforming", {.order = order, .shift = root}},
      {"ICL", {.order = order, .form = Form::Icl, .seed = 1}, true},
      {"OpenMxP", {.order = order, .form = Form::OpenMxp, .seed = 42}, true},
      {"Fasi-Higham",
       {.kind = MixedMatrix::Kind::FasiHigham, .order = order, .alpha = 0x1p-8, .beta = 0x1p-7}}};
}

double diagonal_entry(std::int64_t i) {
  return 10 + static_cast<double>(i) / 3;
}

std::vector<double> diagonal_of(std::int64_t order) {
  std::vector<double> entries;
  for (std::int64_t i = 0; i < order; ++i)
    entries.push_back(diagonal_entry(i));
  return entries;
}

double element(const Case& c, std::int64_t i, std::int64_t j) {
  const MixedMatrix& m = c.matrix;
  if (m.kind == MixedMatrix::Kind::FasiHigham) {
    const double first = i > j ? -m.alpha : i < j ? -m.beta : 1.0;
    return first + m.alpha * m.beta * static_cast<double>(std::min(i, j));
  }
  if (i == j && c.own_diagonal) return diagonal_entry(i);
  const auto steps = static_cast<std::uint64_t>(1 + i) +
                     static_cast<std::uint64_t>(j) * static_cast<std::uint64_t>(m.order);
  return generator::value(m.form, generator::jump(steps)(m.seed)) + (i == j ? m.shift : 0.0);
}

/// The whole matrix, blocks of several grids, and hardly anything.
std::vector<MixedRowSums> parts(const MixedMatrix& matrix) {
  const std::int64_t order = matrix.order;
  return {
      {{matrix, kAll, kAll}, order, order},      {{matrix, {3, 9, 3}, {3, 6, 0}}, 80, 97},
      {{matrix, {1, 2, 1}, {1, 3, 2}}, 100, 85}, {{matrix, {64, 128, 64}, {64, 192, 64}}, 101, 65},
      {{matrix, kAll, {5, 10, 5}}, 1, 33},       {{matrix, {16, 32, 0}, kAll}, 33, 1}};
}

constexpr std::int64_t kOrder = 301;

TEST_P(MixedMatrixTest, GeneratesRoundedElements) {
  const Buffer diagonal = upload(diagonal_of(kOrder));
  for (Case c : cases(kOrder)) {
    if (c.own_diagonal) c.matrix.diagonal = diagonal.as<double>();
    for (const auto& [part, rows, cols, none] : parts(c.matrix)) {
      for (const Layout layout : kLayouts) {
        for (const Precision precision : kPrecisions) {
          for (const double factor : {1.0, 0x1p-4, 0x1p9}) {
            SCOPED_TRACE(testing::Message()
                         << c.name << ", " << rows << " x " << cols << ", " << layout_name(layout)
                         << ", " << name_of(precision) << ", " << factor);
            const HostMixed before({rows, cols, layout, 3, 1}, precision);
            const DeviceMixed tile = upload(before);
            mixed_->generate(stream_, part, factor, tile.view);
            const HostMixed after = download(tile, before);
            for (std::int64_t i = 0; i < rows; ++i)
              for (std::int64_t j = 0; j < cols; ++j)
                ASSERT_EQ(after(i, j),
                          rounded(factor * element(c, part.rows(i), part.cols(j)), precision))
                    << i << ", " << j;
            expect_padding_untouched(after);
          }
        }
      }
    }
  }
}

TEST_P(MixedMatrixTest, MultipliesAndSumsAsLoopsDo) {
  const Buffer diagonal = upload(diagonal_of(kOrder));
  HostMatrix x = random_matrix({kOrder, 1, Layout::ColumnMajor, 0, 0}, 3);
  const DeviceMatrix device_x = upload(x);
  for (Case c : cases(kOrder)) {
    if (c.own_diagonal) c.matrix.diagonal = diagonal.as<double>();
    for (MixedRowSums all : parts(c.matrix)) {
      SCOPED_TRACE(testing::Message() << c.name << ", " << all.rows << " x " << all.cols);
      const MixedPart& part = all.part;
      const auto rows = static_cast<std::size_t>(all.rows);
      std::vector<double> product(rows, 0.25), with(rows, 0.25), without(rows, 0.25);
      for (std::size_t i = 0; i < rows; ++i) {
        const std::int64_t row = part.rows(static_cast<std::int64_t>(i));
        for (std::int64_t j = 0; j < all.cols; ++j) {
          const double value = element(c, row, part.cols(j));
          product[i] += value * x(part.cols(j), 0);
          with[i] += std::abs(value);
          if (row != part.cols(j)) without[i] += std::abs(value);
        }
      }
      const auto check = [&](const std::vector<double>& expected, auto operation) {
        std::vector<double> first;
        for (int run = 0; run < 3; ++run) {
          const Buffer y = upload(std::vector<double>(rows, 0.25));
          all.sums = y.as<double>();
          operation();
          const auto actual = download<double>(y, rows);
          for (std::size_t i = 0; i < rows; ++i)  // |x| is below 1
            ASSERT_NEAR(actual[i], expected[i],
                        static_cast<double>(all.cols + 2) * 0x1p-52 * with[i])
                << "row " << i;
          if (run == 0) first = actual;
          ASSERT_EQ(actual, first) << "not the same bits in every run";
        }
      };
      check(product, [&] { mixed_->multiply(stream_, all, device_x.view.data); });
      for (const bool diagonal_too : {true, false})
        check(diagonal_too ? with : without, [&] { mixed_->row_sums(stream_, all, diagonal_too); });
    }
  }
}

TEST_P(MixedMatrixTest, AUnitVectorGivesAColumnBitForBit) {
  const Buffer diagonal = upload(diagonal_of(kOrder));
  for (Case c : cases(kOrder)) {
    if (c.own_diagonal) c.matrix.diagonal = diagonal.as<double>();
    for (const std::int64_t j : {std::int64_t{0}, std::int64_t{77}, kOrder - 1}) {
      const auto entries = column(c.matrix, j, kAll, kOrder);
      for (std::int64_t i = 0; i < kOrder; ++i)
        ASSERT_EQ(entries[static_cast<std::size_t>(i)], element(c, i, j))
            << c.name << " " << i << ", " << j;
    }
  }
}

TEST_P(MixedMatrixTest, LeavesNothingOfNothing) {
  const MixedMatrix matrix{.order = 10};
  const Buffer x = upload(std::vector<double>(10, 1.0)), y = upload(std::vector<double>(10, 7.0));
  for (const auto& [rows, cols] : {std::pair{0, 10}, std::pair{10, 0}}) {
    const MixedRowSums sums{{matrix, kAll, kAll}, rows, cols, y.as<double>()};
    mixed_->multiply(stream_, sums, x.as<double>());
    mixed_->row_sums(stream_, sums, true);
  }
  for (const Precision precision : kPrecisions) {
    mixed_->generate(stream_, {matrix, kAll, kAll}, 1, {nullptr, precision, 0, 5, 5});
    mixed_->generate(stream_, {matrix, kAll, kAll}, 1, {nullptr, precision, 5, 0, 1});
  }
  EXPECT_EQ(download<double>(y, 10), std::vector<double>(10, 7.0));
}

// --- Numbers of an independent program: tests/golden/mixed_matrix.py
// ------------------------------

/// By its name in the file, with the diagonal that its generator gives.
MixedMatrix published(const std::string& name, std::int64_t order) {
  if (name == "conforming") return {.order = order, .shift = std::sqrt(static_cast<double>(order))};
  if (name == "fasi-higham")
    return {.kind = MixedMatrix::Kind::FasiHigham,
            .order = order,
            .alpha = 0x1.47ae147ae147bp-9,
            .beta = 0x1.47ae147ae147bp-8};
  if (name == "icl-b") return {.order = order, .form = Form::Icl, .seed = 2};
  return name == "icl" ? MixedMatrix{.order = order, .form = Form::Icl, .seed = 1}
                       : MixedMatrix{.order = order, .form = Form::OpenMxp, .seed = 42};
}

TEST_P(MixedMatrixTest, AgreesWithNumbersFromThePublishedFormulas) {
  int compared = 0;
  for (const auto& fields : hpl::test::read_golden("mixed_matrix.csv")) {
    const std::string& name = fields.at(0);
    const std::string& what = fields.at(1);
    const std::int64_t order = std::stoll(fields.at(2)), i = std::stoll(fields.at(3)),
                       j = std::stoll(fields.at(4));
    const double value = std::strtod(fields.at(5).c_str(), nullptr);
    SCOPED_TRACE(testing::Message()
                 << name << " " << what << " of order " << order << ": " << i << ", " << j);
    const MixedMatrix matrix = published(name, order);
    const IndexMap this_row{.block = 1, .stride = 1, .first = i};
    ++compared;
    if (what == "element") {
      const double actual = column(matrix, j, this_row, 1).at(0);
      if (name == "fasi-higham")
        EXPECT_DOUBLE_EQ(actual, value);
      else
        EXPECT_EQ(actual, value);
    } else {
      ASSERT_EQ(what, "diagonal");
      const Buffer sum = upload(std::vector<double>{0.0});
      mixed_->row_sums(stream_, {{matrix, this_row, kAll}, 1, order, sum.as<double>()}, false);
      EXPECT_NEAR(download<double>(sum, 1).at(0), value,
                  static_cast<double>(order) * 0x1p-53 * value);
    }
  }
  EXPECT_GT(compared, 200);
}

}  // namespace
}  // namespace hpcx::conformance
