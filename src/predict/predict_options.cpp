#include "hpl/predict/predict_options.h"

#include <array>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/command_line/command_line.h"
#include "hpl/input/command_line/flag_adder.h"
#include "hpl/input/run_spec/field_rules.h"
#include "hpl/machine/host/versions.h"
#include "hpl/machine/model/machine_sheet.h"

namespace hpl {

namespace {

using detail::FlagAdder;

constexpr IntegerRange kNodeRange{1, 1'000'000};

constexpr std::array<Choice<ModelRequest>, 4> kModels{{
    {ModelRequest::Auto, "auto"},
    {ModelRequest::Sampled, "sampled"},
    {ModelRequest::Simulated, "simulated"},
    {ModelRequest::All, "all"},
}};

/// The data sheets of the program, a line each.
std::string sheet_list() {
  std::string text;
  const std::vector<std::string> names = known_machine_names();
  const std::vector<MachineSheet> sheets = known_machines();
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{:<14} {}\n", names[i], sheets[i].name);
  return text;
}

constexpr const char* kMachineGroup = "Machine";
constexpr const char* kRunGroup = "Runs";
constexpr const char* kModelGroup = "Model and output";

void add_flags(CommandLine& line, PredictOptions& options) {
  line.group(kMachineGroup);
  FlagAdder machine(line);
  machine.integers({"--nodes", "LIST", "numbers of nodes (default: of the machine)"}, kNodeRange,
                   options.nodes);
  machine.toggle("--list", "show the data sheets that have a name, and stop", options.list, true);

  line.group(kRunGroup);
  FlagAdder runs(line);
  runs.path({"--dat", "FILE", "the runs of an HPL.dat"}, options.dat_file);
  runs.toggle("--mxp", "the runs are of HPL-MxP, as its rates say (xhpl rates --mxp)",
              options.mixed, true);
  runs.orders({"-N,--N", "LIST", "orders (default: the largest that fits)"}, options.orders);
  runs.integers({"--NB", "LIST", "block sizes (default: the best)"}, kBlockSizeRange,
                options.block_sizes);
  runs.integers({"-P,--P", "LIST", "process rows (default: the best grid of all ranks)"},
                kGridRange, options.grid_rows);
  runs.integers({"-Q,--Q", "LIST", "process columns"}, kGridRange, options.grid_columns);
  runs.integer({"--node-rows", "ROWS", "rows of a node's processes in the grid (default: chosen)"},
               kGridRange, options.node_rows);
  runs.integer({"--node-columns", "COLUMNS", "columns of them"}, kGridRange, options.node_columns);
  runs.integers({"--depth", "LIST", "look-ahead (default: 1)"}, kDepthRange, options.depths);
  runs.choices({"--bcast", "LIST", "panel broadcast: {}"}, kBroadcastVariants, options.broadcasts);
  runs.choice({"--swap", "ALGORITHM", "row swap: {}"}, kSwapVariants, options.swap,
              ChoiceNumbers::Accepted);
  runs.integer({"--chunk", "COLUMNS", "width of a chunk of the tail matrix"}, kOrderRange,
               options.chunk);
  runs.choice({"--panel", "PLACE", "where panels are factorized: {}"}, kPanelRequests,
              options.panel);
  runs.choice({"--pipeline", "KIND", "auto, fine (four workers), coarse (one thread) or serial"},
              kPipelineRequests, options.pipeline);
  runs.choice({"--matrix", "PLACE",
               "memory that the matrix lies in: auto (the host's where the device's is too small), "
               "device, host"},
              kMatrixRequests, options.matrix);
  runs.real({"--mem-fraction", "F", "share of a rank's memory where N is not given (default: 0.9)"},
            0, 1, options.mem_fraction);

  line.group(kModelGroup);
  FlagAdder model(line);
  model.choice({"--model", "KIND",
                "sampled (some steps and ranks), simulated, all; auto (default): simulated, or "
                "sampled where that takes long"},
               kModels, options.model);
  model.path({"--json", "FILE", "write the predictions as JSON"}, options.json_file);
}

/// The successors of flags of version 0.2.0.
std::string about_retired(const std::string& flag) {
  if (flag == "--what-if")
    return "--what-if is no longer a flag; change a copy of the data sheet (share/xhpl/machines)";
  if (flag == "--top500" || flag == "--sheets")
    return flag + " is no longer a flag; the sources of xhpl have the program models for lists";
  return {};
}

/// The flags, which write to the others.
CommandLine command_line(PredictOptions& options, std::vector<std::string>& machines) {
  CommandLine line(
      "xhpl predict",
      "xhpl predict: what a machine should reach, from its measured rates (xhpl rates)\n"
      "or its data sheet: time, rate, efficiency and what is not hidden.",
      "Examples:\n"
      "  xhpl predict rates.json -N 131072 --NB 1024,2048 -P 1 -Q 1\n"
      "  xhpl predict h200 --nodes 8,64,512,4096\n"
      "  xhpl predict rates.json --dat HPL.dat --model all\n"
      "\n"
      "Exit code: 0 predicted, 2 bad input, 3 the output could not be written.");
  line.add_words("MACHINE",
                 "rates of a machine, its data sheet (JSON), or the name of a sheet: h200",
                 machines);
  line.advise(about_retired);
  add_flags(line, options);
  line.group("Others");
  line.add_help("xhpl-predict " + program_version());
  return line;
}

}  // namespace

std::vector<Flag> predict_flags() {
  PredictOptions options;
  std::vector<std::string> machines;
  return command_line(options, machines).flags();
}

PredictOptions parse_predict_command_line(int argc, const char* const* argv) {
  PredictOptions options;
  std::vector<std::string> machines;
  options.text = command_line(options, machines).read(argc, argv);
  if (options.text.empty() && options.list) options.text = sheet_list();
  if (!options.text.empty()) return options;
  if (machines.size() > 1)
    throw ConfigError("one machine at a time, found a second: " + quote_printable(machines[1]));
  const std::string machine = machines.empty() ? "" : machines.front();
  options.machine = machine;
  if (machine.empty())
    throw ConfigError("no machine is given; name its rates, its data sheet or one of --list");
  return options;
}

}  // namespace hpl
