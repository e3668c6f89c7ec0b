#include "hpl/input/command_line/options.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "flag_rules.h"
#include "flags.h"
#include "foreign_flags.h"
#include "hpl/base/error/error.h"
#include "hpl/input/command_line/command_line.h"
#include "retired_flags.h"

namespace hpl {
namespace {

struct Example {
  Command command;
  std::string_view text;
};
constexpr std::array kExamples{
    Example{Command::Run, "xhpl launch run --auto                          sizes and grid chosen"},
    Example{Command::Run, "xhpl launch -n 4 run                            the runs of ./HPL.dat"},
    Example{Command::Run, "xhpl launch -n 4 run -N 20k -P 2 -Q 2           one run, no HPL.dat"},
    Example{Command::Run, "xhpl -N 5000 --repeat 3 --json result.json"},
    Example{Command::Mxp, "xhpl launch mxp --mem-fraction 95%               N fills the memory"},
    Example{Command::Mxp, "xhpl mxp -N 100000 --storage 32 --json mxp.json"},
    Example{Command::Check, "xhpl launch check --json check.json"},
    Example{Command::Check, "xhpl launch check --deep"},
    Example{Command::Fleet, "xhpl launch fleet device --auto --fail-list bad.txt"},
    Example{Command::Fleet, "xhpl launch fleet node --for 30m --json fleet.json"},
    Example{Command::Tune, "xhpl launch tune -o tuned.dat --for 30m"},
    Example{Command::Rates, "xhpl launch rates -o rates.json"},
    Example{Command::Plan, "xhpl launch plan --auto                         what --auto chooses"},
    Example{Command::Plan, "xhpl launch plan --mem-fraction 80% -o HPL.dat"},
};

std::string footer(Command command) {
  std::string text;
  for (const Example& example : kExamples)
    if (example.command == command)
      text += fmt::format("{}  {}\n", text.empty() ? "Examples:\n" : "", example.text);
  if (command != Command::Devices)
    text += "\nMore flags: xhpl help hpldat (fields of HPL.dat), tuning, mxp, gates.\n";
  return text + "Exit code: 0 passed, 1 wrong, 2 bad input, 3 could not go on, 4 too slow";
}

/// The commands that have a flag: "xhpl fleet, xhpl tune".
std::string commands_with(std::string_view flag) {
  std::vector<std::string> commands;
  for (const CommandRow& row : kCommands)
    for (const Flag& known : command_flags(row.value)) {
      const std::vector<std::string> names = known.all_names();
      if (std::ranges::find(names, flag) != names.end())
        commands.push_back(fmt::format("xhpl {}", row.name));
    }
  return fmt::format("{}", fmt::join(commands, ", "));
}

/// `word` is a flag that the command does not have, a flag with VALUE where it takes none, or a
/// word that is no flag.
std::string about_unknown(std::string_view program, const std::string& word) {
  if (!word.starts_with('-'))
    return word.ends_with(".dat") ? fmt::format("{} is no word of {}; {} --dat {} reads a file",
                                                quote_printable(word), program, program, word)
                                  : "";
  const auto* const foreign = std::ranges::find(kForeignFlags, word, &ForeignFlag::flag);
  if (foreign != kForeignFlags.end())
    return fmt::format("{} {}", word.substr(0, word.find(' ')), foreign->here);
  const std::string& flag = word;
  const auto* const retired = std::ranges::find(kRetiredFlags, flag, &RetiredFlag::name);
  if (retired != kRetiredFlags.end())
    return fmt::format("{} is no longer a flag, its place took {}", flag, retired->instead);
  const std::string commands = commands_with(flag);
  return commands.empty()
             ? ""
             : fmt::format("{} is no flag of {}; it belongs to {}", flag, program, commands);
}

/// The values that a command line fills.
struct Target {
  Options options;
  bool help = false;
  std::vector<std::string> words = {};  ///< that are no flags
};

/// Borrows `target`.
CommandLine command_line(Command command, Target& target) {
  const auto& row = row_of(kCommands, command);
  const std::string program = fmt::format("xhpl {}", row.name);
  CommandLine line(program,
                   fmt::format("{}: {}\nUsage: {}{}{} [FLAGS]", program, row.summary,
                               command == Command::Devices ? "" : "mpirun -np RANKS ", program,
                               command == Command::Fleet ? " [device|node|pair]" : ""),
                   footer(command));
  line.advise([program](const std::string& flag) { return about_unknown(program, flag); });
  if (command == Command::Fleet)
    line.add_words("MEMBER", "what solves a system of its own: device (default), node, pair",
                   target.words);
  FlagAdder add(line, row.name);
  for (const auto& add_flags :
       {add_command_flags, add_input_flags, add_size_flags, add_run_flags, add_field_flags,
        add_tuning_flags, add_verdict_flags, add_output_flags})  // in the order of help
    add_flags(add, target.options);
  add.commands(row.name);
  line.group("Every command");
  add.toggle("-V,--version", "show version, compiler, MPI, BLAS and back ends and stop",
             target.options.show_version, true);
  add.toggle("-h,--help", "show this text and stop", target.help, true);
  return line;
}

FleetMemberKind member_of(const std::vector<std::string>& words) {
  if (words.size() > 1)
    throw ConfigError("unknown argument {}; xhpl fleet takes one of device, node, pair",
                      quote_printable(words[1]));
  return require_choice("the member of a fleet", words.front(), kFleetMemberKinds);
}

/// AMD's HPL has fields of HPL.dat behind -o: "N:1000,2000", "PQ:1x2".
void refuse_field_for_file(const std::filesystem::path& file) {
  const auto [field, values] = split_pair(file.native(), ':');
  const bool is_field = !field.empty() && !values.empty() && values.front() >= '0' &&
                        values.front() <= '9' &&
                        std::ranges::all_of(field, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (is_field)
    throw ConfigError(
        "-o must be a file name, found {}; fields of HPL.dat are flags here: -N 1000,2000 --NB 192 "
        "-P 1,2 -Q 2,1",
        quote_printable(file.native()));
}

/// tune and rates are there to write a file.
void require_product(const Options& options) {
  const bool lacks = (options.command == Command::Tune && !options.outputs.dat) ||
                     (options.command == Command::Rates && !options.rates.output);
  if (lacks)
    throw ConfigError("xhpl {} needs -o FILE, the file that it writes",
                      name_of(kCommands, options.command));
}

}  // namespace

bool asks_for_the_default(Command command, const GivenFlag& flag) {
  Target target;
  const std::array<const char*, 3> words{"xhpl", flag.name.c_str(), flag.value.c_str()};
  command_line(command, target).parse(flag.value.empty() ? 2 : 3, words.data());
  return target.options == Options();
}

Options with_words(Options options, const std::vector<std::string>& words) {
  Target target{.options = std::move(options)};
  std::vector<const char*> argv{"xhpl"};
  for (const std::string& word : words)
    argv.push_back(word.c_str());
  CommandLine line = command_line(Command::Run, target);
  line.parse(static_cast<int>(argv.size()), argv.data());
  const std::vector<GivenFlag> given = line.given();
  target.options.given.insert(target.options.given.end(), given.begin(), given.end());
  return target.options;
}

std::filesystem::path Options::evidence_file() const {
  return outputs.json.value_or(outputs.dat.value_or("") += ".json");
}

std::string flags_of_runs(const Options& options) {
  std::string text;
  for (const GivenFlag& flag : options.given) {
    if (flag.group != kRunGroup && flag.group != kTuningGroup && flag.group != kMixedGroup)
      continue;
    text += fmt::format("{}{}{}{}", text.empty() ? "" : " ", flag.name,
                        flag.value.empty() ? "" : " ", flag.value);
  }
  return text;
}

std::vector<GivenFlag> flags_that_decide(const Options& options) {
  constexpr std::array<std::string_view, 5> kGroups{kSizeGroup, kFieldGroup, kRunGroup,
                                                    kTuningGroup, kMixedGroup};
  std::vector<GivenFlag> flags;
  for (const GivenFlag& flag : options.given)
    if (std::ranges::find(kGroups, flag.group) != kGroups.end() &&
        !asks_for_the_default(options.command, flag))
      flags.push_back(flag);
  return flags;
}

std::vector<Flag> command_flags(Command command) {
  if (!has_word(kAllJobs, name_of(kCommands, command))) return {};
  Target target;
  return command_line(command, target).flags();
}

Options parse_command_line(int argc, const char* const* argv) {
  const CommandWords words = command_words(argc, argv);
  Target target{.options = {.command = words.command}};
  CommandLine line = command_line(words.command, target);
  line.parse(words.argc, words.argv);
  Options& options = target.options;
  options.words.assign(argv + std::min(argc, 1), argv + argc);
  options.given = line.given();
  if (target.help) {
    options.help_text = words.named ? line.help() : first_screen();
    return options;
  }
  line.refuse_unknown("lists are written with commas (-N 1000,2000), ");
  for (const auto* const file :
       {&options.outputs.report, &options.outputs.dat, &options.rates.output})
    if (*file) refuse_field_for_file(**file);
  if (options.show_version) return options;
  if (options.outputs.detail == Detail::Verdict && !options.outputs.progress)
    options.outputs.progress = false;
  if (options.command == Command::Mxp) options.wishes.mixed.wanted = true;
  if (!target.words.empty()) options.fleet.member = member_of(target.words);
  require_product(options);
  refuse_contradictions(options);
  return options;
}

}  // namespace hpl
