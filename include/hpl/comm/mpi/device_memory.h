#pragma once

#include <optional>

namespace hpl::mpi {

/// The vendors whose device memory MPI may be asked to move.
enum class DeviceVendor { Nvidia, Amd };

/// This MPI's own claim: it moves such memory, it does not, or nothing. A yes is a promise of the
/// library as it was built, not of the network in use.
std::optional<bool> claims_device_memory(DeviceVendor vendor);

}  // namespace hpl::mpi
