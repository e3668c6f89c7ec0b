#pragma once

#include <array>

#include "hpl/base/choice/choice.h"

namespace hpl {

/// The search of `xhpl tune` for NB and the settings tuned together with it (--method).
enum class TuneMethod {
  Halving,  ///< many short trials; the best third goes on to trials three times as long
  Local32,  ///< NB in steps of 32: two points on each side of the best, the worse side is dropped
  Local64   ///< NB in steps of 64: to the better neighbour, as long as there is one
};

inline constexpr std::array<Choice<TuneMethod>, 3> kTuneMethods{{
    {TuneMethod::Halving, "halving"},
    {TuneMethod::Local32, "local32"},
    {TuneMethod::Local64, "local64"},
}};

}  // namespace hpl
