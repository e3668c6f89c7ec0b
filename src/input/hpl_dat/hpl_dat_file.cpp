#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/input/run_spec/field_rules.h"

namespace hpl {
namespace {

/// Far above any HPL.dat (HPCC's input is 4 kB), far below what would hurt: a stray --dat names a
/// core file.
constexpr std::size_t kLargestFile = std::size_t{1} << 20;

std::string_view hint(int error) {
  return error == ENOENT ? "; give the sizes with -N, --NB, -P and -Q, let --auto choose them, or "
                           "copy HPL.dat.example"
                         : "";
}

}  // namespace

std::string shown_name(const std::filesystem::path& path) {
  const auto name = path.filename().string();
  const auto quote = quote_printable(name);
  return quote == '"' + name + '"' ? name : quote;
}

namespace {

template <class Table, class Value>
std::vector<std::size_t> numbers_of(const Table& table, const std::vector<Value>& values) {
  std::vector<std::size_t> numbers;
  for (const auto value : values)
    numbers.push_back(number_of(table, value));
  return numbers;
}

/// "SWAP (0=binary-exchange, 1=spread-roll, 2=mix)".
template <class Table>
std::string comment(std::string_view field, const Table& table) {
  return fmt::format("{} ({})", field, numbered_choices(table));
}

/// A line of the file that means something.
struct Line {
  std::string value;
  std::string comment;
};

class LineList {
 public:
  void text(std::string value, std::string_view comment) {
    lines_.push_back({std::move(value), std::string(comment)});
  }
  template <class Value>
  void number(Value value, std::string_view comment) {
    text(fmt::format("{}", value), comment);
  }
  template <class Value>
  void values(const std::vector<Value>& list, std::string_view comment) {
    HPL_ASSERT(!list.empty());
    text(fmt::format("{}", fmt::join(list, " ")), comment);
  }
  template <class Value>
  void counted(const std::vector<Value>& list, std::string_view count_comment,
               std::string_view comment) {
    number(list.size(), count_comment);
    values(list, comment);
  }
  std::vector<Line> take() { return std::move(lines_); }

 private:
  std::vector<Line> lines_;
};

int device_number(OutputDevice device) {
  switch (device) {
    case OutputDevice::Stdout:
      return 6;
    case OutputDevice::Stderr:
      return 7;
    case OutputDevice::File:
      return 8;
  }
  HPL_ASSERT(false && "a value outside its enumeration");
}

/// The lines from the third on: the first two are headings.
constexpr int kFirstLine = 3;

std::vector<Line> lines_of(const HplDat& dat) {
  HPL_ASSERT(dat.grid_rows.size() == dat.grid_columns.size());
  LineList out;
  out.text(dat.output_file, "output file name (if any)");
  out.number(device_number(dat.output_device), "device out (6=stdout, 7=stderr, else the file)");
  out.counted(dat.orders, "# of problem sizes", "Ns");
  out.counted(dat.block_sizes, "# of block sizes", "NBs");
  out.number(number_of(kRankOrders, dat.rank_order), comment("PMAP", kRankOrders));
  out.counted(dat.grid_rows, "# of process grids", "Ps");
  out.values(dat.grid_columns, "Qs");
  out.number(dat.threshold, "threshold (<= 0: no check)");
  out.counted(numbers_of(kPanelVariants, dat.panel_variants), "# of panel factorizations",
              comment("PFACTs", kPanelVariants));
  out.counted(dat.recursion_stops, "# of recursive stopping criteria", "NBMINs (>= 1)");
  out.counted(dat.recursion_divisors, "# of panels in recursion", "NDIVs (>= 2)");
  out.counted(numbers_of(kPanelVariants, dat.recursive_variants), "# of recursive panel variants",
              comment("RFACTs", kPanelVariants));
  out.counted(numbers_of(kBroadcastVariants, dat.broadcasts), "# of broadcasts",
              comment("BCASTs", kBroadcastVariants));
  out.counted(dat.depths, "# of look-ahead depths", "DEPTHs (>= 0)");
  out.number(number_of(kSwapVariants, dat.swap), comment("SWAP", kSwapVariants));
  out.number(dat.swap_threshold, "swapping threshold (columns)");
  out.number(number_of(kStorages, dat.transposed_l1), comment("L1", kStorages));
  out.number(number_of(kStorages, dat.transposed_u), comment("U", kStorages));
  out.number(number_of(kSwitches, dat.equilibrate), comment("equilibration", kSwitches));
  out.number(dat.alignment, "memory alignment in doubles (> 0)");
  return out.take();
}

}  // namespace

std::string read_hpl_dat_text(const std::filesystem::path& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) {
    throw ConfigError(
        fmt::format("{} is a directory, an HPL.dat is expected", quote_printable(path.string())));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const int error = errno;
    throw ConfigError(fmt::format("cannot read {}: {}{}", quote_printable(path.string()),
                                  error != 0 ? std::strerror(error) : "open failed", hint(error)));
  }
  std::string text(kLargestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad())
    throw ConfigError(fmt::format("cannot read {}: input error", quote_printable(path.string())));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLargestFile) {
    throw ConfigError(fmt::format("{} is not an HPL.dat: it is larger than {} bytes",
                                  quote_printable(path.string()), kLargestFile));
  }
  return text;
}

HplDat read_hpl_dat(const std::filesystem::path& path) {
  return parse_hpl_dat(read_hpl_dat_text(path), shown_name(path));
}

HplDat default_hpl_dat() {
  const RunSpec usual;
  HplDat dat;
  dat.block_sizes = {192};
  dat.panel_variants = {usual.panel_variant};
  dat.recursion_stops = {usual.recursion_stop};
  dat.recursion_divisors = {usual.recursion_divisor};
  dat.recursive_variants = {usual.recursive_variant};
  dat.broadcasts = {BroadcastVariant::Ring1M};
  dat.depths = {1};
  return dat;
}

std::string write_hpl_dat(const HplDat& dat) {
  if (dat.output_file.empty() ||
      dat.output_file.find_first_of(" \t\v\f\r\n") != std::string::npos) {
    throw ConfigError(fmt::format("{}: output file name must be one word, found {}",
                                  dat.output_origin, quote_printable(dat.output_file)));
  }
  std::string text = "HPLinpack benchmark input file\nWritten by xhpl\n";
  for (const Line& line : lines_of(dat))
    text += fmt::format("{:<15} {}\n", line.value, line.comment);
  return text;
}

std::optional<HplDatDifference> first_difference(const HplDat& one, const HplDat& other) {
  const std::vector<Line> a = lines_of(one), b = lines_of(other);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].value == b[i].value) continue;
    const std::string name = a[i].comment.substr(0, a[i].comment.find(" ("));
    return HplDatDifference{kFirstLine + static_cast<int>(i), name, a[i].value, b[i].value};
  }
  return std::nullopt;
}

}  // namespace hpl
