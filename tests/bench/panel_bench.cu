// Time and correctness of the panel solver's variants beside cuSOLVER. Needs nothing else of the
// project: see the comment on top of main() for how to build it alone.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panel_trial.h"

namespace hpcx {

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: %s does not hold\n", file, line, condition);
  std::abort();
}

namespace gpu_cuda {

// Of members of a team only, which need much more of the library.
void GpuPanelProxy::expect(const PanelWindow&, const RowSplit&, int) {
  HPCX_ASSERT(!"a panel of one device");
}

}  // namespace gpu_cuda
}  // namespace hpcx

using namespace hpcx::gpu_cuda;
using namespace hpcx::gpu_cuda::bench;

namespace {

constexpr const char* kSmallVariants = "all,all/128,cl16,cl16/64,cl16/128,cl16/256,cl8/128";

/// "all", "clN" or "N", each with "/W" where there are windows of W columns; nothing else.
std::optional<Variant> parse_variant(const Chip& chip, const std::string& name) {
  const std::size_t slash = name.find('/');
  const std::string who = name.substr(0, slash);
  const int window = slash == std::string::npos ? 0 : std::atoi(name.c_str() + slash + 1);
  if (window < 0 || window % kLeafWidth != 0) return std::nullopt;
  if (who == "all") return Variant{name, chip.tuning(chip.multiprocessors, window, true)};
  const bool clustered = who.rfind("cl", 0) == 0;
  const int blocks = std::atoi(who.c_str() + (clustered ? 2 : 0));
  if (blocks < 1 || (clustered && blocks > kMaxClusterBlocks)) return std::nullopt;
  return Variant{name,
                 clustered ? chip.clustered(blocks, window) : chip.tuning(blocks, window, false)};
}

std::vector<Variant> parse_variants(const Chip& chip, const std::string& names) {
  std::vector<Variant> list;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::optional<Variant> variant = parse_variant(chip, names.substr(begin, end - begin));
    require(variant.has_value(), "a variant is all, clN or N, or one of them with /W");
    list.push_back(*variant);
    begin = end + 1;
  }
  return list;
}

std::vector<Variant> wide_variants(const Chip& chip) {
  return {{"all/256", chip.tuning(132, 256, true)}, {"all/128", chip.tuning(132, 128, true)},
          {"cl16/64", chip.clustered(16, 64)},      {"cl16/128", chip.clustered(16, 128)},
          {"cl16/256", chip.clustered(16, 256)},    {"cl16", chip.clustered(16, 0)},
          {"cl8/128", chip.clustered(8, 128)}};
}

std::vector<Variant> narrow_variants(const Chip& chip) {
  return {{"64/256", chip.tuning(64, 256, false)}, {"32", chip.tuning(32, 0, false)},
          {"32/256", chip.tuning(32, 256, false)}, {"32/128", chip.tuning(32, 128, false)},
          {"24/256", chip.tuning(24, 256, false)}, {"16/256", chip.tuning(16, 256, false)}};
}

std::vector<Variant> variants(const Chip& chip, int rows) {
  std::vector<Variant> list = wide_variants(chip);
  // No cluster holds more.
  if (rows > max_cluster_rows(kMaxClusterBlocks)) list.resize(2);
  for (const Variant& variant : narrow_variants(chip))
    if (rows > max_cluster_rows(kMaxClusterBlocks)) list.push_back(variant);
  return list;
}

