#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/input/hpl_dat/hpl_dat_fields.h"
#include "hpl/input/run_spec/field_rules.h"

namespace hpl {
namespace {

/// Far above any HPL.dat (HPCC's input is 4 kB), far below what would hurt: a stray --dat names a
/// core file.
constexpr std::size_t kLargestFile = std::size_t{1} << 20;

std::string_view hint(int error) {
  return error == ENOENT ? "; xhpl plan --auto -o HPL.dat writes such a file" : "";
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

/// "SWAP (0=binary-exchange, 1=spread-roll, 2=mix)"; of a list "Ns (0 to 1000000000)".
std::string comment_of(const HplDatField& field) {
  return fmt::format("{}{} ({})", field.name, field.count_line > 0 ? "s" : "", allowed_text(field));
}

/// A line of the file that means something.
struct Line {
  std::string value;
  std::string comment;
};

class LineList {
 public:
  /// The value of the field with that name.
  template <class Value>
  void value(const Value& value, std::string_view name) {
    lines_.push_back({fmt::format("{}", value), comment_of(hpl_dat_field(name))});
  }
  template <class Value>
  void values(const std::vector<Value>& list, std::string_view name) {
    HPL_ASSERT(!list.empty());
    value(fmt::format("{}", fmt::join(list, " ")), name);
  }
  template <class Value>
  void counted(const std::vector<Value>& list, std::string_view name) {
    lines_.push_back({fmt::format("{}", list.size()), fmt::format("# of {}s", name)});
    values(list, name);
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
  out.value(dat.output_file, "output file name");
  out.value(device_number(dat.output_device), "device out");
  out.counted(dat.orders, "N");
  out.counted(dat.block_sizes, "NB");
  out.value(number_of(kRankOrders, dat.rank_order), "PMAP");
  out.counted(dat.grid_rows, "P");
  out.values(dat.grid_columns, "Q");
  out.value(dat.threshold, "threshold");
  out.counted(numbers_of(kPanelVariants, dat.panel_variants), "PFACT");
  out.counted(dat.recursion_stops, "NBMIN");
  out.counted(dat.recursion_divisors, "NDIV");
  out.counted(numbers_of(kPanelVariants, dat.recursive_variants), "RFACT");
  out.counted(numbers_of(kBroadcastVariants, dat.broadcasts), "BCAST");
  out.counted(dat.depths, "DEPTH");
  out.value(number_of(kSwapVariants, dat.swap), "SWAP");
  out.value(dat.swap_threshold, "swapping threshold");
  out.value(number_of(kStorages, dat.transposed_l1), "L1");
  out.value(number_of(kStorages, dat.transposed_u), "U");
  out.value(number_of(kSwitches, dat.equilibrate), "equilibration");
  out.value(dat.alignment, "alignment");
  return out.take();
}

}  // namespace

std::string read_hpl_dat_text(const std::filesystem::path& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) {
    throw ConfigError("{} is a directory, an HPL.dat is expected", quote_printable(path.string()));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const int error = errno;
    throw ConfigError("cannot read {}: {}{}", quote_printable(path.string()),
                      error != 0 ? std::strerror(error) : "open failed", hint(error));
  }
  std::string text(kLargestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) throw ConfigError("cannot read {}: input error", quote_printable(path.string()));
  text.resize(file.gcount());
  if (text.size() > kLargestFile) {
    throw ConfigError("{} is not an HPL.dat: it is larger than {} bytes",
                      quote_printable(path.string()), kLargestFile);
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
    throw ConfigError("{}: output file name must be one word, found {}", dat.output_origin,
                      quote_printable(dat.output_file));
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
