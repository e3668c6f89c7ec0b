#pragma once

#include <string>

namespace hpl {

/// What --version prints.
std::string version_text();
/// What --list-devices prints: every device, and why there are not more.
std::string device_text();

}  // namespace hpl
