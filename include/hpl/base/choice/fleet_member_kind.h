#pragma once

#include <array>
#include <string_view>

#include "hpl/base/choice/choice.h"

namespace hpl {

/// The part of a fleet that solves a system of its own (`xhpl fleet MEMBER`).
enum class FleetMemberKind {
  Device,  ///< every rank with its device
  Node,
  Pair,  ///< two neighbouring nodes
};
inline constexpr std::array<Choice<FleetMemberKind>, 3> kFleetMemberKinds{{
    {FleetMemberKind::Device, "device"},
    {FleetMemberKind::Node, "node"},
    {FleetMemberKind::Pair, "pair"},
}};

}  // namespace hpl
