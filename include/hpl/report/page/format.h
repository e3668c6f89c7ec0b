#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hpl/base/record/record.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/table.h"

namespace hpl::page {

bool is_utf8(std::string_view text);
/// `text` with U+FFFD in place of what is no UTF-8.
std::string mended_utf8(std::string_view text);

/// `text`, which is UTF-8, as HTML text or as a quoted attribute value. Control characters, which
/// HTML does not allow, become U+FFFD.
std::string escape(std::string_view text);

/// A table that scrolls by itself. `style` is a class of the page's style. Empty without a row.
std::string html_of(const Table& table, std::string_view style = "tall");
/// The same below its title.
std::string titled_html_of(const Table& table, std::string_view style = "tall");
/// The same for the script of a page, without shades and verdicts.
Record::Json data_of(const Table& table);
/// Lines below a title; empty without any.
std::string titled_list(std::string_view title, const std::vector<std::string>& lines);

// As those of hpl/base/text/quantity.h, with blanks that do not break.
std::string rate_text(double gflops);      ///< "53.61 TFLOP/s"
std::string seconds_text(double seconds);  ///< "2.50 s", "12 min 05 s", "3 h 04 min"
std::string percent_text(double share);    ///< "97.1 %" of 0.971

}  // namespace hpl::page
