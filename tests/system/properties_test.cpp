// Properties of a run that nobody may miss, by the ways on which a result reaches somebody. The
// table says of every property what each way shows, and how the program ends.
#include <array>
#include <cstddef>
#include <filesystem>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

enum class Property {
  WrongSolution,
  SumsDisagree,
  GateMissed,
  NotChecked,
  LaxThreshold,
  Emulated,
  Mixed,
  HostMemory,
  StoppedEarly,
  Died
};
constexpr std::size_t kProperties = 10;

/// Merge: with a fleet of a sound host that made the same run. Reference: of a later fleet. Tune: a
/// search with the flags of the property, which goes on with one that has none.
enum class Way {
  Text,
  Quiet,
  Json,
  Csv,
  Page,
  Form,
  Fleet,
  Lists,
  FleetJson,
  FleetCsv,
  FleetPage,
  Merge,
  Reference,
  Tune
};
constexpr std::size_t kWays = 14;
constexpr std::array<const char*, kWays> kWayNames{
    "text",  "quiet text", "JSON",      "CSV",        "page",  "form",      "fleet",
    "lists", "fleet JSON", "fleet CSV", "fleet page", "merge", "reference", "tune"};

/// A cell without words cannot be written, so a new way needs a word in each row.
struct Cell {
  Cell(int code, const char* words) : exit_code(code), shows(words) {}
  int exit_code;
  std::string shows;  ///< regular expression
};

struct Row {
  Property property;
  const char* name;
  Words flags;       ///< of a job with the property
  Words same_flags;  ///< those of them that make it another run
  const char* harm;  ///< to a product: XHPL_TEST_ADD; empty: none
  std::array<Cell, kWays> cells;
};

constexpr const char *kNobody = "^pass \nfail \n$", *kPassed = "^pass n1\nfail \n$",
                     *kFailed = "^pass \nfail n1\n$", *kOneOfTwo = "^pass n2\nfail n1\n$",
                     *kBothPassed = "^pass n\\[1-2\\]\nfail \n$",
                     *kNoFleet = "^pass none\nfail none\n$";

