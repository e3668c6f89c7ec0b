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

// Each adds flags of one group.

void add_size_flags(FlagAdder& add, Options& options);
void add_node_grid_flags(FlagAdder& add, Options& options);
void add_field_flags(FlagAdder& add, Options& options);
void add_mixed_flags(FlagAdder& add, Options& options);
void add_device_flags(FlagAdder& add, Options& options);
void add_repeat_flag(FlagAdder& add, Options& options);
void add_reproducible_flag(FlagAdder& add, Options& options);
void add_tuning_flags(FlagAdder& add, Options& options);

void add_input_flags(FlagAdder& add, Options& options);
void add_memory_fraction(FlagAdder& add, Options& options);
void add_rates_input(FlagAdder& add, Options& options);
void add_check_flags(FlagAdder& add, Options& options);
void add_fleet_flags(FlagAdder& add, Options& options);
void add_tune_flags(FlagAdder& add, Options& options);
void add_rates_flags(FlagAdder& add, Options& options);
void add_plan_flags(FlagAdder& add, Options& options);
void add_gates(FlagAdder& add, Options& options);
void add_verify_flag(FlagAdder& add, Options& options);
void add_stop_flag(FlagAdder& add, Options& options);
void add_preparation(FlagAdder& add, Options& options);
void add_attainable_flag(FlagAdder& add, Options& options);
void add_tolerance(FlagAdder& add, Options& options);
void add_report_flag(FlagAdder& add, Options& options);
void add_json_flag(FlagAdder& add, Options& options);
void add_page_flag(FlagAdder& add, Options& options);
void add_csv_flag(FlagAdder& add, Options& options);
void add_trace_flag(FlagAdder& add, Options& options);
void add_label_flag(FlagAdder& add, Options& options);
void add_power_flags(FlagAdder& add, Options& options);
void add_common_flags(FlagAdder& add, Options& options);

/// `word` stands in a list that blanks separate.
bool has_word(std::string_view list, std::string_view word);
/// The flag alone leaves the options of its command as they are.
bool asks_for_the_default(Command command, const GivenFlag& flag);

}  // namespace hpl
