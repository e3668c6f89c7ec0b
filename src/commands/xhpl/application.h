#pragma once

namespace hpl {

/// Whether the command is carried out by a program of its own, such as that of `xhpl launch`. It is
/// given the environment of the user: its ranks may have other processors than this host.
bool is_of_another_program(int argc, const char* const* argv);

/// The program: reads the command line and HPL.dat, runs what they ask for, reports. Returns the
/// process exit code (ExitCode in hpl/base/error/error.h). MPI must not have been initialized.
int run_application(int argc, const char* const* argv);

}  // namespace hpl
