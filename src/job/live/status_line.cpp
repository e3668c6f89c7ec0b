#include "hpl/job/live/status_line.h"

#include <ostream>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "hpl/base/text/text_value.h"
#include "hpl/job/live/terminal.h"
#include "hpl/machine/host/environment.h"

namespace hpl {

namespace {

/// Width that `xhpl launch` reports of its terminal.
std::optional<std::size_t> announced_width() {
  const auto columns = parse_integer(environment_value("XHPL_TERMINAL").value_or(""));
  if (!columns || *columns < 2 || *columns > 10'000) return std::nullopt;
  return static_cast<std::size_t>(*columns - 1);
}

}  // namespace

LiveView live_view(std::optional<bool> when) {
  if (when == false) return {};
  if (const auto terminal = terminal_of(STDERR_FILENO))
    return {LiveForm::Drawn, terminal->width, terminal->through_launcher};
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
