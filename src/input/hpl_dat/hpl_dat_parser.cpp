#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/input/hpl_dat/hpl_dat_fields.h"
#include "hpl/input/run_spec/field_rules.h"

namespace hpl {
namespace {

/// The lines of an HPL.dat, cut into fields on demand. Borrows the text.
class HplDatLines {
 public:
  /// Throws ConfigError when the text is not plain text.
  HplDatLines(std::string_view text, std::string_view file_name);

  /// "HPL.dat line 8: NB", the start of every message about a line.
  std::string subject(const HplDatField& field) const;

  /// The first word of a line. Throws ConfigError when the file ends before or the line is blank.
  std::string_view word(const HplDatField& field) const;

  /// The first word of a line without a comma behind it: a single number.
  std::string_view scalar(const HplDatField& field) const;

  /// The leading values of a list.
  struct List {
    std::vector<std::string_view> values;
    /// The last value and what a comma ties to it, as in "100,000"; empty when nothing is tied to
    /// it.
    std::string_view tied_text;
    /// A whole number behind the values; empty if another word or nothing follows.
    std::string_view surplus;
  };

  /// The first `count` values of a line, separated by blanks or commas; fewer where the line ends
  /// before.
  List list(const HplDatField& field, std::size_t count) const;

  const std::string& file_name() const { return file_name_; }

  std::string_view line_text(const HplDatField& field) const;
  /// The line behind those that mean something; empty if there is none.
  std::string_view line_behind() const { return behind_; }

 private:
  /// Throws ConfigError when a value holds what looks like a blank or a comma and is none.
  std::string_view require_plain(const HplDatField& field, std::string_view value) const;

  std::string file_name_;
  std::vector<std::string_view> lines_;
  std::string_view behind_;
};

/// Characters that editors and web pages put in place of ASCII.
struct Disguise {
  std::string_view bytes, name, instead;
};
constexpr std::array kDisguises{
    Disguise{"\xC2\xA0", "a no-break space (U+00A0)", "blank"},
    Disguise{"\xE2\x80\xAF", "a narrow no-break space (U+202F)", "blank"},
    Disguise{"\xE3\x80\x80", "an ideographic space (U+3000)", "blank"},
    Disguise{"\xEF\xBC\x8C", "a full-width comma (U+FF0C)", "comma"},
};

constexpr std::string_view kBlanks = " \t\v\f";
constexpr std::string_view kListSeparators = " \t\v\f,";
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

std::string_view next_field(std::string_view& rest, std::string_view separators) {
  const auto begin = rest.find_first_not_of(separators);
  if (begin == std::string_view::npos) return {};
  rest.remove_prefix(begin);
  const auto field = rest.substr(0, rest.find_first_of(separators));
  rest.remove_prefix(field.size());
  return field;
}

/// One more than the lines that mean something, if the file has it.
std::vector<std::string_view> lines_of(std::string_view text) {
  // Files of old Macs end lines with CR alone; a CR in a file that has LF belongs to the line end.
  const char line_end = text.find('\n') == std::string_view::npos ? '\r' : '\n';
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() <= static_cast<std::size_t>(kHplDatLines)) {
    const auto length = text.find(line_end);
    std::string_view line = text.substr(0, length);
    text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
    while (!line.empty() && line.back() == '\r')
      line.remove_suffix(1);
    lines.push_back(line);
  }
  return lines;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\v' && c != '\f') || byte == 0x7f;
}

HplDatLines::HplDatLines(std::string_view text, std::string_view file_name)
    : file_name_(file_name) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw ConfigError("{} line 1: the file is UTF-16; it must be plain text (ASCII or UTF-8)",
                      file_name_);
  }
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  lines_ = lines_of(text);
  if (lines_.size() > static_cast<std::size_t>(kHplDatLines)) {
    behind_ = lines_.back();
    lines_.pop_back();
  }
  if (!lines_.empty() && lines_.front().starts_with("```"))
    throw ConfigError("{} line 1: the file must begin with two headings, found the fence {}",
                      file_name_, quote_printable(lines_.front()));
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    for (const char c : lines_[i]) {
      if (is_control(c)) {
        throw ConfigError("{} line {}: the file must be plain text, found the byte 0x{:02X} in {}",
                          file_name_, i + 1, static_cast<unsigned char>(c),
                          quote_printable(lines_[i]));
      }
    }
  }
}

std::string HplDatLines::subject(const HplDatField& field) const {
  return fmt::format("{} line {}: {}", file_name_, field.line, field.name);
}

std::string_view HplDatLines::line_text(const HplDatField& field) const {
  const auto index = static_cast<std::size_t>(field.line - 1);
  if (index >= lines_.size()) {
    throw ConfigError("{} is missing, the file ends after line {}; HPL.dat has {} lines",
                      subject(field), lines_.size(), kHplDatLines);
  }
  return lines_[index];
}

std::string_view HplDatLines::word(const HplDatField& field) const {
  std::string_view rest = line_text(field);
  const auto found = next_field(rest, kBlanks);
  if (found.empty()) {
    throw ConfigError("{} is missing, found a blank line", subject(field));
  }
  return found;
}

