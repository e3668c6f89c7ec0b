#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace hpl::page {

/// A cell of a table that holds a number.
std::string number_cell(std::string_view text);
/// Names of the columns, the first of them that of the rows; the body follows.
std::string table_head(std::initializer_list<std::string_view> names);
/// `rows`: the head and `<tr>` elements. `label`: what the table is, for those who cannot see it.
std::string scrolled_table(std::string_view label, const std::string& rows);

}  // namespace hpl::page
