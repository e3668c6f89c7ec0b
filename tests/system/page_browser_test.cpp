// The page of xhpl-report in a real browser: light, dark, on a phone and on paper.
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <regex>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using nlohmann::json;

/// Collects what goes wrong from the first script on.
constexpr const char* kFaultCollector =
    "<script>window.faults=[];addEventListener('error',e=>faults.push(e.message));</script>";

/// Looks at the finished page and leaves what it saw in an attribute of the root element.
constexpr const char* kProbe = R"js(<script>
addEventListener("load", () => {
  const root = document.documentElement;
  const colour = name => {
    const element = document.createElement("span");
    element.style.color = `var(--${name})`;
    document.body.append(element);
    const parts = getComputedStyle(element).color.match(/[\d.]+/g).slice(0, 3).map(Number);
    element.remove();
    return parts;
  };
  const light = ([r, g, b]) => {
    const part = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const contrast = (a, b) => {
    const [low, high] = [light(colour(a)), light(colour(b))].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  let worst = 99;
  for (const text of ["ink", "quiet", "good", "bad", "open"])
    for (const ground of ["paper", "card"]) worst = Math.min(worst, contrast(text, ground));

  const plot = document.querySelector(".plot");
  const box = plot.getBoundingClientRect();
  plot.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + box.width / 2}));
  const tip = plot.querySelector(".tip");
  const told = tip.hidden ? "" : tip.textContent;
  const tipRight = tip.getBoundingClientRect().right;
  plot.dispatchEvent(new PointerEvent("pointerleave"));
  const gone = tip.hidden;
  plot.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
  const byKey = tip.hidden ? "" : tip.textContent;

  const folded = () => document.querySelectorAll("details:not([open])").length;
  const before = folded();
  dispatchEvent(new Event("beforeprint"));
  const printed = folded();
  dispatchEvent(new Event("afterprint"));

  // In a frame, the page around it is the one that the browser prints.
  parent.document.documentElement.dataset.probe = JSON.stringify({
    faults, width: innerWidth, overflow: root.scrollWidth - root.clientWidth,
    paper: light(colour("paper")), contrast: worst, told, tipRight, gone, byKey,
    folded: [before, printed, folded()], lines: document.querySelectorAll("path.line").length,
    smallest: Math.min(...[...document.querySelectorAll("main *")].filter(e => e.textContent.trim())
        .map(e => parseFloat(getComputedStyle(e).fontSize))),
  });
});
</script>)js";

class PageInBrowser : public XhplTest {
 protected:
  /// chromium as the distribution calls it; the test is skipped without one.
  std::optional<std::string> browser() {
    for (const char* const name : {"chromium", "chromium-browser", "google-chrome"}) {
      const Outcome outcome = run({.words = {"sh", "-c", "command -v \"$0\"", name},
                                   .directory = directory(),
                                   .environment = {}});
      if (outcome.exit_code == 0) return split_lines(outcome.output).at(0);
    }
    return std::nullopt;
  }

  Outcome browse(const std::string& program, std::vector<std::string> flags) {
    std::vector<std::string> words{program,
                                   "--headless",
                                   "--no-sandbox",
                                   "--disable-gpu",
                                   "--hide-scrollbars",
                                   "--no-first-run",
                                   "--disable-dev-shm-usage",
                                   "--user-data-dir=" + path("profile")};
    words.insert(words.end(), flags.begin(), flags.end());
    return run({.words = std::move(words),
                .directory = directory(),
                .environment = {},
                .timeout = std::chrono::seconds(100)});
  }

  std::string path(const std::string& name) const { return (directory() / name).string(); }

  /// page.html of two jobs, and probed.html, the same with the probe inside.
  void make_page() {
    write_dat({.orders = {400}, .block_sizes = {16}, .grid_rows = {1}, .grid_columns = {2}});
    ASSERT_EQ(mpirun_measuring(2, {"--json", "one.json", "--repeat", "3"}).exit_code, 0);
    write_dat({.orders = {300, 500}, .block_sizes = {16}, .grid_rows = {2}, .grid_columns = {2}});
    ASSERT_EQ(mpirun(4, {"--json", "four.json"}).exit_code, 0);
    const Outcome made =
        run({.words = {HPL_REPORT_PATH, "one.json", "four.json", "-o", "page.html"},
             .directory = directory(),
             .environment = {}});
    ASSERT_EQ(made.exit_code, 0) << describe(made);
    std::string page = read_file("page.html");
    page.insert(page.find("<head>") + 6, kFaultCollector);
    page.insert(page.rfind("</body>"), kProbe);
    write_file("probed.html", page);
    // A window cannot be as narrow as a phone, a frame can.
    std::string frame;
    for (const char c : page)
      frame += c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    write_file("phone.html",
               "<!doctype html><iframe style=\"width:360px;height:800px;border:0\" srcdoc=\"" +
                   frame + "\"></iframe>");
  }

