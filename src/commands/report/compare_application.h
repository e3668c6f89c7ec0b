#pragma once

#include <string_view>

namespace hpl::page {

/// The first word of xhpl-report for `xhpl compare`.
inline constexpr std::string_view kCompareWord = "compare";

/// xhpl compare from command line to exit code; argv[0] stands for the command.
int run_compare_application(int argc, const char* const* argv);

}  // namespace hpl::page
