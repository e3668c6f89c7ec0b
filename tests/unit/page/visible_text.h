#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace hpl::test {

/// The text of a page without a script: lines, with tabs between the cells of a table and plain
/// blanks.
inline std::string visible_text(std::string_view html) {
  const auto any = [](std::string_view one, auto... all) { return ((one == all) || ...); };
  std::string text;
  while (!html.empty()) {
    const auto tag = html.find('<');
    text += html.substr(0, tag);
    if (tag == html.npos) break;
    html.remove_prefix(tag + 1);
    const std::string name(html.substr(0, html.find_first_of(" >")));
    if (any(name, "style", "script", "svg", "title")) html.remove_prefix(html.find("</" + name));
    if (any(name, "/td", "/th")) text += '\t';
    if (any(name, "/p", "/h1", "/h2", "/h3", "/li", "/tr", "/dt", "/dd", "/strong")) text += '\n';
    html.remove_prefix(html.find('>') + 1);
  }
  for (const auto& [code, sign] : {std::pair("&lt;", "<"),
                                   {"&gt;", ">"},
                                   {"&quot;", "\""},
                                   {"&#39;", "'"},
                                   {"\u00a0", " "},
                                   {"&amp;", "&"}})
    for (auto at = text.find(code); at != text.npos; at = text.find(code, at + 1))
      text.replace(at, std::string_view(code).size(), sign);
  return text;
}

}  // namespace hpl::test
