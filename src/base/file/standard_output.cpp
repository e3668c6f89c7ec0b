#include "hpl/base/file/standard_output.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#include "hpl/base/error/error.h"

namespace hpl {

void write_standard_output(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return;
  const int error = errno != 0 ? errno : EIO;
  throw RunError("cannot write to standard output: {}", std::generic_category().message(error));
}

void make_file_size_limit_an_error() noexcept {
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace hpl
