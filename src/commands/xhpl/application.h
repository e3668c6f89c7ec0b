#pragma once

namespace hpl {

/// The program: reads the command line and HPL.dat, runs what they ask for, reports. Returns the
/// process exit code (ExitCode in hpl/base/error/error.h). MPI must not have been initialized.
int run_application(int argc, const char* const* argv);

}  // namespace hpl
