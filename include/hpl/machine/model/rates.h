#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/choice/choices.h"
#include "hpl/base/record/program_info.h"
#include "hpl/input/run_spec/mixed_spec.h"
#include "hpl/machine/model/rate_table.h"

namespace hpl {

/// The shares of their rates that a panel and products beside each other keep.
struct PanelShares {
  double product = 1, panel = 1;

  bool operator==(const PanelShares&) const = default;
};

/// The time of a panel's factorization.
struct PanelRates {
  RateTable seconds;  ///< of one process, over (local rows, NB)
  /// Seconds that a column takes longer where several processes agree on its pivot, over the number
  /// of processes.
  RateTable pivot_seconds;
  /// The share that is left of the product's rate beside it, and of its own beside products.
  double product_beside = 1, beside_product = 1;
  /// The same two over (local rows, NB); empty: they hold for panels of any size.
  RateTable product_beside_by_size, beside_product_by_size;

  /// Of a panel of any size. Beyond the table time goes on in proportion to rows and to narrow
  /// widths, and over wide ones as it grows between the last two.
  double seconds_for(double rows, double width) const;
  PanelShares shares(double rows, double width) const;
  bool operator==(const PanelRates&) const = default;
};

/// Between whom a link is.
enum class Neighbours { Any, Row, Column };
enum class LinkPlace { InNode, BetweenNodes };
inline constexpr std::array<Choice<Neighbours>, 3> kNeighbours{
    {{Neighbours::Any, "any"}, {Neighbours::Row, "row"}, {Neighbours::Column, "column"}}};
inline constexpr std::array<Choice<LinkPlace>, 2> kLinkPlaces{
    {{LinkPlace::InNode, "in_node"}, {LinkPlace::BetweenNodes, "between_nodes"}}};

/// A message between two neighbours, all ranks sending at the same time.
struct LinkRates {
  Neighbours neighbours = Neighbours::Any;
  LinkPlace place = LinkPlace::InNode;
  std::string transport;  ///< "mpi-host", "mpi-device", "nccl", "peer"
  RateTable seconds;      ///< over bytes
  /// Likewise, where the neighbour sends nothing meanwhile; empty: as long.
  RateTable seconds_alone;

  /// Beyond the longest message that was measured the bandwidth counts at which the last two
  /// differ.
  double seconds_for(double bytes) const;
  /// Likewise, while the neighbour sends `back` bytes, as many at most.
  double seconds_for(double bytes, double back) const;
  bool operator==(const LinkRates&) const = default;
};

/// GB/s of copies between the host's and the device's memory.
struct CopyRates {
  double host_to_device_gbytes = 0, device_to_host_gbytes = 0;
  /// While both directions are busy.
  double host_to_device_both_gbytes = 0, device_to_host_both_gbytes = 0;

  bool operator==(const CopyRates&) const = default;
};

/// The share of a rate that is left while something else runs.
struct SharedRates {
  double product_beside_swap = 1;      ///< of the product's, while rows are copied and exchanged
  double product_beside_solve = 0;     ///< of the product's: the solve is products itself
  double product_beside_messages = 1;  ///< of the product's, while a panel travels
  double swap_beside_product = 1;      ///< of the rate at which rows are copied
  double solve_beside_product = 1;     ///< of the rate at which U is solved for
  /// Of the product's, while messages of an exchange of rows travel; empty: as beside row copies.
  std::optional<double> product_beside_exchange;
  /// The share of messages along the process row, while rows are exchanged along the column.
  double broadcast_beside_exchange = 1;
  double exchange_beside_broadcast = 1;  ///< and the other way round

  bool operator==(const SharedRates&) const = default;
};

/// After a pause a device draws more than its power cap for a while: products are faster by a share
/// of their rate, for so many seconds.
struct Boost {
  double gain = 0, seconds = 0;

