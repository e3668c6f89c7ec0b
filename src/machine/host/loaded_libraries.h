#pragma once

#include "hpl/base/record/program_info.h"

namespace hpl {

/// The libraries of BLAS, MPI and devices that this process has loaded, by name without version:
/// file and build-id, "libopenblasp-r0.3.21.so, build-id 1a2b...". The program itself stands first,
/// as "build-id".
NamedValues loaded_libraries();

}  // namespace hpl