const std::array<Row, kProperties>& rows() {
  static const std::array<Row, kProperties> kRows{{
      {Property::WrongSolution,
       "WrongSolution",
       {},
       {},
       "0:0:50:1",
       {{{1, "[.]{6} FAILED"},
         {1, "[.]{6} FAILED"},
         {1, R"("status": "failed")"},
         {1, ",failed,"},
         {0, "the scaled residual [^ ]+ is not below 16"},
         {2, "the scaled residual [^ ]+ is not below 16"},
         {1, "n1 cpu 0: run 1: the scaled residual [^ ]+ is not below 16"},
         {1, kFailed},
         {1, "the scaled residual [^ ]+ is not below 16"},
         {1, ",failed,.*the scaled residual"},
         {0, "the scaled residual [^ ]+ is not below 16"},
         {1, kOneOfTwo},
         {2, "exit_code must be 0, .* found 1"},
         {1, "No trial has given a result, and no HPL.dat is written"}}}},
      {Property::SumsDisagree,
       "SumsDisagree",
       "--verify always",
       "--verify always",
       "0:4:50:1e-10",
       {{{1, "# checksums: disagree after"},
         {1, "# checksums: disagree after"},
         {1, R"("status": "failed")"},
         {1, ",failed,"},
         {0, "checksums: disagree after"},
         {2, "checksums: disagree after"},
         {1, "n1 cpu 0: run 1: checksums: disagree after"},
         {1, kFailed},
         {1, "checksums: disagree after"},
         {1, ",failed,.*checksums: disagree after"},
         {0, "checksums: disagree after"},
         {1, kOneOfTwo},
         {2, "exit_code must be 0, .* found 1"},
         {2, "--verify is no flag of xhpl tune"}}}},
      {Property::GateMissed,
       "GateMissed",
       "--min-gflops 1e6",
       {},
       "",
       {{{4, "# gate --min-gflops 1e[+]06: missed"},
         {4, "# gate --min-gflops 1e[+]06: missed"},
         {4, R"("held": false)"},
         {4, ",passed,"},  // a row is of a run, a gate of the job
         {0, "--min-gflops"},
         {0, "the job missed --min-gflops 1e[+]06"},
         {4, "n1 cpu 0: --min-gflops 1e[+]06 missed"},
         {4, kFailed},
         {4, R"("basis": "gate")"},
         {4, ",failed,.*--min-gflops"},
         {0, "--min-gflops 1e[+]06 missed"},
         {4, "^pass \nfail n\\[1-2\\]\n$"},  // the limit counts for both
         {2, "exit_code must be 0, .* found 4"},
         {2, "--min-gflops is no flag of xhpl tune"}}}},
      {Property::NotChecked,
       "NotChecked",
       "--threshold 0",
       "--threshold 0",
       "",
       {{{0, "no residual is computed"},
         {0, "# not checked: 1 of 1"},
         {0, R"("status": "unchecked")"},
         {0, ",unchecked,"},
         {0, "not checked|unchecked"},
         {2, "the threshold must be above 0 and at most 16, found 0"},
         {1, "1 of 1 host not checked: n1"},
         {1, kNobody},
         {1, R"("verdict": "not checked")"},
         {1, ",not checked,"},
         {0, "not checked"},
         {1, kNobody},
         {2, "exit_code must be 0, .* found 1"},
         {2, "--threshold must be above 0, found 0"}}}},
      {Property::LaxThreshold,
       "LaxThreshold",
       "--threshold 1e300",
       "--threshold 1e300",
       "",
       {{{0, "The threshold is +1000000"},
         {0, "# threshold: 1e[+]300"},
         {0, R"("threshold": 1e\+300)"},
         {0, ",passed,"},
         {0, "1e[+]300"},
         {2, "at most 16, found 1e[+]300"},
         {0, "threshold 1e[+]300"},
         {0, kPassed},
         {0, R"("threshold": 1e\+300)"},
         {0, ",1e[+]300,"},
         {0, "1e[+]300"},
         {0, kBothPassed},
         {2, "threshold 1e[+]300 there, threshold 16 here"},
         {2, "this job has --threshold 1e300"}}}},
      {Property::Emulated,
       "Emulated",
       "--arithmetic emulated",
       "--arithmetic emulated",
       "",
       {{{0, "# arithmetic: FP64 emulated by"},
         {0, "# arithmetic: FP64 emulated by"},
         {0, R"("arithmetic": "FP64 emulated by)"},
         {0, ",ER[0-9]"},
         {0, "FP64 emulated by"},
         {2, "the tail update is in FP64 emulated by"},
         {0, "arithmetic: FP64 emulated by"},
         {0, kPassed},
         {0, R"("arithmetic": "FP64 emulated by)"},
         {0, "FP64 emulated by"},
         {0, "FP64 emulated by"},
         {0, kBothPassed},
         {2, "arithmetic FP64 emulated by .* there, arithmetic FP64 here"},
         {2, "this job has --arithmetic emulated"}}}},
      {Property::Mixed,
       "Mixed",
       "--mxp",
       "--mxp",
       "",
       {{{0, "# arithmetic: HPL-MxP: FP32 products"},
         {0, "# arithmetic: HPL-MxP: FP32 products"},
         {0, R"("arithmetic": "HPL-MxP: FP32 products)"},
         {0, ",MR11S32G,"},
         {0, "HPL-MxP: FP32 products"},
         {2, "it is a run of HPL-MxP"},
         {0, "arithmetic: HPL-MxP: FP32 products"},
         {0, kPassed},
         {0, R"("arithmetic": "HPL-MxP: FP32 products)"},
         {0, "HPL-MxP: FP32 products"},
         {0, "HPL-MxP: FP32 products"},
         {0, kBothPassed},
         {2, "arithmetic HPL-MxP: .* there, arithmetic FP64 here"},
         {2, "this job has --mxp"}}}},
      {Property::HostMemory,
       "HostMemory",
       "--matrix host --device-memory 1300K",
       "--matrix host --device-memory 1300K",
       "",
       {{{0, "# remark: matrix in host memory"},
         {0, "# matrix: --matrix host"},
         {0, R"("matrix": "host")"},
         {0, ",passed,"},
         {0, "matrix in host memory"},
         {0, "Rmax"},  // native FP64, wherever the matrix lies
         {0, "1 of 1 host passed"},
         {0, kPassed},
         {0, R"("matrix": "host")"},
         {0, ",FP64,host,"},
         {0, "--matrix host"},
         {0, kBothPassed},
         {2, "there, .* here"},
         {2, "this job has --matrix host"}}}},
      {Property::StoppedEarly,
       "StoppedEarly",
       "--stop-after 0.5",
       {},
       "",
       {{{0, "# projection, not a result"},
         {0, "# projection, not a result"},
         {0, R"("status": "stopped")"},
         {0, ",stopped,"},
         {0, "stopped"},
         {2, "its status is stopped; there is no rate"},
         {2, "--stop-after is no flag of xhpl fleet"},
         {2, kNoFleet},
         {2, "^$"},
         {2, "^$"},
         {2, "fleet.json: cannot be read"},
         {2, kNoFleet},
         {2, "fleet.json: cannot be read"},
         {2, "--stop-after is no flag of xhpl tune"}}}},
      {Property::Died,
       "Died",
       "--repeat 1000000",
       {},
       "",
       {{{3, "xhpl: .*ended from outside"},
         {3, "xhpl: .*ended from outside"},
         {3, R"("exit_code": 3)"},
         {3, ",passed,"},
         {0, "ended from outside"},
         {2, "the job ended with exit code 3"},
         {3, "ended from outside"},
         {3, kNobody},
         {3, R"("exit_code": 3)"},
         {3, ",not checked,.*ended from outside"},
         {0, "ended from outside"},
         {1, kOneOfTwo},
         {2, "exit_code must be 0, .* found 3"},
         {2, "--repeat is no flag of xhpl tune"}}}},
  }};
  return kRows;
}

class Properties : public XhplTest, public testing::WithParamInterface<std::size_t> {
 protected:
  const Row& row() const { return rows()[GetParam()]; }

