#include "predict_application.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/base/file/atomic_file.h"
#include "hpl/base/file/named_files.h"
#include "hpl/base/file/standard_output.h"
#include "hpl/input/command_line/command_line.h"
#include "hpl/machine/host/versions.h"
#include "hpl/machine/model/machine_sheet.h"
#include "hpl/predict/predict_options.h"
#include "hpl/predict/prediction_report.h"
#include "predicted_runs.h"

namespace hpl {

namespace {

/// An output must not take the place of an input.
void require_other_files(const PredictOptions& options) {
  std::vector<NamedFile> all{standard_output_file(), standard_error_file()};
  all.push_back({"the machine's rates", options.machine, FileUse::Input});
  if (options.dat_file) all.push_back({"--dat", *options.dat_file, FileUse::Input});
  if (options.json_file) all.push_back({"--json", *options.json_file});
  require_distinct_files(all);
}

void predict(const PredictOptions& options, std::vector<std::string> words) {
  require_other_files(options);
  std::optional<AtomicFile> json;
  if (options.json_file) json.emplace(*options.json_file, "the predictions");
  PredictionReport report = predict_runs(options, read_machine_file(options.machine.string()));
  report.program = program_info("xhpl-predict", std::move(words));
  if (json) json->write(json_text(to_json_value(report)));
  write_standard_output(prediction_text(report));
}

}  // namespace

int run_predict_application(int argc, const char* const* argv) {
  make_file_size_limit_an_error();
  return run_program("xhpl predict", [&] {
    const PredictOptions options = parse_predict_command_line(argc, argv);
    if (options.text.empty())
      predict(options, {argv + std::min(argc, 1), argv + argc});
    else
      write_standard_output(options.text);
    return ExitCode::Passed;
  });
}

}  // namespace hpl
