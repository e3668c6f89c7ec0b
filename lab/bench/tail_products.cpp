#include "tail_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

namespace hpl::bench {

namespace {

using namespace hpcx;

constexpr std::int64_t kPadding = 16;
constexpr IndexMap kAll{.block = std::int64_t{1} << 40, .stride = std::int64_t{1} << 40};
constexpr std::int64_t kOrder = 1'000'003;

enum class Place { AboveC, Buffer };

/// A kind of product. Numbers are elements of 8 bytes.
struct Kind {
  std::string name;
  std::int64_t depth = 1024;
  std::int64_t l21_at = 1024;  ///< rows of the panel above L21
  std::int64_t c_at = 1024;    ///< columns of the matrix left of C, and of U12 above it
  Place u12 = Place::AboveC;
  std::int64_t less = 0;       ///< rows and columns that C is smaller by
  std::int64_t wider = 0;      ///< elements by which rows of the matrix are longer
  std::int64_t apart = 0;      ///< first columns of C, a product of their own
  std::int64_t padded_to = 0;  ///< depth with columns of zeros in L21; 0: none
  std::int64_t inner() const { return padded_to > 0 ? padded_to : depth; }
};

std::vector<Kind> kinds() {
  return {
      {.name = "k 1024, all on 128 B"},
      {.name = "k 1000, else so", .depth = 1000},
      {.name = "k 1008, else so", .depth = 1008},
      {.name = "k 1152, else so", .depth = 1152},
      {.name = "k 1024, L21 at 8000 B", .l21_at = 1000},
      {.name = "k 1024, C and U12 at 8000 B", .c_at = 1000},
      {.name = "k 1024, C at 8000 B, U12 in a buffer", .c_at = 1000, .u12 = Place::Buffer},
      {.name = "k 1024, L21, C and U12 at 8000 B", .l21_at = 1000, .c_at = 1000},
      {.name = "k 1024, m and n 8 less", .less = 8},
      {.name = "k 1024, rows of C 8 longer", .wider = 8},
      {.name = "NB 1000, even step", .depth = 1000, .l21_at = 1000, .c_at = 2000},
      {.name = "NB 1000, odd step", .depth = 1000, .l21_at = 1000, .c_at = 1000, .less = 8},
      {.name = "NB 1000, odd step, U12 in a buffer",
       .depth = 1000,
       .l21_at = 1000,
       .c_at = 1000,
       .u12 = Place::Buffer,
       .less = 8},
      {.name = "NB 1000, odd step, k padded to 1008",
       .depth = 1000,
       .l21_at = 1000,
       .c_at = 1000,
       .less = 8,
       .padded_to = 1008},
      {.name = "the same, L21 on 128 B",
       .depth = 1000,
       .l21_at = 1008,
       .c_at = 1000,
       .less = 8,
       .padded_to = 1008},
      {.name = "NB 1000, odd step, L21 on 128 B",
       .depth = 1000,
       .l21_at = 1008,
       .c_at = 1000,
       .less = 8},
      {.name = "the same, 8 columns apart",
       .depth = 1000,
       .l21_at = 1008,
       .c_at = 1000,
       .less = 8,
       .apart = 8},
      {.name = "the same, k padded to 1008",
       .depth = 1000,
       .l21_at = 1008,
       .c_at = 1000,
       .less = 8,
       .apart = 8,
       .padded_to = 1008},
      {.name = "NB 1000, odd step, padded copies",
       .depth = 1000,
       .l21_at = 1008,
       .c_at = 1000,
       .u12 = Place::Buffer,
       .less = 8,
       .padded_to = 1008},
      {.name = "NB 1001, step 1", .depth = 1001, .l21_at = 1001, .c_at = 1001, .less = 7},
      {.name = "NB 1001, step 1, k padded, L21 on 128 B",
       .depth = 1001,
       .l21_at = 1008,
       .c_at = 1001,
       .less = 7,
       .padded_to = 1008},
      {.name = "the same, 7 columns apart",
       .depth = 1001,
       .l21_at = 1008,
       .c_at = 1001,
       .less = 7,
       .apart = 7,
       .padded_to = 1008},
      {.name = "NB 1001, step 1, padded copies",
       .depth = 1001,
       .l21_at = 1008,
       .c_at = 1001,
       .u12 = Place::Buffer,
       .less = 7,
       .padded_to = 1008},
      {.name = "NB 1001, step 1, and C and U12 on 128 B",
       .depth = 1001,
       .l21_at = 1008,
       .c_at = 1008,
       .padded_to = 1008},
  };
}

std::int64_t round_up(std::int64_t size) {
  return (size + kPadding - 1) / kPadding * kPadding;
}

class TailProducts {
 public:
  TailProducts(Device& device, const TailSizes& sizes)
      : device_(device), sizes_(sizes), stream_(device.create_stream(Priority::Normal)) {
    const std::int64_t widest = std::ranges::max(sizes.columns);
    // All kinds lie in the same matrix, whose rows are as long as each wants them.
    matrix_elements_ = (sizes.rows + kMargin) * (widest + kMargin);
    matrix_ = device.allocate(bytes(matrix_elements_));
    buffer_ = device.allocate(bytes(kMargin * widest));
    randomize({buffer_.as<double>(), kMargin, widest, widest, Layout::RowMajor});
    for (Kind& kind : kinds()) {
      const std::int64_t ld = round_up(sizes.rows + kMargin);
      Case made{std::move(kind), device.allocate(bytes(kMargin * ld)), {}};
      const MatrixView panel{made.panel.as<double>(), ld, kMargin, ld, Layout::ColumnMajor};
      randomize(panel);
      const std::int64_t depth = made.kind.depth;
      if (made.kind.padded_to > 0)
        device_.kernels().fill(stream_, 0.0, panel.col_range(depth, made.kind.padded_to - depth));
      made.l21 = panel.block(made.kind.l21_at, 0, sizes.rows - made.kind.less, made.kind.inner());
      cases_.push_back(std::move(made));
    }
    stream_.ref().synchronize();
  }

