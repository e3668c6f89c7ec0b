#include "hpl/report/page/format.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpl::page {

namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
}

}  // namespace

bool is_utf8(std::string_view text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

std::string mended_utf8(std::string_view text) {
  const std::string mended =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return nlohmann::json::parse(mended).get<std::string>();
}

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (is_control(c))
          out += kReplacement;
        else
          out += c;
    }
  }
  return out;
}

namespace {

/// `name` is th or td.
std::string cell_html(std::string_view name, const Cell& cell, bool number) {
  std::string classes = number ? "n" : "";
  if (cell.shade > 0) classes += fmt::format("{}h{}", classes.empty() ? "" : " ", cell.shade);
  const std::string text = cell.status.empty() ? escape(cell.text)
                                               : fmt::format(R"(<span class="status {}">{}</span>)",
                                                             cell.status, escape(cell.text));
  return fmt::format("<{0}{1}{2}>{3}</{0}>", name, name == "th" ? R"( scope="row")" : "",
                     classes.empty() ? "" : fmt::format(R"( class="{}")", classes), text);
}

}  // namespace

std::string html_of(const Table& table, std::string_view style) {
  if (table.rows.empty()) return {};
  std::string html =
      fmt::format(R"(<div class="scroll{}{}" tabindex="0" role="region" aria-label="{}"><table>)",
                  style.empty() ? "" : " ", style, escape(table.title));
  if (!std::ranges::all_of(table.columns, &std::string::empty, &Column::name)) {
    html += "<thead><tr>";
    for (const Column& column : table.columns)
      html += fmt::format(R"(<th scope="col"{}>{}</th>)", column.number ? R"( class="n")" : "",
                          escape(column.name));
    html += "</tr></thead>";
  }
  html += "<tbody>\n";
  for (const TableRow& row : table.rows) {
    html += row.bad ? R"(<tr class="bad">)" : "<tr>";
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      html += cell_html(i == 0 ? "th" : "td", row.cells[i], table.columns[i].number);
    html += "</tr>\n";
  }
  html += "</tbody></table></div>\n";
  for (const std::string& note : table.notes)
    html += fmt::format("<p class=\"left\">{}</p>\n", escape(note));
  return html;
}

std::string titled_html_of(const Table& table, std::string_view style) {
  if (table.rows.empty()) return {};
  return fmt::format("<h3>{}</h3>", escape(table.title)) + html_of(table, style);
}

Record::Json data_of(const Table& table) {
  Record::Json columns = Record::Json::array(), rows = Record::Json::array();
  for (const Column& column : table.columns)
    columns.push_back({{"name", column.name}, {"number", column.number}});
  for (const TableRow& row : table.rows) {
    Record::Json cells = Record::Json::array();
    for (const Cell& cell : row.cells)
      cells.push_back(cell.text);
    rows.push_back({{"cells", std::move(cells)}, {"bad", row.bad}});
  }
  return {{"title", table.title},
          {"columns", std::move(columns)},
          {"rows", std::move(rows)},
          {"notes", table.notes}};
}

std::string titled_list(std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string html = fmt::format("<h3>{}</h3><ul class=\"notes\">", escape(title));
  for (const std::string& line : lines)
    html += fmt::format("<li>{}</li>", escape(line));
  return html + "</ul>\n";
}

namespace {

/// A number and its unit stay on one line: the blanks between them do not break.
std::string unbroken(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == ' ' ? "\u00A0" : std::string(1, c);
  return out;
}

}  // namespace

std::string rate_text(double gflops) {
  return unbroken(hpl::rate_text(gflops, 4));
}

std::string seconds_text(double seconds) {
  return unbroken(hpl::seconds_text(seconds));
}

std::string percent_text(double share) {
  return unbroken(hpl::percent_text(share));
}

}  // namespace hpl::page
