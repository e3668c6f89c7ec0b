#pragma once

#include <optional>

namespace hpl::mpi {

/// Whose device memory MPI may be asked to move.
enum class DeviceVendor { Nvidia, Amd };

/// What this MPI says of itself: that it moves such memory, that it does not, or nothing. A yes is
/// a promise of the library as it was built, not of the network in use.
std::optional<bool> claims_device_memory(DeviceVendor vendor);

}  // namespace hpl::mpi
