#pragma once

#include <string_view>

#include "hpl/input/command_line/flag_adder.h"
#include "hpl/input/command_line/options.h"

namespace hpl {

// Groups of help whose flags decide how fast a run is.
inline constexpr const char* kSizeGroup = "Sizes";
inline constexpr const char* kFieldGroup = "Other fields of HPL.dat";
inline constexpr const char* kRunGroup = "Runs";
inline constexpr const char* kTuningGroup = "Tuning";
inline constexpr const char* kMixedGroup = "HPL-MxP";

using detail::FlagAdder;

constexpr std::string_view kAllJobs = "run mxp check fleet tune rates plan";

// Each adds the flags of a subject, in the order of help.

void add_command_flags(FlagAdder& add, Options& options);
void add_input_flags(FlagAdder& add, Options& options);
void add_size_flags(FlagAdder& add, Options& options);
void add_run_flags(FlagAdder& add, Options& options);
void add_field_flags(FlagAdder& add, Options& options);
void add_tuning_flags(FlagAdder& add, Options& options);
void add_verdict_flags(FlagAdder& add, Options& options);
void add_output_flags(FlagAdder& add, Options& options);

/// The flag alone leaves the options of its command as they are.
bool asks_for_the_default(Command command, const GivenFlag& flag);

}  // namespace hpl
