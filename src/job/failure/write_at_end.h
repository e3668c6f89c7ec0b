#pragma once

#include <unistd.h>

#include <string>

namespace hpl {

/// Writes `text` in one piece, without buffers and locks: launchers mix the lines of ranks, and the
/// process is about to end.
inline void write_at_end(const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace hpl
