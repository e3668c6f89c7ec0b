#include "hpl/job/live/status_line.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "hpl/base/text/text_value.h"
#include "hpl/machine/host/environment.h"

namespace hpl {

namespace {

/// Width that `xhpl launch` reports of its terminal.
std::optional<std::size_t> announced_width() {
  const auto columns = parse_integer(environment_value("XHPL_TERMINAL").value_or(""));
  if (!columns || *columns < 2 || *columns > 10'000) return std::nullopt;
  return static_cast<std::size_t>(*columns - 1);
}

/// Characters of a line that can be drawn anew; empty: no terminal.
std::optional<std::size_t> width_of(int descriptor) {
  constexpr std::size_t kUsualWidth = 79;
  if (::isatty(descriptor) != 1) return std::nullopt;
  struct winsize size {};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return kUsualWidth;
  return size.ws_col - 1U;
}

bool is_launcher(pid_t process) {
  constexpr std::array<std::string_view, 9> kLaunchers{
      "mpirun",  "mpiexec", "orterun",       "orted",          "prte",
      "prterun", "prted",   "mpiexec.hydra", "hydra_pmi_proxy"};
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

/// Terminal behind standard output or standard error (1, 2); empty: none. Some launchers give their
/// ranks terminals of their own, so under a launcher its own descriptor decides.
std::optional<LiveView> terminal_of(int descriptor) {
  const bool launched = is_launcher(::getppid());
  const std::optional<std::size_t> width =
      launched ? width_of_launcher(descriptor) : width_of(descriptor);
  return width ? std::optional(LiveView{LiveForm::Drawn, *width, launched}) : std::nullopt;
}

/// Whether a write of that many bytes may wait: standard error is a pipe or a terminal that nobody
/// reads, and it is full. A pipe that takes anything takes PIPE_BUF bytes.
bool would_wait(const std::ostream& out, std::size_t bytes) {
  if (&out != &std::cerr) return false;
  struct pollfd error {
    STDERR_FILENO, POLLOUT, 0
  };
  return bytes > PIPE_BUF || ::poll(&error, 1, 0) == 0;
}

}  // namespace

LiveView live_view(std::optional<bool> when) {
  if (when == false) return {};
  if (const auto terminal = terminal_of(STDERR_FILENO)) return *terminal;
  if (const auto width = announced_width()) return {LiveForm::Drawn, *width, true};
  return {when ? LiveForm::Lines : LiveForm::FewLines};
}

std::string fitted(const std::vector<std::string>& fields, std::size_t width) {
  std::string line;
  for (const std::string& field : fields) {
    const std::size_t gap = line.empty() ? 0 : 2;
    if (field.empty() || line.size() + gap + field.size() > width) continue;
    line += std::string(gap, ' ') + field;
  }
  return line;
}

StatusLine::~StatusLine() {
  if (rows_ == 0) return;
  write(clearing());
  // The next lines of the report take another pipe, and must not arrive before this.
  if (view_.through_launcher) std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

void StatusLine::draw(const std::vector<std::string>& lines) {
  if (!is_due()) return;
  if (view_.form != LiveForm::Drawn) {
    write("# " + lines.front() + "\n");
    return;
  }
  std::string text = clearing();
  for (const std::string& line : lines)
    text += (&line == &lines.front() ? "" : "\n") + line.substr(0, view_.width);
  if (write(text)) rows_ = lines.size();
}

bool StatusLine::write(const std::string& text) {
  if (would_wait(out_, text.size())) return false;
  out_ << text << std::flush;
  return true;
}

bool StatusLine::is_due() {
  if (view_.form != LiveForm::FewLines) return view_.form != LiveForm::None;
  if (Clock::now() < next_) return false;
  next_ = Clock::now() + std::chrono::seconds(30);
  return true;
}

/// The cursor stands in the last line that was drawn.
std::string StatusLine::clearing() const {
  if (rows_ == 0) return {};
  return (rows_ > 1 ? fmt::format("\r\x1b[{}A", rows_ - 1) : "\r") + "\x1b[J";
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
