#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/input/hpl_dat/hpl_dat_fields.h"

namespace hpl::detail {

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
  };

  /// The first `count` values of a line, separated by blanks or commas; fewer where the line ends
  /// before.
  List list(const HplDatField& field, std::size_t count) const;

  const std::string& file_name() const { return file_name_; }

 private:
  std::string_view line_text(const HplDatField& field) const;

  std::string file_name_;
  std::vector<std::string_view> lines_;
};

}  // namespace hpl::detail
