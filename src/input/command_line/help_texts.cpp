#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "flags.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/command_line/command.h"
#include "hpl/input/command_line/command_line.h"
#include "hpl/input/command_line/options.h"
#include "hpl/input/hpl_dat/hpl_dat.h"

namespace hpl {

namespace {

/// A page of `xhpl help`. Flags of the groups, as `command` has them, follow the text.
struct HelpTopic {
  std::string_view name;
  std::string_view text;
  Command command = Command::Run;
  std::string_view group = {};
};

constexpr std::array kHelpTopics{
    HelpTopic{"hpldat",
              "HPL.dat names the runs: every combination of its lists is one. A flag takes the\n"
              "place of a line; -N, --NB, -P and -Q do so for the sizes. xhpl plan -o HPL.dat\n"
              "writes such a file. Its lines, with what stands there unless a flag says else:\n",
              Command::Run, kFieldGroup},
    HelpTopic{"tuning",
              "Everything here is chosen for the machine unless it is given. xhpl plan shows\n"
              "each choice with its reason, xhpl tune searches for better ones.\n",
              Command::Run, kTuningGroup},
    HelpTopic{"mxp",
              "xhpl mxp solves the system of HPL-MxP: an LU in 16 bits, refined to the accuracy\n"
              "of 64 bits. run, fleet, tune and plan do so by --mxp. Fields of HPL.dat about\n"
              "panels, swaps, L1 and U have no effect.\n",
              Command::Run, kMixedGroup},
    HelpTopic{"gates",
              "A run below a gate ends the job with exit code 4, after all runs were made.\n",
              Command::Fleet, "Gates"},
    HelpTopic{"formats",
              "--json FILE   everything, by docs/schema; xhpl report makes a page of it\n"
              "--page FILE   that page at once\n"
              "--csv FILE    a row a run or member, under a lock; columns keep their places\n"
              "--trace FILE  a timeline of every worker for Perfetto\n"
              "-o FILE       the report as text: netlib's lines, and lines that begin with #\n"},
    HelpTopic{"exit-codes", "The exit code of a job, of any number of ranks:\n"},
    HelpTopic{"environment",
              "Variables that are read or set. Those by which a driver hides devices are\n"
              "honoured.\n"},
    HelpTopic{"launching",
              "One rank per GPU, or per NUMA node without GPUs: xhpl launch COMMAND starts them\n"
              "by srun inside an allocation, else by mpirun. Otherwise:\n"
              "  mpirun --bind-to none -np 8 xhpl --auto\n"
              "  srun --cpu-bind=none --gpu-bind=none --mpi=pmix -n 8 xhpl --auto\n"
              "xhpl binds its ranks and threads itself, to the cores that it was given.\n"},
    HelpTopic{"power",
              "Devices are asked for their power in any case. A meter of the machine is read by\n"
              "--power-command, or its log joins a report: xhpl report --power-log.\n",
              Command::Run, "Power"},
};

/// A row of the page `topic`.
struct TopicRow {
  std::string_view topic, name, text;
};

constexpr std::array kTopicRows{
    TopicRow{"exit-codes", "0",
             "Every run passed its check and every gate, or was stopped early as asked. A check or "
             "a fleet found no more than warnings."},
    TopicRow{"exit-codes", "1",
             "Wrong: a run failed its residual check, a check found a fault, a member or host of a "
             "fleet is wrong, faulty, missing or not checked, or tune found no settings."},
    TopicRow{"exit-codes", "2", "The input or the launch cannot be honoured. Nothing was run."},
    TopicRow{"exit-codes", "3",
             "The job could not go on: device, MPI, memory, watchdog, or a report that could not "
             "be written."},
    TopicRow{
        "exit-codes", "4",
        "Slow, with nothing wrong: a gate was missed, or a rank or member is behind its peers, "
        "its reference or its data sheet in two figures, or far in one."},
    TopicRow{"environment", "OPENBLAS_NUM_THREADS,OMP_NUM_THREADS",
             "Set to 1 unless set: xhpl calls the BLAS from threads of its own."},
    TopicRow{"environment", "OPENBLAS_CORETYPE",
             "Set unless set, if OpenBLAS would choose a kernel below the machine."},
    TopicRow{"environment", "HPL_NCCL_LIBRARY", "The NCCL or RCCL library to load."},
    TopicRow{"environment", "HPL_PRODUCT_KERNEL", "The kernel for emulated products on a GPU."},
    TopicRow{"environment", "HPL_FP64_KERNEL=blas",
             "Large products on CPUs by the BLAS, not by the kernel for AVX-512."},
    TopicRow{"environment", "NO_COLOR", "No color, unless --color always asks for it."},
    TopicRow{"environment", "HPL_REEXEC=1", "xhpl does not start again with these variables."},
    TopicRow{"environment", "XHPL_SRUN_MPI",
             "The value of srun --mpi for the batch script xhpl.sbatch."},
};

/// The lines of an HPL.dat with their numbers, below its two headings.
std::string numbered_hpl_dat() {
  HplDat dat = default_hpl_dat();
  dat.orders = {20'000};
  dat.grid_rows = dat.grid_columns = {2};
  std::istringstream lines(write_hpl_dat(dat));
  std::string text, line;
  for (int number = 1; std::getline(lines, line); ++number)
    if (number > 2) text += fmt::format("{:>4} {}{}\n", number, line.substr(0, 9), line.substr(15));
  return text;
}

std::string commands(std::span<const Command> which) {
  std::string text;
  for (const Command command : which) {
    const CommandRow& row = row_of(kCommands, command);
    text += fmt::format("  {:<9} {}\n", row.name, row.summary);
  }
  return text;
}

/// Everything that help knows, each text under a line.
std::string all_help() {
  std::string text = first_screen();
  const auto add = [&](std::string_view topic) {
    text += fmt::format("\n{:-<80}\n\n{}", "", help_text(topic));
  };
  for (const CommandRow& row : kCommands)
    if (!command_flags(row.value).empty()) add(row.name);
  for (const HelpTopic& topic : kHelpTopics)
    if (std::ranges::find(kCommands, topic.name, &CommandRow::name) == kCommands.end())
      add(topic.name);
  return text;
}

[[noreturn]] void refuse_word(std::string_view word) {
  const std::string shown = quote_printable(word);
  if (const std::string meant = nearest_word(word, choice_names(kCommands)); !meant.empty())
    throw ConfigError("unknown command {}, did you mean xhpl {}?", shown, meant);
  if (word.ends_with(".dat"))
    throw ConfigError("{} is no command; xhpl --dat {} reads a file", shown, word);
  throw ConfigError("unknown command {}; commands are {}; xhpl --help shows more", shown,
                    fmt::join(choice_names(kCommands), ", "));
}

[[noreturn]] void refuse_topic(std::string_view topic) {
  std::vector<std::string> known = choice_names(kCommands);
  std::ranges::copy(help_topics(), std::back_inserter(known));
  if (const std::string meant = nearest_word(topic, known); !meant.empty())
    throw ConfigError("no help on {}, did you mean xhpl help {}?", quote_printable(topic), meant);
  throw ConfigError("help knows the commands, all, and the topics {}, found {}",
                    fmt::join(help_topics(), ", "), quote_printable(topic));
}

std::string topic_text(const HelpTopic& topic) {
  std::string text = fmt::format("{}: xhpl help {}\n\n{}", topic.name, topic.name, topic.text);
  if (topic.group == kFieldGroup) text += "\n" + numbered_hpl_dat();
  const std::vector<Flag> rows = topic_rows(topic.name);
  if (topic.group.empty() && rows.empty()) return text;
  text += "\n";
  for (const Flag& row : rows)
    text += help_row(row);
  for (const Flag& flag : command_flags(topic.command))
    if (flag.group == topic.group) text += help_row(flag);
  return text;
}

}  // namespace

std::vector<Flag> topic_rows(std::string_view topic) {
  std::vector<Flag> rows;
  for (const TopicRow& row : kTopicRows)
    if (row.topic == topic)
      rows.push_back({.names = std::string(row.name), .value = "", .help = std::string(row.text)});
  return rows;
}

std::vector<std::string> help_topics() {
  std::vector<std::string> names;
  for (const HelpTopic& topic : kHelpTopics)
    names.emplace_back(topic.name);
  return names;
}

CommandWords command_words(int argc, const char* const* argv) {
  if (argc < 2 || std::string_view(argv[1]).starts_with('-')) return {.argc = argc, .argv = argv};
  const std::string_view word = argv[1];
  // A command of other programs, a flag here.
  static constexpr std::array<const char*, 2> kVersion{"xhpl", "--version"};
  if (word == "version") return {.argc = kVersion.size(), .argv = kVersion.data()};
  const auto* const row = std::ranges::find(kCommands, word, &CommandRow::name);
  if (row == kCommands.end()) refuse_word(word);
  return {.command = row->value, .named = true, .argc = argc - 1, .argv = argv + 1};
}

std::string first_screen() {
  constexpr std::array kMeasure{Command::Run,      Command::Mxp,  Command::Check, Command::Fleet,
                                Command::Campaign, Command::Tune, Command::Rates};
  constexpr std::array kRead{Command::Plan, Command::Predict, Command::Report, Command::Compare,
                             Command::Devices};
  return fmt::format(
      "xhpl: High-Performance Linpack for CPUs and GPUs\n"
      "Usage: xhpl launch [-n RANKS] [COMMAND] [FLAGS]       (no COMMAND: run)\n"
      "\n"
      "Measure (xhpl launch COMMAND starts one rank per GPU; so do mpirun and srun)\n"
      "{}Plan and read\n"
      "{}\n"
      "Flags of run (all: xhpl run --help)\n"
      "  --auto                     choose N, NB, P, Q for this machine\n"
      "  --dat FILE                 read FILE, not ./HPL.dat\n"
      "  -N, --NB, -P, -Q LIST      in place of these fields of HPL.dat: 1000,2000\n"
      "  --device KIND              auto (default), cpu, cuda, hip\n"
      "  --repeat R                 make every run R times\n"
      "  --min-gflops RATE          exit code 4 below RATE; --min-efficiency PERCENT\n"
      "  --json FILE, --csv FILE    results for programs; --page FILE: to read\n"
      "Flags of every command\n"
      "  -q, --quiet; -v, --verbose only the verdict; every detail\n"
      "  --progress WHEN            auto (default), never, always; --color WHEN\n"
      "\n"
      "Examples\n"
      "  xhpl launch run --auto --page run.html               a first result, to read\n"
      "  mpirun --bind-to none -np 4 xhpl                     the runs of ./HPL.dat\n"
      "  xhpl launch fleet --for 10m --fail-list bad          which GPUs are not sound?\n"
      "\n"
      "More: xhpl COMMAND --help, man xhpl, and xhpl help TOPIC, TOPIC one of\n"
      "  {}\n"
      "Exit code: 0 passed, 1 wrong, 2 bad input, 3 could not go on, 4 too slow\n",
      commands(kMeasure), commands(kRead), fmt::join(help_topics(), "  "));
}

std::string help_text(std::string_view topic) {
  if (topic == "all") return all_help();
  if (topic == "--help" || topic == "-h") return first_screen();
  const auto* const command = std::ranges::find(kCommands, topic, &CommandRow::name);
  const auto* const page = std::ranges::find(kHelpTopics, topic, &HelpTopic::name);
  if (command == kCommands.end()) {
    if (page == kHelpTopics.end()) refuse_topic(topic);
    return topic_text(*page);
  }
  if (command_flags(command->value).empty() && command->value != Command::Devices)
    return fmt::format("xhpl {}: {}\n", command->name, command->summary);
  const std::vector<const char*> argv{"xhpl", command->name.data(), "--help"};
  const std::string text = parse_command_line(static_cast<int>(argv.size()), argv.data()).help_text;
  // A command may share its name with a topic.
  return page == kHelpTopics.end() ? text : text + "\n" + topic_text(*page);
}

}  // namespace hpl