  /// On a host of that name, in one process.
  Outcome job(const std::string& host, const Words& arguments, const Words& more, bool harmed) {
    Words words = Words{HPL_XHPL_PATH} + arguments + "-N 300 --NB 32 --threads 1 --device cpu";
    if (arguments.front() != "tune") words = words + "--no-attainable --no-check";
    // After half a second of its own on a core, however long others keep it waiting.
    if (row().property == Property::Died && harmed)
      words =
          Words{"sh", "-c",
                "\"$@\" & until [ \"$(cut -d ' ' -f 14 /proc/$!/stat || echo 50)\" -ge 50 ]; do "
                "sleep 0.1; done 2>/dev/null; kill -TERM $! 2>/dev/null; wait $!",
                "sh"} +
          words;
    return program(words + more, {{"LD_PRELOAD", HPL_OTHER_BLAS ":" HPL_OTHER_HOST},
                                  {"XHPL_TEST_HOST", host},
                                  {"XHPL_TEST_ADD", harmed ? row().harm : ""}});
  }
  std::string lists(const std::string& pass, const std::string& fail) const {
    const auto list = [this](const std::string& name) {
      return std::filesystem::exists(directory() / name) ? read_file(name) : "none";
    };
    const auto line = [](const std::string& text) {
      return text.ends_with("\n") ? text : text + "\n";
    };
    return "pass " + line(list(pass)) + "fail " + line(list(fail));
  }
  std::string file(const std::string& name) const {
    return std::filesystem::exists(directory() / name) ? read_file(name) : "";
  }

  void expect(Way way, const Outcome& outcome, const std::string& text) {
    const auto index = static_cast<std::size_t>(way);
    const Cell& cell = row().cells[index];
    EXPECT_EQ(outcome.exit_code, cell.exit_code) << kWayNames[index] << ": " << describe(outcome);
    EXPECT_TRUE(std::regex_search(text, std::regex(cell.shows)))
        << kWayNames[index] << " does not show " << cell.shows << ":\n"
        << text.substr(0, 6000);
  }
};

TEST_P(Properties, AreShownOnEveryWay) {
  const Outcome run = job("n1", "--json run.json --csv run.csv", row().flags, true);
  expect(Way::Text, run, run.output + run.errors);
  const Outcome quiet = job("n1", "--quiet", row().flags, true);
  expect(Way::Quiet, quiet, quiet.output + quiet.errors);
  expect(Way::Json, run, file("run.json"));
  expect(Way::Csv, run, file("run.csv"));
  const Outcome page = report("run.json -o run.html");
  // The text without a script: the document's own words stand in the page's data.
  const std::string html = file("run.html");
  expect(Way::Page, page, html.substr(0, html.find("<script")));
  const Outcome form = report("--top500 run.json -o -");
  expect(Way::Form, form, form.output + form.errors);

  const auto fleet = [&](const std::string& host, const std::string& name, const Words& flags,
                         bool harmed) {
    return job(host,
               "fleet --tolerance 1000 --json " + name + ".json --csv " + name +
                   ".csv --pass-list " + name + ".pass --fail-list " + name + ".fail",
               flags, harmed);
  };
  const Outcome unit = fleet("n1", "fleet", row().flags, true);
  expect(Way::Fleet, unit, unit.output + unit.errors);
  expect(Way::Lists, unit, lists("fleet.pass", "fleet.fail"));
  expect(Way::FleetJson, unit, file("fleet.json"));
  expect(Way::FleetCsv, unit, file("fleet.csv"));
  const Outcome fleet_page = report("fleet.json -o fleet.html");
  expect(Way::FleetPage, fleet_page, file("fleet.html") + fleet_page.errors);

  ASSERT_EQ(fleet("n2", "sound", row().same_flags, false).exit_code == 0,
            row().property != Property::NotChecked);
  const Outcome merge =
      report("--merge sound.json fleet.json -o all.json --pass-list all.pass --fail-list all.fail");
  expect(Way::Merge, merge, lists("all.pass", "all.fail"));
  const Outcome later = job("n3", "fleet --reference fleet.json --tolerance 1000", {}, false);
  expect(Way::Reference, later, later.output + later.errors);

  const auto search = [&](const Words& flags, bool harmed) {
    return job("n1", "tune -o tuned.dat --pipeline serial" + narrow_search(), flags, harmed);
  };
  if (row().harm[0] == '\0') {
    ASSERT_EQ(search({}, false).exit_code, 0);
  }
  const Outcome tune = search(row().flags, true);
  expect(Way::Tune, tune, tune.output + tune.errors);
}

INSTANTIATE_TEST_SUITE_P(All, Properties, testing::Range(std::size_t{0}, kProperties),
                         [](const auto& parameter) {
                           return std::string(rows()[parameter.param].name);
                         });

TEST(PropertyTable, HasARowForEachProperty) {
  for (std::size_t i = 0; i < kProperties; ++i)
    EXPECT_EQ(static_cast<std::size_t>(rows()[i].property), i) << rows()[i].name;
}

}  // namespace
}  // namespace hpl::test
