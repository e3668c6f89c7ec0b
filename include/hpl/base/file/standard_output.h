#pragma once

#include <string_view>

namespace hpl {

/// Writes all of `text`, down to the file or pipe. Throws RunError when it could not be written to
/// its end.
void write_standard_output(std::string_view text);

}  // namespace hpl
