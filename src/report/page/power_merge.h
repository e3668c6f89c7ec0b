#pragma once

#include <span>
#include <string>

#include "hpl/base/power/power_log.h"
#include "hpl/report/page/run_file.h"

namespace hpl::page {

/// Gives every run that the log reaches its part of it, in place of a meter that it had. Throws
/// ConfigError where it reaches none: the clocks are then most likely apart. `name` is the log's.
void add_power_log(std::span<RunFile> files, const std::string& name, const PowerLog& log,
                   const PowerScope& scope);

/// Words on a meter in place of those in the files.
void set_power_scope(std::span<RunFile> files, const PowerScope& scope);

}  // namespace hpl::page
