#pragma once

#include <array>

#include "hpl/base/choice/choice.h"

namespace hpl {

// What several programs are asked for in the same words.

/// What --panel and --pipeline ask for; Auto leaves the choice to the program.
enum class PanelRequest { Auto, Host, Device };
enum class PipelineRequest { Auto, Fine, Coarse, Serial };

inline constexpr std::array<Choice<PanelRequest>, 3> kPanelRequests{{
    {PanelRequest::Auto, "auto"},
    {PanelRequest::Host, "host"},
    {PanelRequest::Device, "device"},
}};
inline constexpr std::array<Choice<PipelineRequest>, 4> kPipelineRequests{{
    {PipelineRequest::Auto, "auto"},
    {PipelineRequest::Fine, "fine"},
    {PipelineRequest::Coarse, "coarse"},
    {PipelineRequest::Serial, "serial"},
}};

}  // namespace hpl
