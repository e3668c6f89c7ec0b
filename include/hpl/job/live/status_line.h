#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/text/text_style.h"
#include "hpl/input/command_line/options.h"
#include "hpl/input/hpl_dat/hpl_dat.h"

namespace hpl {

/// Form of the progress on standard error.
enum class LiveForm {
  None,
  Drawn,     ///< lines of a terminal that are drawn anew
  Lines,     ///< a line each time, behind "# "
  FewLines,  ///< the first after ten seconds, then one in thirty
};

struct LiveView {
  LiveForm form = LiveForm::None;
  std::size_t width = 79;         ///< characters of a line that is drawn
  bool through_launcher = false;  ///< what is written passes through a pipe of mpirun's
};

/// View for --progress; empty: drawn on a terminal, few lines elsewhere. A launcher gives its ranks
/// pipes: the terminal is then the launcher's.
LiveView live_view(std::optional<bool> when);

/// The fields that fit `width`, in their order, two blanks apart; none is cut.
std::string fitted(const std::vector<std::string>& fields, std::size_t width);

/// The present activity, in the form of a view. A text for which standard error has no room is
/// dropped: nothing waits for a reader.
class StatusLine {
 public:
  /// Borrows `out`.
  StatusLine(std::ostream& out, const LiveView& view) : out_(out), view_(view) {}
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  /// Leaves nothing on a terminal.
  ~StatusLine();

  void show(const std::string& text) { draw({text}); }
  /// Several lines of a terminal; elsewhere the first one alone.
  void draw(const std::vector<std::string>& lines);

 private:
  using Clock = std::chrono::steady_clock;

  bool is_due();
  /// False if the text was dropped.
  bool write(const std::string& text);
  std::string clearing() const;

  std::ostream& out_;
  const LiveView view_;
  std::size_t rows_ = 0;  // on the terminal
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(10);
};

/// Style of a report on `device`. Without --color a terminal gets color, unless NO_COLOR is set.
TextStyle report_style(const OutputOptions& outputs, OutputDevice device);

}  // namespace hpl
