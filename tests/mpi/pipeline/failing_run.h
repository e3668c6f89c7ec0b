#pragma once

#include "support/message_of.h"
#include "support/whole_run.h"

namespace hpl::test {

inline RunSpec small_run(int rows, int columns) {
  return {.order = 96, .block_size = 8, .grid_rows = rows, .grid_columns = columns};
}

}  // namespace hpl::test
