#pragma once

namespace hpl::gemm {

/// xhpl-gemm: parses, measures, reports; returns the exit code.
int run_gemm_application(int argc, const char* const* argv);

}  // namespace hpl::gemm
