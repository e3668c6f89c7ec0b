#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hpl/base/record/record.h"

namespace hpl::gemm {

/// The stages of a block of C on its way (Li, Li, Tan), and the host's own products.
enum class Stage {
  Load1,    ///< pageable to pinned host memory; nothing where the matrices are pinned
  Load2,    ///< host to device
  Product,  ///< on the device
  Store1,   ///< device to host
  Store2,   ///< pinned to pageable host memory
  HostProduct,
};
inline constexpr std::array<Choice<Stage>, 6> kStages{{{Stage::Load1, "load1"},
                                                       {Stage::Load2, "load2"},
                                                       {Stage::Product, "product"},
                                                       {Stage::Store1, "store1"},
                                                       {Stage::Store2, "store2"},
                                                       {Stage::HostProduct, "host product"}}};
inline std::string_view to_string(Stage stage) {
  return name_of(kStages, stage);
}

/// One piece of work of a stage.
struct StageSpan {
  Stage stage = Stage::Product;
  int lane = 0;  ///< of several streams for products
  std::int64_t step = 0;
  double begin = 0, end = 0;  ///< seconds since the start of the run
  double bytes = 0, flops = 0;
};

/// The work of a stage altogether.
struct StageTotal {
  double busy = 0;            ///< seconds in which at least one piece of it was under way
  double begin = 0, end = 0;  ///< of the first and the last piece
  double bytes = 0, flops = 0;

  /// Bytes a second while busy.
  double bandwidth() const { return busy > 0 ? bytes / busy : 0; }
};
void describe(Record& record, StageTotal& total);
StageTotal total_of(const std::vector<StageSpan>& spans, Stage stage);

}  // namespace hpl::gemm
