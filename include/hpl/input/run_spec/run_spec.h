#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/base/choice/choices.h"
#include "hpl/input/run_spec/mixed_spec.h"

namespace hpl {

class Record;

/// Order of the column sweep inside a panel (HPL.dat PFACT and RFACT: 0, 1, 2).
enum class PanelVariant { Left, Crout, Right };

/// The ways of a factored panel along the process row (HPL.dat BCAST: 0 to 5).
enum class BroadcastVariant { Ring1, Ring1M, Ring2, Ring2M, Long, LongM };

/// The parts of a broadcast variant.
struct BroadcastForm {
  int rings = 1;                  ///< that the message goes round; 0: spread and roll
  bool next_owner_first = false;  ///< the next panel's owner gets its copy first, and alone
};
BroadcastForm form_of(BroadcastVariant variant);

/// The ways of pivot rows along the process column (HPL.dat SWAP: 0, 1, 2).
enum class SwapVariant { BinaryExchange, SpreadRoll, Mix };

/// The order of MPI ranks on the P x Q grid (HPL.dat PMAP: 0, 1).
enum class RankOrder { RowMajor, ColumnMajor };

/// Everything that defines one run: one line of the report's table.
struct RunSpec {
  std::int64_t order = 0;       ///< N
  std::int64_t block_size = 1;  ///< NB
  int grid_rows = 1;            ///< P
  int grid_columns = 1;         ///< Q
  RankOrder rank_order = RankOrder::RowMajor;
  int depth = 1;  ///< look-ahead as asked for; more than kDeepestLookAhead runs as that
  BroadcastVariant broadcast = BroadcastVariant::Ring1M;
  PanelVariant recursive_variant = PanelVariant::Right;  ///< RFACT
  int recursion_divisor = 2;                             ///< NDIV
  PanelVariant panel_variant = PanelVariant::Right;      ///< PFACT
  int recursion_stop = 4;                                ///< NBMIN
  SwapVariant swap = SwapVariant::SpreadRoll;
  std::int64_t swap_threshold = 64;  ///< columns; Mix uses binary exchange up to it
  bool transposed_l1 = true;
  bool transposed_u = true;
  bool equilibrate = true;
  std::int64_t alignment = 8;  ///< leading dimensions are multiples of it, in doubles
  /// By process row and column: how much of the rows and columns it gets, in proportion, see
  /// distribute_blocks(); empty: round-robin.
  std::vector<double> row_weights{}, column_weights{};
  int emulated_moduli = 0;  ///< INT8 products that stand for one of the tail update; 0: FP64
  std::optional<MixedSpec> mixed{};              ///< HPL-MxP, see make_mixed(); empty: HPL
  bool checksums = false;                        ///< rows carry their sums, see StepChecksums
  MatrixRequest matrix = MatrixRequest::Device;  ///< as asked for
  std::optional<std::int64_t> device_memory{};   ///< bytes to use of each device; empty: all free
  double threshold = 16.0;                       ///< of the scaled residual; <= 0: no check
};
/// Without the weights, which belong to one run of it.
void describe(Record& record, RunSpec& spec);

/// `spec` as a run of HPL-MxP. The fields that say how panels are factorized and rows are swapped
/// get the values that its schedule needs.
RunSpec make_mixed(RunSpec spec, const MixedSpec& mixed);

std::string_view to_string(PanelVariant variant);      ///< "left", "Crout", "right"
std::string_view to_string(BroadcastVariant variant);  ///< "1ring", "1ringM", ..., "longM"
std::string_view to_string(SwapVariant variant);
std::string_view to_string(RankOrder order);

/// Steps of the factorization: as many as blocks of rows, and of columns without b.
std::int64_t step_count(const RunSpec& spec);

/// The arithmetic of the tail update's products: "FP64", "FP64 emulated by 14 INT8 products, Ozaki
/// II"; of HPL-MxP its label.
std::string arithmetic_text(const RunSpec& spec);

/// The label that every output gives a run whose arithmetic is not plain FP64; empty: it is.
std::string mode_label(const RunSpec& spec);

/// "N = 20000, NB = 256, 2 x 4".
std::string size_text(const RunSpec& spec);
/// The same with mode_label(), if there is one.
std::string labelled_size_text(const RunSpec& spec);

/// A property in which two runs differ, as each of them has it: "N = 2000", "N = 3000".
struct RunDifference {
  std::string one, other;
};
/// The first difference in any property, the arithmetic before all. Empty: the same run, so that
/// rates may be compared. The distribution of blocks does not count, which follows measured rates.
std::optional<RunDifference> run_difference(const RunSpec& one, const RunSpec& other);

/// The code of a run in the T/V column, e.g. "WR11C2R4". That of an emulated run begins with E,
/// that of HPL-MxP with M: "MR11H16G" has products of FP16 (H; B: BF16, S: FP32), 16 bits of
/// storage and GMRES (P: plain refinement).
std::string variant_code(const RunSpec& spec);

/// The meaning of the letters of variant_code(spec), in one sentence.
std::string describe_variant(const RunSpec& spec);

}  // namespace hpl
