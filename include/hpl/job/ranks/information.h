#pragma once

#include <string>

#include "hpl/comm/mpi/communicator.h"

namespace hpl {

/// Prints the text that rank 0 has to standard output. Collective over `world`; throws
/// mpi::AgreedFailure where it could not be written to its end.
void print_on_rank_0(const mpi::Communicator& world, const std::string& text);

/// The text of --version.
std::string version_text();
/// The text of `xhpl devices`: every device, and why there are not more.
std::string device_text();

}  // namespace hpl
