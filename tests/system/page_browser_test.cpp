// The page of xhpl-report in a real browser: light, dark, on a phone and on paper.
#include <cstdlib>
#include <regex>

#include "browser.h"
#include "hpl/page/page.h"
#include "unit/page/sample_job.h"
#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using nlohmann::json;

/// Looks at the finished page in a browser's window or a frame.
constexpr const char* kProbe = R"js(
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
  const contrasts = ["ink", "quiet", "good", "bad", "open"].flatMap(
      text => ["paper", "card"].map(ground => contrast(text, ground)));

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
  leave({
    faults, width: innerWidth, overflow: root.scrollWidth - root.clientWidth,
    paper: light(colour("paper")), contrast: Math.min(...contrasts), told, tipRight, gone, byKey,
    folded: [before, printed, folded()], lines: document.querySelectorAll("path.line").length,
    smallest: Math.min(...[...document.querySelectorAll("main *")].filter(e => e.textContent.trim())
        .map(e => parseFloat(getComputedStyle(e).fontSize))),
  });
});
)js";

class PageInBrowser : public XhplTest {
 protected:
  void SetUp() override {
    if (!browser_.is_there()) GTEST_SKIP() << "no Chromium on this machine (package chromium)";
    JobReport repeated = sample_job(), two = sample_job();
    repeated.runs = {cluster_run(4), cluster_run(4), cluster_run(4)};
    two.runs = {passing_run(), cluster_run(30)};
    two.runs[1].run_index = 1;
    const std::vector<page::RunFile> files{sample_file(repeated, "one.json"),
                                           sample_file(two, "four.json")};
    page_ = page::build_page(files, {});
    browser_.write("page.html", page_);
    browser_.write("probed.html", probed(page_, kProbe));
    // A window cannot be as narrow as a phone, a frame can.
    browser_.write("phone.html",
                   "<!doctype html><iframe style=\"width:360px;height:800px;border:0\" srcdoc=\"" +
                       quoted_attribute(probed(page_, kProbe)) + "\"></iframe>");
  }

  /// Opens the probed page; also takes a screenshot into the directory that XHPL_SCREENSHOTS names.
  json sound_page(const std::string& name, std::vector<std::string> flags,
                  const std::string& file = "probed.html") {
    const json seen = browser_.open(file, flags);
    if (const char* const target = std::getenv("XHPL_SCREENSHOTS")) {
      flags.push_back("--screenshot=" + (std::filesystem::path(target) / (name + ".png")).string());
      browser_.open("page.html", flags);
    }
    EXPECT_EQ(seen.at("faults"), json::array()) << seen;
    EXPECT_LE(seen.at("overflow"), 0) << "the page itself must not scroll sideways: " << seen;
    EXPECT_GE(seen.at("contrast"), 4.5) << "WCAG 2, level AA: " << seen;
    EXPECT_GE(seen.at("smallest"), 11.5) << seen;
    EXPECT_GT(seen.at("lines"), 3) << seen;
    EXPECT_LE(seen.at("tipRight"), seen["width"]) << seen;
    EXPECT_NE(seen.at("told").get<std::string>().find("FLOP/s"), std::string::npos) << seen;
    EXPECT_TRUE(seen.at("gone").get<bool>()) << seen;
    EXPECT_NE(seen.at("byKey"), "") << seen;
    EXPECT_GT(seen.at("folded")[0], 0) << seen;
    EXPECT_EQ(seen["folded"][1], 0) << "paper shows everything: " << seen;
    EXPECT_EQ(seen["folded"][2], seen["folded"][0]) << seen;
    return seen;
  }

  Browser browser_{directory()};
  std::string page_;
};

TEST_F(PageInBrowser, IsSoundInLightAndDarkAndOnAPhone) {
  const std::string window = "--window-size=1200,2400";
  EXPECT_GT(sound_page("light", {window, "--blink-settings=preferredColorScheme=1"})["paper"], 0.8);
  EXPECT_LT(sound_page("dark", {window, "--blink-settings=preferredColorScheme=0"})["paper"], 0.1);
  EXPECT_EQ(sound_page("phone", {"--window-size=360,4000"}, "phone.html")["width"], 360);
}

TEST_F(PageInBrowser, GoesToPaper) {
  browser_.open("page.html", {"--no-pdf-header-footer",
                              "--print-to-pdf=" + (directory() / "page.pdf").string()});
  const std::string pdf = read_file("page.pdf");
  ASSERT_TRUE(pdf.starts_with("%PDF-"));
  const std::regex page(R"(/Type\s*/Page[^s])");
  const auto pages = std::distance(std::sregex_iterator(pdf.begin(), pdf.end(), page), {});
  EXPECT_GE(pages, 2);
  EXPECT_LE(pages, 12);
}

}  // namespace
}  // namespace hpl::test
