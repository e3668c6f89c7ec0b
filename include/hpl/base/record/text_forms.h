#pragma once

#include <cstdint>
#include <ctime>
#include <string>

#include "hpl/base/record/record.h"
#include "hpl/base/text/zoned_time.h"

namespace hpl {

/// A text that is null where it is empty.
extern const TextForm<std::string> kTextOrNull;
/// iso_time(); an unknown time is null.
extern const TextForm<ZonedTime> kZonedTimeForm;
/// utc_time(), to the second.
extern const TextForm<std::time_t> kUtcTimeForm;
/// A hash of 64 bits: "00e1a3c94f2b7d56".
extern const TextForm<std::uint64_t> kHashForm;

}  // namespace hpl
