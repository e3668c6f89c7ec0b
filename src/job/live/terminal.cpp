#include "hpl/job/live/terminal.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "hpl/machine/host/environment.h"

namespace hpl {

namespace {

/// Characters of a line that can be drawn anew; empty: no terminal.
std::optional<std::size_t> width_of(int descriptor) {
  constexpr std::size_t kUsualWidth = 79;
  if (::isatty(descriptor) != 1) return std::nullopt;
  struct winsize size {};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return kUsualWidth;
  return size.ws_col - 1U;
}

bool is_launcher(pid_t process) {
  constexpr std::array<std::string_view, 8> kLaunchers{"mpirun",        "mpiexec",        "orterun",
                                                       "orted",         "prterun",        "prted",
                                                       "mpiexec.hydra", "hydra_pmi_proxy"};
  std::error_code none;
  const std::string name =
      std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process), none).filename().string();
  return std::ranges::find(kLaunchers, name) != kLaunchers.end();
}

/// 0 for a process that is not there.
pid_t parent_of(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);)
    if (pid_t parent = 0; std::sscanf(line.c_str(), "PPid: %d", &parent) == 1) return parent;
  return 0;
}

std::optional<std::size_t> width_of_launcher(int descriptor) {
  // MPICH's starts ranks through a proxy, which has no terminal.
  pid_t launcher = ::getppid();
  while (is_launcher(parent_of(launcher)))
    launcher = parent_of(launcher);
  const std::string file = fmt::format("/proc/{}/fd/{}", launcher, descriptor);
  const int opened = ::open(file.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | O_APPEND);
  if (opened < 0) return std::nullopt;
  const std::optional<std::size_t> width = width_of(opened);
  ::close(opened);
  return width;
}

}  // namespace

std::optional<Terminal> terminal_of(int descriptor) {
  const bool launched = is_launcher(::getppid());
  const std::optional<std::size_t> width =
      launched ? width_of_launcher(descriptor) : width_of(descriptor);
  return width ? std::optional(Terminal{*width, launched}) : std::nullopt;
}

TextStyle report_style(const OutputOptions& outputs, OutputDevice device) {
  TextStyle style{.detail = outputs.detail, .color = outputs.color.value_or(false)};
  if (outputs.color || device == OutputDevice::File) return style;
  const int descriptor = device == OutputDevice::Stderr ? STDERR_FILENO : STDOUT_FILENO;
  style.color =
      environment_value("NO_COLOR").value_or("").empty() && terminal_of(descriptor).has_value();
  return style;
}

}  // namespace hpl