std::string_view HplDatLines::require_plain(const HplDatField& field,
                                            std::string_view value) const {
  for (const Disguise& disguise : kDisguises)
    if (value.find(disguise.bytes) != std::string_view::npos)
      throw ConfigError("{} has {} in place of a {}, found {}", subject(field), disguise.name,
                        disguise.instead, quote_printable(value));
  return value;
}

std::string_view HplDatLines::scalar(const HplDatField& field) const {
  auto found = require_plain(field, word(field));
  if (found.size() > 1 && found.back() == ',') found.remove_suffix(1);
  return found;
}

HplDatLines::List HplDatLines::list(const HplDatField& field, std::size_t count) const {
  std::string_view rest = line_text(field);
  List result;
  while (result.values.size() < count) {
    const auto value = next_field(rest, kListSeparators);
    if (value.empty()) return result;
    result.values.push_back(require_plain(field, value));
  }
  if (rest.size() > 1 && rest[0] == ',' && rest[1] >= '0' && rest[1] <= '9') {
    const char* const begin = result.values.back().data();
    const auto tail = rest.substr(0, rest.find_first_of(kBlanks));
    result.tied_text = std::string_view(begin, result.values.back().size() + tail.size());
  } else if (const auto next = next_field(rest, kListSeparators); parse_integer(next)) {
    result.surplus = next;
  }
  return result;
}

constexpr IntegerRange kCountRange{1, std::numeric_limits<std::int32_t>::max()};

class Parser {
 public:
  Parser(std::string_view text, std::string_view file_name) : lines_(text, file_name) {}

  HplDat parse();

 private:
  std::size_t count(const HplDatField& of, std::string_view values) {
    const auto name = fmt::format("the number of {} values", values);
    const HplDatField field{.line = of.count_line, .name = name};
    return static_cast<std::size_t>(
        require_integer(lines_.subject(field), lines_.scalar(field), kCountRange));
  }

  /// A value and its place in its list.
  struct Item {
    std::string_view text;
    std::size_t index = 0;
    std::size_t count = 1;
  };

  /// A word amid the values is most often the comment, reached because the count is too large.
  static std::string note(const HplDatField& field, const Item& item) {
    if (item.index == 0) return {};
    return fmt::format(" (value {} of the {} that line {} asks for)", item.index + 1, item.count,
                       field.count_line);
  }

  /// Reads `values` values with `read(item)`. Values are judged from the left, so a wrong one is
  /// named before a missing one.
  template <class Read>
  auto read_list(const HplDatField& field, std::size_t values, Read read) {
    const auto list = lines_.list(field, values);
    std::vector<decltype(read(Item{}))> result;
    for (const auto text : list.values)
      result.push_back(read(Item{text, result.size(), values}));
    if (result.size() < values) {
      throw ConfigError("{} must have {} value{} as line {} says, found {}", lines_.subject(field),
                        values, values == 1 ? "" : "s", field.count_line, result.size());
    }
    if (!list.tied_text.empty()) {
      remark(field, fmt::format("{} is read as {}, what follows the comma in {} as comment",
                                lines_.subject(field), list.values.back(),
                                quote_printable(list.tied_text)));
    }
    if (!list.surplus.empty())
      remark(field,
             fmt::format("{} has more values than line {} says: {} and what follows is "
                         "not used",
                         lines_.subject(field), field.count_line, quote_printable(list.surplus)));
    return result;
  }

  template <class Integer>
  std::vector<Integer> integers(const HplDatField& field, std::size_t values) {
    const auto subject = lines_.subject(field);
    return read_list(field, values, [&](const Item& item) {
      return static_cast<Integer>(
          require_integer(subject, item.text, *field.range, note(field, item)));
    });
  }

  template <class Integer>
  std::vector<Integer> counted_integers(std::string_view name) {
    const HplDatField& field = hpl_dat_field(name);
    return integers<Integer>(field, count(field, name));
  }

  /// The choice that the text numbers; any other whole number is read as the field says, with a
  /// remark.
  template <class Table>
  ChoiceValue<Table> choice(const HplDatField& field, const Item& item, const Table& choices) {
    const auto number = parse_integer(item.text);
    if (!number) {
      throw ConfigError("{} must be {}, found {}{}", lines_.subject(field),
                        allowed_choices(choices, ChoiceNumbers::Accepted),
                        quote_printable(item.text), note(field, item));
    }
    if (const auto value = choice_by_number(choices, *number)) return *value;
    const auto otherwise = static_cast<std::size_t>(*field.otherwise);
    remark(field, fmt::format("{} should be {}, found {}: {} ({}) is used", lines_.subject(field),
                              allowed_choices(choices, ChoiceNumbers::Accepted),
                              quote_printable(item.text), otherwise, choices[otherwise].name));
    return choices[otherwise].value;
  }

