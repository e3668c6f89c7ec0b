#pragma once

#include <array>
#include <string_view>

#include "hpl/base/choice/choice.h"

namespace hpl {

/// What of a fleet solves a system of its own (--each).
enum class FleetUnitKind {
  Device,  ///< every rank with its device
  Node,
  Pair,  ///< two neighbouring nodes
};
inline constexpr std::array<Choice<FleetUnitKind>, 3> kFleetUnitKinds{{
    {FleetUnitKind::Device, "device"},
    {FleetUnitKind::Node, "node"},
    {FleetUnitKind::Pair, "pair"},
}};

}  // namespace hpl
