#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "hpl/base/power/run_power.h"
#include "hpl/report/result/fleet_report.h"

#include "hpl/report/page/prediction.h"

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

/// How far a run came that was ended early on purpose, and what it would have reached.
struct EarlyStop {
  double fraction = 0;  ///< of the operations
  std::optional<double> projected_seconds, projected_gflops;
};

/// How messages travelled along a process row or column.
struct Transport {
  std::int64_t ranks = 0;
  std::string name;
  std::optional<double> gigabytes_per_second;
};

/// A phase beside what the performance model says of it, on the rank that is furthest beyond.
struct ExpectedPhase {
  std::string name;
  std::int64_t rank = 0;
  double expected_seconds = 0, seconds = 0;
  bool beyond = false;  ///< by more than the model's error, on this rank or others
};

/// What was expected of a run.
struct Expectation {
  std::string model, rates, outcome;  ///< "simulated", the file of the rates, "slower"
  double seconds = 0, error_seconds = 0;
  std::vector<ExpectedPhase> phases;
  std::vector<std::string> findings;  ///< the first: expected and got
};

/// One run of a job. Numbers that a file gives as null are empty.
struct Run {
  std::string variant, description;    ///< "WR11C2R4", in words
  std::string status;                  ///< "passed"; "failed" where there are failures, always
  std::vector<std::string> failures;   ///< see run_failures()
  std::vector<std::string> checksums;  ///< see checksum_lines(); empty where they disagree
  std::string arithmetic = "FP64";     ///< of the tail update
  std::int64_t order = 0, block_size = 0, grid_rows = 0, grid_columns = 0;
  std::int64_t run_index = 0, repeat_index = 0;
  NamedTexts settings;  ///< everything that defines the run, by its name in the file
  std::string started;  ///< UTC, ISO 8601; empty when unknown
  std::optional<double> seconds, gflops, attainable_gflops, gflops_per_watt, scaled_residual;
  std::optional<double> threshold;  ///< of the scaled residual
  std::string attainable_source;    ///< where the attainable rate was seen; empty when unknown
  std::optional<std::int64_t> zero_pivot_column;
  std::optional<EarlyStop> stopped;
  std::optional<Expectation> expected;
  std::optional<Transport> row_transport, column_transport;
  std::vector<double> rank_gflops;  ///< of the matrix products of every rank, while it was at them
  std::vector<double> rank_attainable_gflops;  ///< GFLOP/s of every rank, matrix products alone
  std::vector<PhaseTime> phases;
  std::vector<Step> steps;
  std::vector<Device> devices;
  std::vector<std::string> device_findings, remarks;
  std::optional<RunPower> power;  ///< at least the core phase; empty when it is unknown
  std::optional<double> peak_gflops;
  std::string peak_source;
  nlohmann::ordered_json document;  ///< the run as it stands in the file
};

/// A limit that was set for the job.
struct Gate {
  std::string flag;  ///< "--min-gflops"
  std::string reason;
  bool held = false;
};

/// A quantity that the check before the runs measured in many places.
struct CheckMetric {
  std::string label, unit, group;
  std::int64_t count = 0;
  std::optional<double> minimum, median, maximum;
  std::int64_t worst_rank = 0;
  std::optional<std::int64_t> worst_peer;
};

/// What the check found: a fault, an outlier or a remark.
struct CheckFinding {
  std::string kind;
  std::int64_t rank = 0;
  std::string host, device;
  std::optional<std::int64_t> peer;  ///< the other end of a link
  std::string peer_host;
  std::string what;
};

/// The check before the runs.
/// A figure of the deep form.
struct DeepCheckFigure {
  std::string label, unit, group, bound;
  std::int64_t count = 0;
  std::optional<double> minimum, median, maximum, share, error;
  std::int64_t worst_rank = 0;
};

struct Preflight {
  std::string form;  ///< "short", "full", "deep"
  bool sound = true;
  std::int64_t ranks = 0, nodes = 0;
  std::optional<double> seconds, tolerance;  ///< share of the median
  std::vector<CheckMetric> metrics;
  std::vector<CheckFinding> findings;
  std::vector<DeepCheckFigure> deep;
};

/// What a stage of a product from host memory did, alone and beside the others; empty where it did
/// not take place.
struct ProductStage {
  std::string name;
  std::optional<double> alone_seconds, alone_bandwidth;  ///< bytes/s
  std::optional<double> seconds, bandwidth;
};

/// One way to stream a product through a device.
struct ProductVariant {
  std::string name;
  double seconds = 0, gflops = 0;
  double share_of_kernel = 0, share_of_allowed = 0;
  double fill_seconds = 0, drain_seconds = 0, imbalance = 0;
  double host_share = 0;
  std::optional<double> host_gain;
  std::string remark;
  bool passed = false;
  std::vector<ProductStage> stages;
};

/// A product of matrices in host memory (xhpl-gemm).
struct Product {
  std::int64_t rows = 0, cols = 0, depth = 0;
  double kernel_gflops = 0, allowed_gflops = 0, host_gflops = 0;
  double break_even_depth = 0;
  double in_bandwidth = 0, out_bandwidth = 0;  ///< bytes/s, both directions busy
  std::vector<ProductVariant> variants;
};

/// One trial of a search for the best settings.
struct TuningTrial {
  std::string stage, verdict, reason;
  NamedTexts settings;
  double share = 0;  ///< of the operations of a whole run
  double trial_seconds = 0;
  std::optional<double> gflops, residual;
};
/// A setting that was searched.
struct TunedSetting {
  std::string flag, untuned, best;
};
/// A search for the best settings (xhpl --tune).
struct Tuning {
  std::string machine, method, command;
  std::string fixed_flags;  ///< that all trials have: "--arithmetic emulated"
  std::int64_t ranks = 0, order = 0, trial_order = 0;
  double spent_seconds = 0;
  bool ended = false, out_of_time = false;
  std::optional<double> best_gflops, untuned_gflops;
  std::vector<TunedSetting> settings;
  std::vector<TuningTrial> trials;
};

/// A document that xhpl --json wrote, for runs, a fleet or a check alone.
struct RunFile {
  std::string name;     ///< of the file, as the page shows it
  std::string program;  ///< "xhpl 0.1.0"
  NamedTexts environment;
  std::vector<std::string> remarks;
  std::optional<Preflight> preflight;
  std::vector<Product> products;
  std::optional<Tuning> tuning;
  std::optional<Predictions> predictions;  ///< of a document of xhpl-predict, which has no runs
  std::vector<Run> runs;
  std::vector<Gate> gates;
  std::optional<FleetReport> fleet;
  std::optional<std::int64_t> exit_code;  ///< empty while the job went on
  std::optional<std::string> error;       ///< why the job ended early
  nlohmann::ordered_json document;        ///< as it stands in the file
};

/// Reads a document of docs/schema/run.schema.json, check.schema.json or tune.schema.json. Members
/// that it does not know are passed over, as are those missing that a page can do without. Throws
/// ConfigError with the name, the place in the document, what was found and what is allowed.
RunFile parse_run_file(const std::string& name, std::string_view text);

/// Adds to the document of a job that has not ended the runs that its journal holds beyond it
/// (json_journal.h). Of what a crash left half written, a remark tells. `name` is the journal's.
void add_journal(RunFile& file, const std::string& name, std::string_view text);

/// The same from a file, with its journal, if there is one. Throws ConfigError also when a file
/// cannot be read or is larger than any document.
RunFile read_run_file(const std::string& path);

}  // namespace hpl::page
