#pragma once

#include <cstdint>
#include <vector>

#include "hpcx/device.h"

namespace hpl::bench {

/// Sizes of the products of the tail that are compared.
struct TailSizes {
  std::int64_t rows = 0;              ///< of C, a multiple of 16
  std::vector<std::int64_t> columns;  ///< of C, multiples of 16
  double stretch_seconds = 0.2;       ///< of one kind of product before the next has its turn
  int turns = 3;
};

/// Prints what depth, beginnings and sizes of its operands do to C -= L21 U12, laid out as in a
/// run: L21 below L11 in a panel stored by columns, C in a matrix stored by rows, U12 above C or in
/// a buffer of its own.
void print_tail_products(hpcx::Device& device, const TailSizes& sizes);

}  // namespace hpl::bench
