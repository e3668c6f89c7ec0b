#pragma once

#include <memory>

#include "hpcx/interconnect.h"

namespace hpcx::toy {

/// Groups of devices whose messages are files of the directory $TOY_GROUPS; null without it. A
/// process joins at most $TOY_GROUPS_MOST of them. The first exchange of a group opens its
/// connections: a later message to or from another member throws, since a library would open a
/// connection in the midst of a run.
std::unique_ptr<Interconnect> make_interconnect();

}  // namespace hpcx::toy
