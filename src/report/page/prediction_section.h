#pragma once

#include <span>
#include <string>

#include "hpl/report/page/run_file.h"

namespace hpl::page {

/// Whether the files hold predictions and nothing else.
bool only_predictions(std::span<const RunFile> files);

/// What xhpl-predict predicted: rate over N and over nodes, what products do not hide, and lists of
/// systems. Empty where no file holds predictions.
std::string prediction_section(std::span<const RunFile> files);

}  // namespace hpl::page
