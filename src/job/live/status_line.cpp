#include "hpl/job/live/status_line.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "hpl/base/text/text_value.h"
#include "hpl/machine/host/environment.h"

namespace hpl {

namespace {

/// Characters of a line that can be drawn anew; empty: no terminal.
std::optional<std::size_t> terminal_width(int descriptor) {
  if (::isatty(descriptor) != 1) return std::nullopt;
  struct winsize size {};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return LiveView().width;
  return size.ws_col - 1U;
}

bool is_launcher(pid_t process) {
  constexpr std::array<std::string_view, 6> kLaunchers{
      "mpirun", "mpiexec", "orterun", "prterun", "mpiexec.hydra", "hydra_pmi_proxy"};
  std::error_code none;
  const std::string name =
      std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process), none).filename().string();
  return std::ranges::find(kLaunchers, name) != kLaunchers.end();
}

/// Of the launcher that has started this process on the same machine.
std::optional<std::size_t> launcher_width() {
  if (!is_launcher(::getppid())) return std::nullopt;
  const std::string file = fmt::format("/proc/{}/fd/2", ::getppid());
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | O_APPEND);
  if (descriptor < 0) return std::nullopt;
  const std::optional<std::size_t> width = terminal_width(descriptor);
  ::close(descriptor);
  return width;
}

/// Width that `xhpl launch` reports of its terminal.
std::optional<std::size_t> announced_width() {
  const auto columns = parse_integer(environment_value("XHPL_TERMINAL").value_or(""));
  if (!columns || *columns < 2 || *columns > 10'000) return std::nullopt;
  return static_cast<std::size_t>(*columns - 1);
}

}  // namespace

LiveView live_view(std::optional<bool> when) {
  if (when == false) return {};
  if (const auto own = terminal_width(STDERR_FILENO)) return {LiveForm::Drawn, *own};
  auto width = launcher_width();
  if (!width) width = announced_width();
  if (width) return {LiveForm::Drawn, *width, true};
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
  clear();
  out_ << std::flush;
  // The next lines of the report take another pipe, and must not arrive before this.
  if (view_.through_launcher) std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

void StatusLine::draw(const std::vector<std::string>& lines) {
  if (!is_due()) return;
  if (view_.form != LiveForm::Drawn) {
    out_ << "# " << lines.front() << '\n' << std::flush;
    return;
  }
  clear();
  for (const std::string& line : lines)
    out_ << (&line == &lines.front() ? "" : "\n") << line.substr(0, view_.width);
  rows_ = lines.size();
  out_ << std::flush;
}

bool StatusLine::is_due() {
  if (view_.form != LiveForm::FewLines) return view_.form != LiveForm::None;
  if (Clock::now() < next_) return false;
  next_ = Clock::now() + std::chrono::seconds(30);
  return true;
}

/// The cursor stands in the last line that was drawn.
void StatusLine::clear() {
  if (rows_ == 0) return;
  out_ << '\r';
  if (rows_ > 1) out_ << fmt::format("\x1b[{}A", rows_ - 1);
  out_ << "\x1b[J";
  rows_ = 0;
}

}  // namespace hpl
