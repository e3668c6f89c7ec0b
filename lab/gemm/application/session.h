#pragma once

#include <functional>

#include "gemm/application/options.h"
#include "gemm/result/result.h"
#include "machine.h"

namespace hpl::gemm {

/// Hears of every run: its name, what happened in it, and on which machine.
using RunListener = std::function<void(const std::string& name, const GemmRun& run)>;

/// Measures one shape: rates of the stages alone, then every variant, each from the same A, B and
/// C.
CaseResult run_case(const Machine& machine, const GemmOptions& options, const Shape& shape,
                    const RunListener& listener);

}  // namespace hpl::gemm
