#pragma once

#include <memory>

#include "hpcx/interconnect.h"

namespace hpcx::toy {

/// Groups of devices whose messages are files of the directory $TOY_GROUPS; null without it. A
/// process joins at most $TOY_GROUPS_MOST of them, and each takes $TOY_GROUP_BYTES of memory. The
/// first exchange of a group opens its connections: a later message to or from another member
/// throws, since a library would open a connection in the midst of a run.
class ToyInterconnect : public Interconnect {
 public:
  /// The memory that the groups of this process have taken.
  virtual std::int64_t bytes() const = 0;
};
std::unique_ptr<ToyInterconnect> make_interconnect();

}  // namespace hpcx::toy
