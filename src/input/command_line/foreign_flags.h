#pragma once

#include <array>
#include <string_view>

namespace hpl {

struct ForeignFlag {
  std::string_view flag;
  std::string_view here;  ///< goes on from the flag
};

/// Flags of other HPL programs (Intel's, rocHPL, AMD's, NVIDIA's scripts) that xhpl does not have.
/// "-q VALUE" is one that takes no value here.
inline constexpr std::array<ForeignFlag, 12> kForeignFlags{{
    {"-b", "is --NB here"},
    {"-i", "is --dat here"},
    {"-it", "is --repeat here"},
    {"-f", "is --dat here if it names a file; rocHPL's split of the update has no counterpart"},
    {"-q VALUE", "is --quiet here; columns of the grid are -Q, those of a node --node-columns"},
    {"-v VALUE", "is --verbose here"},
    {"--no-multinode", "is not needed here: xhpl takes the ranks that the launcher starts"},
    {"--cpu-affinity",
     "is not needed here: xhpl binds its ranks itself, unless --no-bind is given"},
    {"--gpu-affinity", "is not needed here: xhpl gives each rank a GPU and the cores near it"},
    {"--mem-affinity", "is not needed here: xhpl places memory near its ranks"},
    {"--ucx-affinity", "is not needed here: UCX_NET_DEVICES is read by UCX itself"},
    {"--xhpl-ai", "is the command xhpl mxp here"},
}};

}  // namespace hpl
