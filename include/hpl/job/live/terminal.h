#pragma once

#include <cstddef>
#include <optional>

#include "hpl/base/text/text_style.h"
#include "hpl/input/command_line/options.h"
#include "hpl/input/hpl_dat/hpl_dat.h"

namespace hpl {

/// A terminal that shows an output of this process.
struct Terminal {
  std::size_t width;      ///< characters of a line that can be drawn anew
  bool through_launcher;  ///< a launcher on the same machine passes the output on
};

/// Terminal behind standard output or standard error (1, 2); empty: none. Some launchers give their
/// ranks terminals of their own, so under a launcher its own descriptor decides.
std::optional<Terminal> terminal_of(int descriptor);

/// Style of a report on `device`. Without --color a terminal gets color, unless NO_COLOR is set.
TextStyle report_style(const OutputOptions& outputs, OutputDevice device);

}  // namespace hpl
