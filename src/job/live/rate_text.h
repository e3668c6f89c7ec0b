#pragma once

#include <string>

namespace hpl {

/// "51.20 TFLOP/s": in the unit that leaves one to three digits before the point.
std::string rate_text(double gflops);

}  // namespace hpl
