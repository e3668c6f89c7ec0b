#pragma once

#include <filesystem>

#include "hpcx/telemetry.h"

namespace hpl {

/// Events that the memory controllers (EDAC) and network adapters of this host have counted, by the
/// files below `system`. A host without such controllers or adapters has no counts of them.
hpcx::EventCounts host_events(const std::filesystem::path& system = "/sys");

}  // namespace hpl
