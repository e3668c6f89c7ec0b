#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hpl::page {

bool is_utf8(std::string_view text);
/// `text` with U+FFFD in place of what is no UTF-8.
std::string mended_utf8(std::string_view text);

/// `text`, which is UTF-8, as HTML text or as a quoted attribute value. Control characters, which
/// HTML does not allow, become U+FFFD.
std::string escape(std::string_view text);

/// A unit for rates and how many GFLOP/s it is.
struct RateUnit {
  const char* name;
  double gflops;
};
/// That in which `gflops` has one to three digits before the point.
RateUnit rate_unit(double gflops);

std::string rate_text(double gflops);      ///< "53.61 TFLOP/s"
std::string seconds_text(double seconds);  ///< "2.50 s", "12 min 05 s", "3 h 04 min"
std::string percent_text(double share);    ///< "97.1 %" of 0.971
std::string count_text(std::size_t count, std::string_view noun);  ///< "1 run", "3 runs"

}  // namespace hpl::page