  /// The time that products of `products` seconds save by it.
  double saved(double products) const { return gain * std::min(seconds, products / (1 + gain)); }
  bool operator==(const Boost&) const = default;
};

/// HPL-MxP, if the rates are those of its operations, and what its refinement takes.
struct MixedRates {
  MixedSpec spec;      ///< of the runs for which they hold
  int iterations = 4;  ///< of the refinement
  /// 1e9 elements a second of a solution by the factors of one rank, over (N, NB).
  RateTable factor_gelements;
  double matrix_gelements = 1;  ///< of a product by A, which is made anew

  bool operator==(const MixedRates&) const = default;
};

/// The rates of a machine, rank by rank: all that the performance model knows of it. From
/// measurements (`xhpl rates`) or from data sheets (MachineSheet).
struct Rates {
  ProgramInfo program = {};  ///< that measured them
  std::string origin;        ///< "measured", "data sheet"
  std::string machine;       ///< for people
  ProcessorKind kind = ProcessorKind::Cpu;
  int ranks = 1;  ///< that were measured together
  int ranks_per_node = 1;
  int threads = 1;  ///< compute threads of a rank on the host

  std::vector<std::string> disturbances{};  ///< parts measured twice and disturbed, with reasons
  std::optional<MixedRates> mixed;          ///< empty: rates of HPL

  int multiprocessors = 0;             ///< of a rank's device, for its panels; 0: unknown
  std::optional<double> peak_gflops;   ///< of a rank: its share of Rpeak
  std::optional<double> memory_bytes;  ///< that a rank may take, where the matrix lies
  std::optional<double> power_watts;   ///< of a rank under load, its share of the node included

  /// DGEMM of a rank's cores where the matrix is on a device; empty: unknown, or the cores' own.
  std::optional<double> host_gflops;
  RateTable product_gflops;  ///< C -= A B over (m, n, k)
  /// The share of it that products keep if NB is no multiple of 16, over the largest power of two
  /// that divides NB; empty: all.
  RateTable uneven_product_share;
  std::optional<PanelRates> device_panel, host_panel;
  /// Of a device whose panel takes only some of its multiprocessors while at least so many columns
  /// are updated beside it.
  std::optional<PanelRates> narrow_panel;
  double narrow_panel_columns = 0;
  RateTable solve_gflops;     ///< U12 := L11^-1 U over (columns, NB), NB^2 operations a column
  RateTable inverse_seconds;  ///< of L11, over NB; empty: as fast as the solve
  /// Of gathered or scattered rows, over the columns of the chunk; empty: HPL-MxP moves none.
  RateTable row_copy_gbytes;
  /// Of a copy within the memory of the matrix, read and written; of HPL-MxP from one of its
  /// formats to the other.
  double memory_gbytes = 0;
  std::vector<LinkRates> links;
  std::optional<CopyRates> copies;  ///< empty: the device's memory is the host's
  SharedRates shared;
  Boost boost;
  /// The product's rate by rank, as a share of the table's; empty: all alike.
  std::vector<double> rank_speeds;
  /// The distance of ranks that have each made a second of work on average: the standard deviation,
  /// in seconds; that of t seconds is sqrt(t) times as large.
  double second_deviation = 0;
  /// Of a chip that nobody has measured: how far one that is one standard deviation below the mean
  /// is below it.
  double chip_deviation = 0;
  /// Of the host, a pivot: it makes the plan by which rows are exchanged.
  double plan_seconds = 1e-6;
  double task_seconds = 0;  ///< that each task takes beside its work

  /// In a run of this NB.
  double product_share(std::int64_t block_size) const;
  /// For an NB that is a multiple of 16.
  double product_seconds(double m, double n, double k) const;
  /// Of `neighbours` there, or of any; null where there are none.
  const LinkRates* link(Neighbours neighbours, LinkPlace place) const;

  bool operator==(const Rates&) const = default;
};

void describe(Record& record, PanelRates& panel);
void describe(Record& record, LinkRates& link);
void describe(Record& record, CopyRates& copies);
void describe(Record& record, SharedRates& shared);
void describe(Record& record, MixedRates& mixed);
/// The document of docs/schema/rates.schema.json.
void describe(Record& record, Rates& rates);

/// Throws ConfigError: file, place, what was found, what is allowed.
Rates parse_rates(const std::string& name, std::string_view text);

}  // namespace hpl
