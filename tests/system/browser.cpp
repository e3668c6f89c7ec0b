#include "browser.h"

#include <fstream>
#include <utility>

#include "process.h"
#include "report.h"

namespace hpl::test {

namespace {

/// Collects faults from the first script on. In a frame, the page around it is the one that is
/// read.
constexpr const char* kTools = R"js(<script>
window.faults = [];
addEventListener("error", event => faults.push(event.message));
window.evil = () => faults.push("the page ran what a report says");
window.leave = value => {
  const element = parent.document.createElement("pre");
  element.id = "seen";
  element.textContent = JSON.stringify(value).replace(/[&<>\u007f-\uffff]/g,
      c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
  parent.document.body.append(element);
};
</script>)js";

constexpr const char* kLook = R"js(
const texts = (from, selector) =>
    [...from.querySelectorAll(selector)].map(one => one.textContent.replaceAll("\u00a0", " "));
const look = ({contentWindow: window, contentDocument: from}) => {
  for (const details of from.querySelectorAll("details")) details.open = true;
  const ground = cell => window.getComputedStyle(cell).backgroundColor;
  const count = selector => from.querySelectorAll(selector).length;
  return {
    text: from.body.innerText.replaceAll("\u00a0", " "), faults: window.faults,
    fetched: window.performance.getEntriesByType("resource").map(entry => entry.name),
    told: [...texts(from, "svg > title"), ...[...from.querySelectorAll("td[title]")].map(c => c.title)],
    marked: texts(from, ".marked > .name, tr.bad > th"),
    coloured: [...from.querySelectorAll("td")].filter(c => ground(c) !== "rgba(0, 0, 0, 0)")
        .map(cell => cell.innerText.replaceAll("\u00a0", " ")),
    lines: count("path.line"), bands: count("path.band"), dots: count("circle.dot")};
};
addEventListener("load", () => leave([...document.querySelectorAll("iframe")].map(look)));
)js";

}  // namespace

std::string quoted_attribute(const std::string& text) {
  std::string quoted;
  for (const char c : text)
    quoted += c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return quoted;
}

std::string probed(std::string page, const std::string& script) {
  page.insert(page.find("<head>") + 6, kTools);
  return page.insert(page.rfind("</body>"), "<script>" + script + "</script>");
}

Browser::Browser(std::filesystem::path directory) : directory_(std::move(directory)) {
  for (const char* const name : {"chromium", "chromium-browser", "google-chrome"}) {
    const Outcome outcome =
        run({.words = {"sh", "-c", "command -v \"$0\"", name}, .directory = directory_});
    if (outcome.exit_code != 0) continue;
    program_ = split_lines(outcome.output).at(0);
    return;
  }
}

void Browser::write(const std::string& name, const std::string& text) const {
  std::ofstream(directory_ / name, std::ios::binary) << text;
}

nlohmann::json Browser::open(const std::string& name, const std::vector<std::string>& flags) const {
  std::vector<std::string> words{program_,
                                 "--headless",
                                 "--no-sandbox",
                                 "--disable-gpu",
                                 "--hide-scrollbars",
                                 "--no-first-run",
                                 "--disable-dev-shm-usage",
                                 "--allow-file-access-from-files",
                                 "--user-data-dir=" + (directory_ / "profile").string(),
                                 "--dump-dom"};
  words.insert(words.end(), flags.begin(), flags.end());
  words.push_back("file://" + (directory_ / name).string());
  const Outcome outcome = run(
      {.words = std::move(words), .directory = directory_, .timeout = std::chrono::seconds(100)});
  const std::string begin = "<pre id=\"seen\">";
  const auto from = outcome.output.find(begin);
  if (from == std::string::npos) return nullptr;
  const auto text = from + begin.size();
  return nlohmann::json::parse(
      outcome.output.substr(text, outcome.output.find("</pre>", text) - text));
}

std::vector<nlohmann::json> Browser::look_at(const std::vector<std::string>& pages) const {
  std::string frames = "<!doctype html><head><meta charset=\"utf-8\"></head><body>";
  for (const std::string& page : pages)
    frames += "<iframe style=\"width:1000px;height:800px\" srcdoc=\"" +
              quoted_attribute(probed(page, "")) + "\"></iframe>";
  write("frames.html", probed(frames + "</body>", kLook));
  return open("frames.html");
}

}  // namespace hpl::test