  /// What the probe saw; also takes a screenshot into the directory that XHPL_SCREENSHOTS names.
  json look(const std::string& program, const std::string& name, std::vector<std::string> flags,
            const std::string& probed = "probed.html") {
    if (const char* const target = std::getenv("XHPL_SCREENSHOTS")) {
      std::vector<std::string> shot = flags;
      shot.push_back("--screenshot=" + (std::filesystem::path(target) / (name + ".png")).string());
      shot.push_back("file://" + path("page.html"));
      browse(program, shot);
    }
    flags.insert(flags.end(), {"--dump-dom", "file://" + path(probed)});
    const Outcome outcome = browse(program, flags);
    std::smatch match;
    if (!std::regex_search(outcome.output, match, std::regex("data-probe=\"([^\"]*)\""))) {
      ADD_FAILURE() << "the probe left nothing: " << outcome.errors;
      return json::object();
    }
    return json::parse(std::regex_replace(match[1].str(), std::regex("&quot;"), "\""));
  }

  static void expect_sound(const json& seen) {
    EXPECT_EQ(seen["faults"], json::array()) << seen;
    EXPECT_LE(seen["overflow"], 0) << "the page itself must not scroll sideways: " << seen;
    EXPECT_GE(seen["contrast"], 4.5) << "WCAG 2, level AA: " << seen;
    EXPECT_GE(seen["smallest"], 11.5) << seen;
    EXPECT_GT(seen["lines"], 3) << seen;
    EXPECT_LE(seen["tipRight"], seen["width"]) << seen;
    EXPECT_NE(seen["told"].get<std::string>().find("FLOP/s"), std::string::npos) << seen;
    EXPECT_TRUE(seen["gone"].get<bool>()) << seen;
    EXPECT_NE(seen["byKey"], "") << seen;
    EXPECT_GT(seen["folded"][0], 0) << seen;
    EXPECT_EQ(seen["folded"][1], 0) << "paper shows everything: " << seen;
    EXPECT_EQ(seen["folded"][2], seen["folded"][0]) << seen;
  }
};

TEST_F(PageInBrowser, IsSoundInLightAndDarkAndOnAPhone) {
  const auto chromium = browser();
  if (!chromium) GTEST_SKIP() << "no Chromium on this machine (package chromium)";
  make_page();
  if (HasFatalFailure()) return;

  const json light = look(*chromium, "light",
                          {"--window-size=1200,2400", "--blink-settings=preferredColorScheme=1"});
  expect_sound(light);
  EXPECT_GT(light["paper"], 0.8) << light;
  const json dark = look(*chromium, "dark",
                         {"--window-size=1200,2400", "--blink-settings=preferredColorScheme=0"});
  expect_sound(dark);
  EXPECT_LT(dark["paper"], 0.1) << dark;
  const json phone = look(*chromium, "phone", {"--window-size=360,4000"}, "phone.html");
  expect_sound(phone);
  EXPECT_EQ(phone["width"], 360) << phone;
}

TEST_F(PageInBrowser, GoesToPaper) {
  const auto chromium = browser();
  if (!chromium) GTEST_SKIP() << "no Chromium on this machine (package chromium)";
  make_page();
  if (HasFatalFailure()) return;
  const Outcome outcome =
      browse(*chromium, {"--no-pdf-header-footer", "--print-to-pdf=" + path("page.pdf"),
                         "file://" + path("page.html")});
  const std::string pdf = read_file("page.pdf");
  ASSERT_TRUE(pdf.starts_with("%PDF-")) << describe(outcome);
  const std::regex page(R"(/Type\s*/Page[^s])");
  const auto pages = std::distance(std::sregex_iterator(pdf.begin(), pdf.end(), page), {});
  EXPECT_GE(pages, 2);
  EXPECT_LE(pages, 12);
}

}  // namespace
}  // namespace hpl::test
