#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpl::page {

/// Names and values in the order of the file.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

/// What a sensor showed over a run.
struct Sensor {
  double minimum = 0, mean = 0, maximum = 0;
};

/// The device of one rank. Ranks of a host that name the same back end and index share it.
struct Device {
  std::int64_t rank = 0;
  std::string host, backend;
  std::int64_t index = 0;
  std::string name;
  std::optional<Sensor> clock, power, temperature;  ///< MHz, watts, degrees Celsius
  std::vector<std::pair<std::string, double>>
      throttle_reasons;  ///< and their share of the samples, 0 to 1
};

/// Seconds of one phase over the ranks of a run.
struct PhaseTime {
  std::string name;
  double minimum = 0, maximum = 0;
  std::int64_t minimum_rank = 0, maximum_rank = 0;
  std::vector<double> rank_seconds;  ///< by rank; empty in files that hold extremes only
};

/// The factorization after one of its steps, as rank 0 saw it.
struct Step {
  std::int64_t columns_done = 0;
  double seconds = 0;  ///< since the start of the timed part
};

/// One run of a job. Numbers that a file gives as null are empty.
struct Run {
  std::string variant, description, status;  ///< "WR11C2R4", in words, "passed"
  std::int64_t order = 0, block_size = 0, grid_rows = 0, grid_columns = 0;
  std::int64_t run_index = 0, repeat_index = 0;
  NamedTexts settings;  ///< everything that defines the run, by its name in the file
  std::string started;  ///< UTC, ISO 8601; empty when unknown
  std::optional<double> seconds, gflops, ceiling_gflops, gflops_per_watt, scaled_residual;
  std::optional<std::int64_t> zero_pivot_column;
  std::vector<PhaseTime> phases;
  std::vector<Step> steps;
  std::vector<Device> devices;
  std::vector<std::string> device_findings, remarks;
};

/// A document that xhpl --json wrote.
struct RunFile {
  std::string name;     ///< of the file, as the page shows it
  std::string program;  ///< "xhpl 0.1.0"
  NamedTexts environment;
  std::vector<std::string> remarks;
  std::vector<Run> runs;
  std::optional<std::int64_t> exit_code;  ///< empty while the job went on
  std::optional<std::string> error;       ///< why the job ended early
};

/// Reads a document of docs/schema/run.schema.json. Members that it does not know are passed over,
/// as are those missing that a page can do without. Throws ConfigError with the name, the place in
/// the document, what was found and what is allowed.
RunFile parse_run_file(std::string name, std::string_view text);

/// The same from a file. Throws ConfigError also when it cannot be read.
RunFile read_run_file(const std::string& path);

}  // namespace hpl::page
