#include "hpl/comm/mpi/device_memory.h"

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace hpl::mpi {

std::optional<bool> claims_device_memory([[maybe_unused]] DeviceVendor vendor) {
#if defined(MPIX_GPU_SUPPORT_CUDA) && defined(MPIX_GPU_SUPPORT_HIP)  // MPICH and its kin
  int supported = 0;
  MPIX_GPU_query_support(
      vendor == DeviceVendor::Nvidia ? MPIX_GPU_SUPPORT_CUDA : MPIX_GPU_SUPPORT_HIP, &supported);
  return supported != 0;
#else
#if defined(MPIX_CUDA_AWARE_SUPPORT)  // Open MPI and its kin
  if (vendor == DeviceVendor::Nvidia) return MPIX_Query_cuda_support() != 0;
#endif
#if defined(OMPI_HAVE_MPI_EXT_ROCM)
  if (vendor == DeviceVendor::Amd) return MPIX_Query_rocm_support() != 0;
#endif
  return std::nullopt;
#endif
}

}  // namespace hpl::mpi
