#pragma once

#include "hpl/input/command_line/flag_adder.h"
#include "hpl/input/command_line/options.h"

namespace hpl {

// The flags of xhpl by the groups of --help, in its order. Each function begins its group.

inline constexpr const char* kFieldGroup = "In place of fields of HPL.dat";
inline constexpr const char* kRunGroup = "How to run";

void add_input_flags(CommandLine& line, Options& options);
void add_field_flags(CommandLine& line, Options& options);
void add_run_flags(CommandLine& line, Options& options);
void add_fleet_flags(CommandLine& line, Options& options);
void add_verdict_flags(CommandLine& line, Options& options);
void add_output_flags(CommandLine& line, Options& options);
void add_information_flags(CommandLine& line, Options& options, bool& help);

/// The flag alone leaves the options as they are.
bool asks_for_the_default(const GivenFlag& flag);

}  // namespace hpl
