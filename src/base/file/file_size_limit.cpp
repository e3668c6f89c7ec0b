#include "hpl/base/file/file_size_limit.h"

#include <csignal>

namespace hpl {

void make_file_size_limit_an_error() noexcept {
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace hpl