  void print() {
    fmt::print(
        "  C -= L21 U12, C {} x n by rows; GFLOP/s of products without padding, in {} turns of {} "
        "s;\n"
        "  in brackets the percentage of the first line\n  {:<42}",
        sizes_.rows, sizes_.turns, sizes_.stretch_seconds, "");
    for (const std::int64_t n : sizes_.columns)
      fmt::print(" {:>19}", fmt::format("n = {}", n));
    fmt::print("\n");
    std::vector<std::vector<double>> rates(cases_.size());
    for (const std::int64_t n : sizes_.columns) {
      const std::vector<double> of_cases = measured(n);
      for (std::size_t i = 0; i < of_cases.size(); ++i)
        rates[i].push_back(of_cases[i]);
    }
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      fmt::print("  {:<42}", cases_[i].kind.name);
      for (std::size_t n = 0; n < rates[i].size(); ++n)
        fmt::print(" {:>10.2f} ({:>6.2f})", rates[i][n], 100 * rates[i][n] / rates[0][n]);
      fmt::print("\n");
    }
    std::fflush(stdout);
  }

 private:
  /// Blocks in front of C are narrower than that, and twice that wide at most.
  static constexpr std::int64_t kMargin = 2048;

  struct Case {
    Kind kind;
    Buffer panel;
    MatrixView l21;
  };

  static std::size_t bytes(std::int64_t elements) { return static_cast<std::size_t>(8 * elements); }
  void randomize(MatrixView a) { device_.kernels().generate(stream_, {kOrder, kAll, kAll}, a); }

  void multiply(const Case& product, std::int64_t columns) {
    const Kind& kind = product.kind;
    const std::int64_t m = sizes_.rows - kind.less, n = columns - kind.less;
    const std::int64_t ld = columns + kMargin + kPadding + kind.wider;
    const MatrixView matrix{matrix_.as<double>(), matrix_elements_ / ld, ld, ld, Layout::RowMajor};
    const MatrixView c = matrix.block(kind.depth, kind.c_at, m, n);
    // Padding: the rows below U12 are the first of C, and L21 is zero there.
    const MatrixView u12 = kind.u12 == Place::AboveC
                               ? matrix.block(0, kind.c_at, kind.inner(), n)
                               : MatrixView{buffer_.as<double>(), kind.inner(), n,
                                            kind.padded_to > 0 ? round_up(n) : n, Layout::RowMajor};
    for (const auto& [first, count] :
         {std::pair(std::int64_t{0}, kind.apart), std::pair(kind.apart, n - kind.apart)})
      device_.blas().gemm(stream_, {-1.0, product.l21, u12.col_range(first, count), 1.0,
                                    c.col_range(first, count)});
  }

  double flops(const Case& product, std::int64_t columns) const {
    const auto less = static_cast<double>(product.kind.less);
    return 2 * (static_cast<double>(sizes_.rows) - less) * (static_cast<double>(columns) - less) *
           static_cast<double>(product.kind.depth);
  }

  /// GFLOP/s, medians of the turns.
  std::vector<double> measured(std::int64_t columns) {
    const std::int64_t ld = columns + kMargin + kPadding;
    randomize({matrix_.as<double>(), matrix_elements_ / ld, ld, ld, Layout::RowMajor});
    // A device that is held to its power cap settles first; kernels are loaded.
    double seconds = 0;
    for (int round = 0; round < 2; ++round) {
      const Event begin = stream_.ref().record();
      for (const Case& product : cases_)
        multiply(product, columns);
      const Event end = stream_.ref().record();
      end.synchronize();
      seconds = end.seconds_since(begin) / static_cast<double>(cases_.size());
    }
    const int count = std::max(1, static_cast<int>(sizes_.stretch_seconds / seconds));
    std::vector<std::vector<double>> rates(cases_.size());
    for (int turn = 0; turn < sizes_.turns; ++turn) {
      std::vector<Event> events;
      events.push_back(stream_.ref().record());
      for (const Case& product : cases_) {
        for (int i = 0; i < count; ++i)
          multiply(product, columns);
        events.push_back(stream_.ref().record());
      }
      events.back().synchronize();
      for (std::size_t i = 0; i < cases_.size(); ++i)
        rates[i].push_back(1e-9 * count * flops(cases_[i], columns) /
                           events[i + 1].seconds_since(events[i]));
    }
    std::vector<double> medians;
    for (std::vector<double>& of_case : rates) {
      std::ranges::sort(of_case);
      medians.push_back(of_case[of_case.size() / 2]);
    }
    return medians;
  }

  Device& device_;
  TailSizes sizes_;
  Stream stream_;
  std::int64_t matrix_elements_ = 0;
  Buffer matrix_, buffer_;
  std::vector<Case> cases_;
};

}  // namespace

void print_tail_products(Device& device, const TailSizes& sizes) {
  TailProducts(device, sizes).print();
}

}  // namespace hpl::bench
