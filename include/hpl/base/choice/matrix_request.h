#pragma once

#include <array>

#include "hpl/base/choice/choice.h"

namespace hpl {

/// The memory of the matrix: the device's, or host memory for all that does not fit the device.
/// Auto: host memory only where the device is too small.
enum class MatrixRequest { Device, Host, Auto };

inline constexpr std::array<Choice<MatrixRequest>, 3> kMatrixRequests{{
    {MatrixRequest::Device, "device"},
    {MatrixRequest::Host, "host"},
    {MatrixRequest::Auto, "auto"},
}};

}  // namespace hpl
