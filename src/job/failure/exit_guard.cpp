#include "hpl/job/failure/exit_guard.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "hpl/base/error/error.h"
#include "hpl/job/failure/at_the_end.h"

namespace hpl {

namespace {

/// The C library's callback has no argument, so the object that it is meant for stands here.
std::atomic<const ExitGuard*> current{nullptr};

void ask_guard(int code) {
  if (const ExitGuard* const guard = current.exchange(nullptr)) guard->at_exit(code);
}

}  // namespace

ExitGuard::ExitGuard(std::function<std::string(int)> message)
    : message_(std::move(message)), process_(getpid()) {
  on_exit([](int code, void*) { ask_guard(code); }, nullptr);
  current = this;
}

ExitGuard::~ExitGuard() {
  current = nullptr;
}

void ExitGuard::at_exit(int code) const {
  constexpr int kBroken = static_cast<int>(ExitCode::Broken);
  // This code comes from the program itself, through MPI_Abort: the message has been printed.
  if (code == kBroken || process_ != getpid()) return;
  std::fflush(nullptr);  // the library's own message comes first
  write_at_end("xhpl: " + message_(code) + "\n");
  std::_Exit(kBroken);
}

}  // namespace hpl

/// Replaces the C library's: where MPI_Init fails, Open MPI ends the process by this call, which
/// skips everything that exit() does.
extern "C" void _exit(int code) {
  hpl::ask_guard(code);
  for (;;)
    syscall(SYS_exit_group, code);
}