  template <class Table>
  ChoiceValue<Table> scalar_choice(std::string_view name, const Table& table) {
    const HplDatField& field = hpl_dat_field(name);
    return choice(field, Item{lines_.scalar(field)}, table);
  }

  template <class Table>
  std::vector<ChoiceValue<Table>> choices(std::string_view name, const Table& table) {
    const HplDatField& field = hpl_dat_field(name);
    return read_list(field, count(field, name),
                     [&](const Item& item) { return choice(field, item, table); });
  }

  /// A number for which netlib HPL puts another one if it is below the range.
  std::int64_t raised(std::string_view name) {
    const HplDatField& field = hpl_dat_field(name);
    const auto text = lines_.scalar(field);
    const auto subject = lines_.subject(field);
    const auto value = parse_integer(text);
    if (value && *value < field.range->least) {
      remark(field, fmt::format("{} should be at least {}, found {}: {} is used", subject,
                                field.range->least, quote_printable(text), *field.otherwise));
      return *field.otherwise;
    }
    return require_integer(subject, text, *field.range);
  }

  void remark(const HplDatField& field, std::string text) {
    remarks_.push_back(warning(std::string(field.name), std::move(text)));
  }

  OutputDevice output_device();
  double threshold();
  bool transposed_u();

  HplDatLines lines_;
  std::vector<Remark> remarks_;
};

OutputDevice Parser::output_device() {
  const HplDatField& field = hpl_dat_field("device out");
  const auto text = lines_.scalar(field);
  // The words of the comment that all such files have.
  constexpr std::array<Choice<OutputDevice>, 3> kWords{{{OutputDevice::Stdout, "stdout"},
                                                        {OutputDevice::Stderr, "stderr"},
                                                        {OutputDevice::File, "file"}}};
  for (const Choice<OutputDevice>& choice : kWords)
    if (text == choice.name) return choice.value;
  const auto number = parse_integer(text);
  if (!number) {
    throw ConfigError("{} must be 6 (stdout), 7 (stderr) or another number (the file), found {}",
                      lines_.subject(field), quote_printable(text));
  }
  if (*number == 6) return OutputDevice::Stdout;
  return *number == 7 ? OutputDevice::Stderr : OutputDevice::File;
}

double Parser::threshold() {
  const HplDatField& field = hpl_dat_field("threshold");
  const auto text = lines_.scalar(field);
  const auto value = parse_real(text);
  if (!value) {
    throw ConfigError("{} must be a real number such as 16.0, found {}", lines_.subject(field),
                      quote_printable(text));
  }
  return *value;
}

/// AMD's HPL has the order of A in this place: ATRANS.
bool Parser::transposed_u() {
  const HplDatField& field = hpl_dat_field("U");
  if (lines_.line_text(field).find("ATRANS") == std::string_view::npos)
    return scalar_choice("U", kStorages);
  remark(field, fmt::format("{} stands where AMD's HPL has ATRANS, which has no effect here: 0 "
                            "(transposed) is used",
                            lines_.subject(field)));
  return true;
}

HplDat Parser::parse() {
  HplDat dat;
  dat.output_file = lines_.word(hpl_dat_field("output file name"));
  dat.output_origin = fmt::format("{} line 3", lines_.file_name());
  dat.output_device = output_device();
  dat.orders = counted_integers<std::int64_t>("N");
  dat.block_sizes = counted_integers<std::int64_t>("NB");
  dat.rank_order = scalar_choice("PMAP", kRankOrders);
  const auto grids = count(hpl_dat_field("P"), "P and Q");
  dat.grid_rows = integers<int>(hpl_dat_field("P"), grids);
  dat.grid_columns = integers<int>(hpl_dat_field("Q"), grids);
  dat.grid_origin = fmt::format("{} lines 11 and 12", lines_.file_name());
  dat.threshold = threshold();
  dat.panel_variants = choices("PFACT", kPanelVariants);
  dat.recursion_stops = counted_integers<int>("NBMIN");
  dat.recursion_divisors = counted_integers<int>("NDIV");
  dat.recursive_variants = choices("RFACT", kPanelVariants);
  dat.broadcasts = choices("BCAST", kBroadcastVariants);
  dat.depths = counted_integers<int>("DEPTH");
  dat.swap = scalar_choice("SWAP", kSwapVariants);
  dat.swap_threshold = raised("swapping threshold");
  dat.transposed_l1 = scalar_choice("L1", kStorages);
  dat.transposed_u = transposed_u();
  dat.equilibrate = scalar_choice("equilibration", kSwitches);
  dat.alignment = raised("alignment");
  if (lines_.line_behind().find("MXSWP") != std::string_view::npos)
    remarks_.push_back(warning("MXSWP", fmt::format("{} line {}: MXSWP of AMD's HPL has no effect",
                                                    lines_.file_name(), kHplDatLines + 1)));
  dat.remarks = std::move(remarks_);
  return dat;
}

}  // namespace

HplDat parse_hpl_dat(std::string_view text, std::string_view file_name) {
  return Parser(text, file_name).parse();
}

}  // namespace hpl
