#include "hpl/input/command_line/options.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "flag_rules.h"
#include "flags.h"
#include "hpl/input/command_line/command_line.h"

namespace hpl {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  mpirun -np 4 xhpl                               the runs of ./HPL.dat\n"
    "  mpirun -np 4 xhpl --auto                        sizes and grid chosen for this machine\n"
    "  mpirun -np 4 xhpl -N 20000 --NB 192 -P 2 -Q 2   one run without HPL.dat\n"
    "  mpirun -np 4 xhpl --mem-fraction 0.8 -P 2 -Q 2  N from the free memory\n"
    "  mpirun -np 4 xhpl --dat site.dat --NB 128,256 --dry-run\n"
    "  xhpl -N 5000 --json result.json --repeat 3\n"
    "  mpirun -np 4 xhpl --check --json check.json     is this machine fit for a run?\n"
    "  mpirun -np 32 xhpl --each device --auto --fail-list bad.txt  which nodes are not?\n"
    "\n"
    "Lists are written with commas. Every field of HPL.dat is described in docs/input.md.\n"
    "Exit code: 0 all passed, 1 a run or a gate failed, 2 bad input, 3 the run could not go on.";

/// The flags, which write to the other two.
CommandLine command_line(Options& options, bool& help) {
  CommandLine line("xhpl",
                   "xhpl: the High-Performance Linpack benchmark. Solves A x = b on a P x Q grid "
                   "of MPI\nprocesses, one device each, and reports the rate.",
                   kExamples);
  add_input_flags(line, options);
  add_field_flags(line, options);
  add_run_flags(line, options);
  add_fleet_flags(line, options);
  add_verdict_flags(line, options);
  add_output_flags(line, options);
  add_information_flags(line, options, help);
  return line;
}

}  // namespace

bool asks_for_the_default(const GivenFlag& flag) {
  Options options;
  bool help = false;
  const std::array<const char*, 3> words{"xhpl", flag.name.c_str(), flag.value.c_str()};
  command_line(options, help).parse(flag.value.empty() ? 2 : 3, words.data());
  return options == Options();
}

Options with_words(Options options, const std::vector<std::string>& words) {
  bool help = false;
  std::vector<const char*> argv{"xhpl"};
  for (const std::string& word : words)
    argv.push_back(word.c_str());
  command_line(options, help).parse(static_cast<int>(argv.size()), argv.data());
  return options;
}

std::filesystem::path Options::evidence_file() const {
  return outputs.json.value_or(tune.dat_file.value_or("") += ".json");
}

std::string flags_of_runs(const Options& options) {
  std::string text;
  for (const GivenFlag& flag : options.given) {
    if (flag.group != kRunGroup) continue;
    text += fmt::format("{}{}{}{}", text.empty() ? "" : " ", flag.name,
                        flag.value.empty() ? "" : " ", flag.value);
  }
  return text;
}

std::vector<GivenFlag> flags_that_decide(const Options& options) {
  constexpr std::array<std::string_view, 4> kWithoutEffect{"--no-ceiling", "--no-check",
                                                           "--check-tolerance", "--watchdog"};
  std::vector<GivenFlag> flags;
  for (const GivenFlag& flag : options.given) {
    if (flag.group != kFieldGroup && flag.group != kRunGroup) continue;
    if (std::ranges::find(kWithoutEffect, flag.name) != kWithoutEffect.end()) continue;
    if (!asks_for_the_default(flag)) flags.push_back(flag);
  }
  return flags;
}

std::vector<Flag> command_line_flags() {
  Options options;
  bool help = false;
  return command_line(options, help).flags();
}

Options parse_command_line(int argc, const char* const* argv) {
  Options options;
  bool help = false;
  CommandLine line = command_line(options, help);
  line.parse(argc, argv);
  options.words.assign(argv + std::min(argc, 1), argv + argc);
  options.given = line.given();
  if (help) {
    options.help_text = line.help();
    return options;
  }
  line.refuse_unknown("lists are written with commas (-N 1000,2000), ");
  refuse_contradictions(options);
  return options;
}

}  // namespace hpl
