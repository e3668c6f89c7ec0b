#pragma once

#include <string_view>

namespace hpl {

/// Writes all of `text`, down to the file or pipe. Throws RunError when it could not be written to
/// its end.
void write_standard_output(std::string_view text);

/// Makes a write beyond the limit of file sizes (ulimit -f) fail as any other, with EFBIG, where
/// the system would end the process without a word (SIGXFSZ). For the whole process; called first
/// of all.
void make_file_size_limit_an_error() noexcept;

}  // namespace hpl
