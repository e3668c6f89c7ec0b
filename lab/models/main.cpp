// Predictions beyond those of xhpl predict: of a changed machine, by the equations of the paper, of
// the systems of a list. README.md has the equations.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/base/text/text_value.h"
#include "hpl/predict/predict_options.h"
#include "listed_systems.h"
#include "paper_model.h"
#include "predict/predicted_runs.h"
#include "what_if.h"

namespace hpl::models {

namespace {

void print_paper(const PredictionReport& report, const Rates& rates) {
  fmt::print("\nBy the paper, s\n{:>9} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10}\n",
             "P x Q", "N", "sum", "panel", "bcast", "swap", "DGEMM", "DTRSM", "GFLOP/s");
  for (const PredictedRun& run : report.runs) {
    const RunSpec& spec = run.spec;
    const PaperSeconds paper = paper_seconds(spec, {run.node_rows, run.node_columns}, rates);
    fmt::print("{:>9} {:>10} {:>9.4g} {:>9.4g} {:>9.4g} {:>9.4g} {:>9.4g} {:>9.4g} {:>10.5g}\n",
               fmt::format("{} x {}", spec.grid_rows, spec.grid_columns), spec.order, paper.sum(),
               paper.factorization, paper.broadcast, paper.swap, paper.product, paper.solve,
               benchmark_gflops(spec.order, paper.sum()));
  }
}

}  // namespace

int run(int argc, char** argv) {
  std::vector<std::string> what_ifs;
  std::string list;
  bool paper = false;
  CLI::App app(
      "models MACHINE [FLAGS of xhpl predict]: predictions of a changed machine and by "
      "the equations of the paper; models --top500 FILE: of a list");
  app.allow_extras();
  app.add_option("--what-if", what_ifs,
                 "the same with a change: nic=400Gb, nics=8, link=900GB, memory=141GB, dgemm=1.1x, "
                 "accelerators=4; several that hold together with commas; may be given again")
      ->allow_extra_args(false);
  app.add_flag("--paper", paper, "the sum of the paper's equations, too");
  app.add_option("--top500", list, "predict the systems of a TOP500 list (CSV)");
  CLI11_PARSE(app, argc, argv);
  if (!list.empty()) {
    fmt::print("{}", systems_text(predict_systems(parse_list(list, read_json_text(list)),
                                                  read_listed_sheets(HPL_LISTED_FILE))));
    return 0;
  }
  const std::vector<std::string> words = app.remaining();
  std::vector<const char*> arguments{"models"};
  for (const std::string& word : words)
    arguments.push_back(word.c_str());
  const PredictOptions options =
      parse_predict_command_line(static_cast<int>(arguments.size()), arguments.data());
  if (!options.text.empty()) {
    fmt::print("{}", options.text);
    return 0;
  }
  const MachineFile machine = read_machine_file(options.machine.string());
  what_ifs.insert(what_ifs.begin(), "");
  for (const std::string& what_if : what_ifs) {
    MachineFile changed = machine;
    if (!what_if.empty()) {
      fmt::print("\nWith {}:\n", what_if);
      for (const std::string_view change : split_fields(what_if, ","))
        apply_what_if(changed, change);
    }
    const PredictionReport report = predict_runs(options, changed);
    fmt::print("{}", prediction_text(report));
    if (paper) print_paper(report, changed.rates);
  }
  return 0;
}

}  // namespace hpl::models

int main(int argc, char** argv) {
  try {
    return hpl::models::run(argc, argv);
  } catch (const hpl::ConfigError& error) {
    fmt::print(stderr, "models: {}\n", error.what());
    return 2;
  }
}
