#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/base/choice/choice.h"

namespace hpl {

/// The first word of xhpl's command line.
enum class Command {
  Run,
  Mxp,
  Check,
  Fleet,
  Campaign,
  Tune,
  Rates,
  Plan,
  Devices,
  Predict,
  Report,
  Compare,
  Launch,
  Help,
  Completion,
};

struct CommandRow : Choice<Command> {
  std::string_view summary;  ///< for a list of commands
  std::string_view program;  ///< that the command is handed over to; empty: xhpl itself
  bool named = false;        ///< the command's name is the first word that this program gets
};

inline constexpr std::array<CommandRow, 15> kCommands{{
    {{Command::Run, "run"}, "solve A x = b, check the solution, report the rate", ""},
    {{Command::Mxp, "mxp"}, "the same as HPL-MxP: LU in 16 bits, refinement in 64", ""},
    {{Command::Check, "check"},
     "are all ranks, devices and links sound?  --deep: copies at once",
     ""},
    {{Command::Fleet, "fleet"},
     "each device, node or pair by itself: which are slow, wrong, missing?",
     ""},
    {{Command::Campaign, "campaign"},
     "accept a machine: check, devices, nodes, pairs, whole; one verdict",
     "xhpl-campaign"},
    {{Command::Tune, "tune"}, "find the fastest settings, write them as HPL.dat", ""},
    {{Command::Rates, "rates"},
     "measure this machine for predict and for \"expected and got\"",
     ""},
    {{Command::Plan, "plan"}, "N, NB, P x Q, memory and time of a run, each with its reason", ""},
    {{Command::Devices, "devices"}, "the devices that this xhpl can use", ""},
    {{Command::Predict, "predict"},
     "what a machine should reach, from rates or a data sheet",
     "xhpl-predict"},
    {{Command::Report, "report"},
     "a page, JUnit, OpenMetrics, a TOP500 form from reports",
     "xhpl-report"},
    {{Command::Compare, "compare"},
     "two reports or campaigns: what changed, node by node",
     "xhpl-report",
     true},
    {{Command::Launch, "launch"}, "start a command with one rank per GPU", "xhpl-mpirun"},
    {{Command::Help, "help"}, "this text, or that of a command or topic", ""},
    {{Command::Completion, "completion"}, "what a shell needs to complete xhpl", ""},
}};

/// A command line in its two parts.
struct CommandWords {
  Command command = Command::Run;
  bool named = false;  ///< the first word names it; otherwise it is a run
  int argc = 0;        ///< of what follows, where argv[0] stands for the command
  const char* const* argv = nullptr;
};

/// Throws ConfigError where the first word is neither a flag nor a command, with what was meant.
CommandWords command_words(int argc, const char* const* argv);

/// The first screen: what there is, and where to read on. At most 40 lines of 80 columns.
std::string first_screen();
/// The pages of `xhpl help`, beside the commands.
std::vector<std::string> help_topics();
/// The text of `xhpl help TOPIC`; `topic` may be a command. Throws ConfigError.
std::string help_text(std::string_view topic);

}  // namespace hpl
