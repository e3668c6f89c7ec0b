#pragma once

#include <array>

#include "hpl/base/choice/choice.h"

namespace hpl {

/// Which memory the matrix lives in: the device's, or the host's as far as it does not fit there;
/// Auto: the host's where it has to.
enum class MatrixRequest { Device, Host, Auto };

inline constexpr std::array<Choice<MatrixRequest>, 3> kMatrixRequests{{
    {MatrixRequest::Device, "device"},
    {MatrixRequest::Host, "host"},
    {MatrixRequest::Auto, "auto"},
}};

}  // namespace hpl
