#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hpl/machine/model/rates.h"

namespace hpl {

/// Panels that an accelerator factorizes.
struct PanelSheet {
  double column_seconds = 0;  ///< latency of each column
  double gflops = 0;          ///< rate of rows * NB^2 operations
};

/// The figures of an accelerator by its data sheet, or by a measurement.
struct AcceleratorSheet {
  std::string model;
  std::vector<std::string> devices;  ///< names that the driver gives it; empty: not known
  double peak_gflops = 0;            ///< FP64, the unit that DGEMM uses
  double memory_bytes = 0;           ///< of the accelerator
  double memory_gbytes = 0;          ///< GB/s, read and written
  int ranks = 1;                     ///< processes that share one: its dies
  int multiprocessors = 0;           ///< of the whole, that panels may occupy; 0: unknown
  /// Sustained DGEMM of the whole accelerator at these depths (NB).
  std::vector<double> block_sizes, product_gflops;
  double product_uncertainty = 0.05;  ///< of these rates, as a share: how well they are known
  /// A product whose C has so many elements reaches half of that: half a wave of tiles.
  double half_rate_elements = 2e6;
  std::optional<PanelSheet> panel;  ///< empty: the host factorizes
  double power_watts = 0;           ///< 0: unknown
  double deviation = 0.01;          ///< standard deviation between chips, of the mean
};

/// The host of a node.
struct HostSheet {
  std::string model;
  int cores = 1;
  double product_gflops = 0;  ///< DGEMM of all cores of the node
  double peak_gflops = 0;     ///< of all cores of the node; 0: as product_gflops
  double panel_gflops = 0;    ///< rows * NB^2 operations of a panel, by all cores; 0: unknown
  double memory_bytes = 0;
  double memory_gbytes = 200;
  double power_watts = 0;  ///< of a node without its accelerators; 0: unknown
  int ranks = 1;           ///< processes of a node where there is no accelerator
};

/// A machine as it is described before anybody has measured it: machine.json.
struct MachineSheet {
  std::string name;
  std::optional<AcceleratorSheet> accelerator;
  HostSheet host;
  int accelerators_per_node = 1;
  double in_node_gbytes = 0;  ///< GB/s that an accelerator sends to its neighbours; 0: it is alone
  double in_node_seconds = 3e-6;
  int nics_per_node = 1;
  double nic_gbits = 100;            ///< Gb/s of each
  double nic_seconds = 3e-6;         ///< latency of a message between nodes
  double nic_share = 0.85;           ///< of the line rate that messages reach
  double host_link_gbytes = 50;      ///< GB/s between host and accelerator, each way
  double host_pivot_seconds = 5e-6;  ///< of a panel's column, where hosts agree on the pivot
  int nodes = 1;
  std::vector<std::pair<std::string, std::string>> sources;  ///< of figures, by their names

  int ranks_per_node() const;
};

void describe(Record& record, PanelSheet& panel);
void describe(Record& record, AcceleratorSheet& sheet);
void describe(Record& record, HostSheet& sheet);
/// The document of docs/schema/machine.schema.json.
void describe(Record& record, MachineSheet& sheet);

/// Throws ConfigError: file, place, what was found, what is allowed.
MachineSheet parse_machine_sheet(const std::string& name, std::string_view text);

/// The rates of such a machine.
Rates rates_of(const MachineSheet& sheet);

/// Rates, or a data sheet as rates.
struct MachineFile {
  Rates rates;
  std::optional<MachineSheet> sheet;
};
/// `path` names a file, or a sheet of config/machines: "h200". Throws ConfigError.
MachineFile read_machine_file(const std::string& path);

/// The expected distance of the slowest of `count` chips below the mean, as a share of it, if one
/// standard deviation is `deviation`. Pure.
double slowest_of(int count, double deviation);

/// The data sheets of config/machines, which are part of the program.
std::vector<MachineSheet> known_machines();
/// Their names in the same order.
std::vector<std::string> known_machine_names();

/// The sheet of a device by the name that its driver gives it: "NVIDIA H200". Empty: no sheet names
/// it.
std::optional<MachineSheet> sheet_of_device(std::string_view device);

}  // namespace hpl