bool check_small_sizes(Chip& chip) {
  bool good = true;
  for (const Size size :
       {Size{1, 1, 0}, Size{3, 2, 1}, Size{2, 5, 0}, Size{33, 33, 0}, Size{100, 31, 3},
        Size{64, 200, 0}, Size{500, 65, 0}, Size{1000, 1000, 7}, Size{1025, 129, 1},
        Size{5000, 200, 0}, Size{9000, 96, 1}, Size{20001, 520, 1}, Size{33000, 70, 0}}) {
    Trial trial(chip, size);
    trial.time_library();
    for (const Variant& variant : {Variant{"132/256", chip.tuning(132, 256, false)},
                                   {"132", chip.tuning(132, 0, false)},
                                   {"40/64", chip.tuning(40, 64, false)},
                                   {"7", chip.tuning(7, 0, false)},
                                   {"cl16/64", chip.clustered(16, 64)},
                                   {"cl16", chip.clustered(16, 0)},
                                   {"cl4/32", chip.clustered(4, 32)}}) {
      PanelFactorizer factorizer = trial.make(variant.tuning);
      trial.restore();
      trial.factorize(factorizer);
      HPCX_CHECK(cudaDeviceSynchronize());
      const double residual = trial.residual();
      const int differ = trial.pivots_that_differ();
      const bool ok = residual < 1 && differ == 0 && trial.zero_column() == -1;
      good = good && ok;
      if (!ok)
        std::printf("WRONG %d x %d, %s: residual %g, %d pivots differ, zero %ld\n", size.rows,
                    size.cols, variant.name.c_str(), residual, differ,
                    static_cast<long>(trial.zero_column()));
    }
  }
  std::printf("small and odd sizes: %s\n", good ? "ok" : "WRONG");
  return good;
}

/// A line of times to so many digits, blank where a cluster has no room for the rows, and what is
/// not as it should be of the factors.
bool time_variants(Trial& trial, const std::vector<Variant>& list, int rows, int digits) {
  double worst = 0;
  int differ = 0;
  for (const Variant& variant : list) {
    const int blocks = variant.tuning.cluster_blocks;
    if (blocks > 0 && rows > max_cluster_rows(blocks)) {
      std::printf(" %9s", "");
      continue;
    }
    PanelFactorizer factorizer = trial.make(variant.tuning);
    std::printf(" %9.*f", digits, trial.time(factorizer));
    std::fflush(stdout);
    const double residual = trial.residual();
    worst = residual > worst || std::isnan(residual) ? residual : worst;
    differ += trial.pivots_that_differ();
  }
  std::printf("  %.1e%s\n", worst, differ > 0 ? "  pivots differ from cuSOLVER's" : "");
  return worst < 1;
}

/// Milliseconds alone; residual and differing pivots are shown where they are not as they should
/// be.
bool time_sizes(Chip& chip, bool quick) {
  bool good = true;
  std::printf(
      "\nmilliseconds; NAME/W: windows of W columns, products by the library; else one launch.\n"
      "all: the whole chip, clN: one cluster of N blocks, N: on so many multiprocessors\n");
  std::string header;
  for (const int rows : {131072, 65536, 32768, 16384, 8192, 4096, 2048, 1024}) {
    for (const int cols : {32, 128, 256, 512, 1024, 1536}) {
      // Few columns show what a column costs without the updates between leaves.
      if (quick && cols != 1024 && (cols > 128 || rows > 8192)) continue;
      if (cols > rows) continue;
      const std::vector<Variant> list = variants(chip, rows);
      std::string names;
      for (const Variant& variant : list)
        names += std::string(10 - variant.name.size(), ' ') + variant.name;
      if (names != header)
        std::printf("%7s %5s %9s%s  worst residual\n", "rows", "cols", "cuSOLVER", names.c_str());
      header = names;
      Trial trial(chip, {rows, cols, 0});
      std::printf("%7d %5d %9.2f", rows, cols, trial.time_library());
      good = time_variants(trial, list, rows, 2) && good;
    }
  }
  return good;
}

/// Milliseconds of small panels, as in runs of small orders. 32 columns are one leaf: what a column
/// costs without the updates between leaves.
bool time_small(Chip& chip, const std::vector<Variant>& list) {
  std::printf("milliseconds, best of five\n%7s %5s %9s", "rows", "cols", "cuSOLVER");
  for (const Variant& variant : list)
    std::printf(" %9s", variant.name.c_str());
  std::printf("  worst residual\n");
  bool good = true;
  for (const int rows : {1024, 2048, 4096, 8192, 12288, 16384}) {
    for (const int cols : {32, 256, 512, 1024}) {
      Trial trial(chip, {rows, cols, 0}, 5);
      std::printf("%7d %5d %9.3f", rows, cols, trial.time_library());
      good = time_variants(trial, list, rows, 3) && good;
    }
  }
  return good;
}

