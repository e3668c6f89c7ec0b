#pragma once

#include <exception>
#include <string>

#include "support/whole_run.h"

namespace hpl::test {

/// Message of what run_whole throws; empty when it throws nothing.
template <class Run>
std::string message_of(Run run) {
  try {
    run();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

inline RunSpec small_run(int rows, int columns) {
  return {.order = 96, .block_size = 8, .grid_rows = rows, .grid_columns = columns};
}

}  // namespace hpl::test
