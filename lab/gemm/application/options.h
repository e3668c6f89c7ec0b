#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gemm/plan/plan.h"
#include "hpcx/device.h"
#include "hpl/input/command_line/command_line.h"

namespace hpl::gemm {

/// The command line as values.
struct GemmOptions {
  std::string text;  ///< of --help or --version, to be shown instead of a run

  std::vector<Shape> shapes;  ///< empty: what suits the device
  std::vector<Variant> variants = choice_values(kVariants);
  double alpha = 1, beta = 1;
  std::int64_t piece = 0;  ///< 0: chosen
  int streams = 2;
  std::optional<hpcx::Backend> back_end;  ///< empty: the best there is
  int devices = 1;
  std::optional<std::int64_t> device_memory;
  bool host_takes_part = true;
  std::optional<double> host_fraction;  ///< empty: what the host can
  std::optional<int> host_threads;
  bool pageable = false;
  std::string json, trace;  ///< files; empty: none
};

/// For manual page and completions.
std::vector<Flag> gemm_flags();

/// Throws ConfigError.
GemmOptions parse_gemm_command_line(int argc, const char* const* argv);

}  // namespace hpl::gemm
