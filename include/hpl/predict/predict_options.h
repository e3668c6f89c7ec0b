#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/choice/choices.h"
#include "hpl/input/command_line/command_line.h"
#include "hpl/input/command_line/wishes.h"
#include "hpl/input/run_spec/run_spec.h"

namespace hpl {

enum class ModelRequest { Auto, Sampled, Simulated, All };

/// The command line of xhpl-predict as values. Empty lists and optionals: not given.
struct PredictOptions {
  std::string text;               ///< set by --help and --version: print it and stop
  bool list = false;              ///< show the data sheets of the program
  std::filesystem::path machine;  ///< rates or a data sheet, or the name of one
  std::optional<std::filesystem::path> dat_file;
  bool mixed = false;  ///< the runs are of HPL-MxP
  std::vector<std::int64_t> orders, block_sizes;
  std::vector<int> grid_rows, grid_columns;
  std::vector<int> nodes, depths;
  std::vector<BroadcastVariant> broadcasts;
  std::optional<SwapVariant> swap;
  std::optional<std::int64_t> chunk;
  int node_rows = 0, node_columns = 0;
  PanelRequest panel = PanelRequest::Auto;
  std::optional<PipelineKind> pipeline;
  MatrixRequest matrix = MatrixRequest::Auto;
  std::optional<double> mem_fraction;
  ModelRequest model = ModelRequest::Auto;
  std::optional<std::filesystem::path> json_file;
};

/// For the manual.
std::vector<Flag> predict_flags();
/// Throws ConfigError with the flag, the text found and what is allowed.
PredictOptions parse_predict_command_line(int argc, const char* const* argv);

}  // namespace hpl
