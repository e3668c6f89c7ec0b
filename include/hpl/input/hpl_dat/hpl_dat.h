#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/base/result/remark.h"
#include "hpl/input/run_spec/run_spec.h"

namespace hpl {

/// The destinations of the report in HPL.dat's line 4.
enum class OutputDevice { Stdout, Stderr, File };

/// The 31 lines of an HPL.dat as values; the lists are not yet crossed into runs (plan.h).
struct HplDat {
  std::string output_file = "HPL.out";
  OutputDevice output_device = OutputDevice::Stdout;
  std::vector<std::int64_t> orders;       ///< N, each 0 to kLargestOrder
  std::vector<std::int64_t> block_sizes;  ///< NB, each at least 1
  RankOrder rank_order = RankOrder::RowMajor;
  std::vector<int>
      grid_rows;  ///< P, as many as grid_columns: grid g is grid_rows[g] x grid_columns[g]
  std::vector<int> grid_columns;                 ///< Q
  double threshold = 16.0;                       ///< of the scaled residual; <= 0: no check is made
  std::vector<PanelVariant> panel_variants;      ///< PFACT
  std::vector<int> recursion_stops;              ///< NBMIN, columns
  std::vector<int> recursion_divisors;           ///< NDIV
  std::vector<PanelVariant> recursive_variants;  ///< RFACT
  std::vector<BroadcastVariant> broadcasts;      ///< BCAST
  std::vector<int> depths;                       ///< DEPTH as asked for
  SwapVariant swap = SwapVariant::SpreadRoll;
  std::int64_t swap_threshold = 64;  ///< columns
  bool transposed_l1 = true;
  bool transposed_u = true;
  bool equilibrate = true;
  std::int64_t alignment = 8;  ///< doubles

  /// The place of the output file's name, for messages: "HPL.dat line 3" or "--output".
  std::string output_origin = "--output";
  /// The place of the grids, for messages: "HPL.dat lines 11 and 12" or "-P and -Q".
  std::string grid_origin = "-P and -Q";
  /// Values used in place of those in the file, a sentence each, with line, field and text found.
  std::vector<Remark> remarks;
  /// Choices for lists that were not given: N, NB, P x Q.
  std::vector<Decision> chosen;

  friend bool operator==(const HplDat&, const HplDat&) = default;
};

/// Reads the text of an HPL.dat. Fields are separated by any run of blanks and tabs, values of a
/// list also by commas; line ends may be LF, CRLF or CR; what follows the leading fields of a line
/// is comment, lines past 31 are ignored. Numbers that netlib HPL replaces by a default are
/// replaced here too, with a remark. `file_name` appears in messages only. Throws ConfigError with
/// file name, line, field, text found and what is allowed.
HplDat parse_hpl_dat(std::string_view text, std::string_view file_name);

/// Settings for runs that are given by flags or chosen by --auto, without a file. The lists of N, P
/// and Q are empty: the flags or the machine fill them.
HplDat default_hpl_dat();

/// The name that starts every message about a file: as it is, or quoted where it would garble the
/// terminal.
std::string shown_name(const std::filesystem::path& path);

/// The text of a file. Throws ConfigError when it is missing, unreadable, no file, or larger than
/// any HPL.dat.
std::string read_hpl_dat_text(const std::filesystem::path& path);

/// parse_hpl_dat of a file. Throws ConfigError also when the file is missing, unreadable, no file,
/// or larger than any HPL.dat.
HplDat read_hpl_dat(const std::filesystem::path& path);

/// An HPL.dat, with comments, from which parse_hpl_dat makes the same values (without the remarks).
/// Every list must hold a value. Throws ConfigError when the output file's name holds blanks.
std::string write_hpl_dat(const HplDat& dat);

/// A line on which two files ask for different things.
struct HplDatDifference {
  int line = 0;
  std::string field;       ///< "Ns", "PMAP", ...
  std::string one, other;  ///< the text of each
};
/// The first of these lines; empty where both ask for the same. Every list must hold a value.
std::optional<HplDatDifference> first_difference(const HplDat& one, const HplDat& other);

}  // namespace hpl
