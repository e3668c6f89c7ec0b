#pragma once

namespace hpl {

/// Makes a write beyond the limit of file sizes (ulimit -f) fail as any other, with EFBIG, where
/// the system would end the process without a word (SIGXFSZ). For the whole process; called first
/// of all.
void make_file_size_limit_an_error() noexcept;

}  // namespace hpl
