#include "modes.h"

#include <algorithm>

#include <fmt/format.h>

#include "hpl/base/error/error.h"

namespace hpl {

namespace {

[[noreturn]] void refuse(std::string_view one, std::string_view other) {
  throw ConfigError(fmt::format("{} and {} do not go together; leave one of them out", one, other));
}

/// A plan is also shown of a fleet, and in both of its forms. `one` comes before `other`.
bool go_together(Mode one, Mode other) {
  if (one == Mode::Runs) return true;
  const bool plan = other == Mode::DryRun || other == Mode::Explain;
  return plan && (one == Mode::Fleet || one == Mode::DryRun);
}

/// The last of those that are given.
const ModeRow& last_mode(const Options& options) {
  const ModeRow* mode = &kModes.front();
  for (const ModeRow& row : kModes) {
    if (!row.given(options)) continue;
    for (const ModeRow& before : kModes) {
      if (before.mode == row.mode) break;
      if (before.given(options) && !go_together(before.mode, row.mode))
        refuse(before.flag, row.flag);
    }
    mode = &row;
  }
  return *mode;
}

}  // namespace

void require_written_outputs(const Options& options) {
  const ModeRow& mode = last_mode(options);
  for (const OutputRow& output : kOutputs) {
    if (!output.given(options)) continue;
    const Written written = output.in(mode.mode);
    if (written == Written::Yes || (written == Written::InDat && options.outputs.dat)) continue;
    if (!mode.flag.empty()) refuse(mode.flag, output.flag);
    const auto* const writer = std::ranges::find_if(
        kModes, [&](const ModeRow& row) { return output.in(row.mode) == Written::Yes; });
    throw ConfigError(fmt::format("{} belongs to {}; give both", output.flag, writer->flag));
  }
}

}  // namespace hpl