/// The panel on a high-priority stream while products run on another: what each costs the other.
void time_beside_products(Chip& chip, int rows, int cols) {
  constexpr std::int64_t kOrder = 32768;
  constexpr int kProducts = 6;
  const Array<double> c(kOrder * kOrder), a(kOrder * static_cast<std::size_t>(cols)),
      b(kOrder * static_cast<std::size_t>(cols));
  fill_random<<<1024, 256>>>(a.get(), kOrder * cols, 7);
  fill_random<<<1024, 256>>>(b.get(), kOrder * cols, 9);
  Trial trial(chip, {rows, cols, 0});
  cudaEvent_t events[4];
  for (cudaEvent_t& event : events)
    HPCX_CHECK(cudaEventCreate(&event));
  cublasHandle_t blas = nullptr;
  require(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
  require(cublasSetStream(blas, chip.low) == CUBLAS_STATUS_SUCCESS, "cublasSetStream");
  const auto elapsed = [&](int from, int to) {
    float milliseconds = 0;
    HPCX_CHECK(cudaEventElapsedTime(&milliseconds, events[from], events[to]));
    return static_cast<double>(milliseconds);
  };
  const auto run = [&](PanelFactorizer* factorizer) {
    trial.restore();
    HPCX_CHECK(cudaEventRecord(events[0], chip.low));
    for (int i = 0; i < kProducts; ++i) {
      const double minus = -1, one = 1;
      require(
          cublasDgemm_64(blas, CUBLAS_OP_N, CUBLAS_OP_T, kOrder, kOrder, cols, &minus, a.get(),
                         kOrder, b.get(), kOrder, &one, c.get(), kOrder) == CUBLAS_STATUS_SUCCESS,
          "cublasDgemm");
      // The panel comes when all multiprocessors are taken: as the second product begins.
      if (i == 0 && factorizer != nullptr) {
        HPCX_CHECK(cudaEventRecord(events[1], chip.low));
        HPCX_CHECK(cudaStreamWaitEvent(chip.high, events[1], 0));
      }
    }
    HPCX_CHECK(cudaEventRecord(events[3], chip.low));
    if (factorizer != nullptr) {
      HPCX_CHECK(cudaEventRecord(events[1], chip.high));
      trial.factorize(*factorizer);
      HPCX_CHECK(cudaEventRecord(events[2], chip.high));
    }
    HPCX_CHECK(cudaDeviceSynchronize());
    return elapsed(0, 3);
  };
  run(nullptr);
  run(nullptr);
  const double products = run(nullptr);
  std::printf(
      "\npanel %d x %d beside %d products %ld x %ld x %d (%.1f ms alone)\n%10s %9s %9s %9s\n", rows,
      cols, kProducts, static_cast<long>(kOrder), static_cast<long>(kOrder), cols, products, "",
      "alone", "beside", "products longer by");
  const std::vector<Variant> list =
      rows > max_cluster_rows(kMaxClusterBlocks) ? narrow_variants(chip) : variants(chip, rows);
  for (const Variant& variant : list) {
    PanelFactorizer factorizer = trial.make(variant.tuning);
    const double alone = trial.time(factorizer);
    run(&factorizer);
    const double both = run(&factorizer);
    std::printf("%10s %9.2f %9.2f %9.2f   residual %.1e\n", variant.name.c_str(), alone,
                elapsed(1, 2), both - products, trial.residual());
    std::fflush(stdout);
  }
}

}  // namespace

// From the repository's root:
//   nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr -diag-suppress=554 -Ihpcx
//     -Ihpcx/vendor/cuda -Ihpcx/include -x cu tests/bench/panel_bench.cu hpcx/panel/kernel*.cu
//     hpcx/panel/factorizer.cpp hpcx/gpu/check.cpp -lcublas -lcusolver -o panel_bench
// panel_bench [check | quick | small [VARIANTS]]: check only small sizes; only 1024 columns; panels
// of small orders, each by the variants of a list such as all/128,cl16/128,cl8,32/256; everything.
int main(int argc, char** argv) {
  try {
    Chip chip;
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "small")
      return time_small(chip, parse_variants(chip, argc > 2 ? argv[2] : kSmallVariants)) ? 0 : 1;
    bool good = check_small_sizes(chip);
    if (mode != "check") {
      good = time_sizes(chip, mode == "quick") && good;
      time_beside_products(chip, 65536, 1024);
      time_beside_products(chip, 131072, 1024);
      time_beside_products(chip, 8192, 1024);
    }
    return good ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
