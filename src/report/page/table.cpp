#include "table.h"

#include <fmt/format.h>

#include "format.h"

namespace hpl::page {

std::string number_cell(std::string_view text) {
  return fmt::format(R"(<td class="n">{}</td>)", escape(text));
}

std::string table_head(std::initializer_list<std::string_view> names) {
  std::string html = "<thead><tr>";
  for (const std::string_view name : names)
    html += fmt::format(R"(<th scope="col"{}>{}</th>)",
                        html.ends_with("<tr>") ? "" : R"( class="n")", escape(name));
  return html + "</tr></thead><tbody>\n";
}

std::string scrolled_table(std::string_view label, const std::string& rows) {
  return fmt::format(
      R"(<div class="scroll" tabindex="0" role="region" aria-label="{}"><table>{}</tbody></table></div>)",
      escape(label), rows);
}

}  // namespace hpl::page
