#include "hpl/plan/plan_input.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <vector>

#include "hpl/base/file/named_files.h"
#include "hpl/input/plan/plan.h"
#include "hpl/job/ranks/agreement.h"

namespace hpl {

namespace {

/// The file that says what to run, or nothing when the flags stand for it.
std::optional<std::filesystem::path> input_file(const Options& options) {
  if (options.runs.dat_file) return options.runs.dat_file;
  if (options.command == Command::Tune) return std::nullopt;
  const std::filesystem::path here = "HPL.dat";
  std::error_code none;
  if (!options.runs.automatic && std::filesystem::exists(here, none)) return here;
  if (options.runs.automatic || !options.fields.orders.empty() || options.runs.mem_fraction ||
      options.only_looks())
    return std::nullopt;
  throw ConfigError(
      "there is no HPL.dat in this directory, and no --dat FILE or -N is given\n"
      "  xhpl launch run --auto          runs with sizes chosen for this machine\n"
      "  xhpl plan --auto -o HPL.dat     writes an HPL.dat");
}

/// Every file of the job that rank 0 reads or writes. What a job of this kind leaves unwritten
/// counts as well: another kind would write it.
std::vector<NamedFile> files_of(const Options& options, const HplDat& dat,
                                const std::optional<std::filesystem::path>& input) {
  std::vector<NamedFile> files{standard_error_file()};
  if (input) files.push_back({"the input", *input, FileUse::Input});
  if (options.rates.input) files.push_back({"--rates", *options.rates.input, FileUse::Input});
  for (const auto& reference : {options.check.reference, options.fleet.reference})
    if (reference) files.push_back({"--reference", *reference, FileUse::Input});
  if (options.fleet.expectation && options.fleet.expectation != kKnownSheet)
    files.push_back({"--expect", *options.fleet.expectation, FileUse::Input});
  const bool tunes = options.command == Command::Tune;
  const bool prints =
      (tunes || options.only_looks() || options.only_plans()) && !options.outputs.prints_json();
  if (dat.output_device == OutputDevice::File)
    files.push_back({dat.output_origin, dat.output_file});
  if (dat.output_device == OutputDevice::Stdout || prints) files.push_back(standard_output_file());
  const auto add = [&](const char* flag, const std::optional<std::filesystem::path>& file) {
    if (file) files.push_back({flag, *file});
  };
  add("--output", options.outputs.dat);
  if (tunes && !options.outputs.json) add("the trials of tune", options.evidence_file());
  add("--json", options.outputs.json);
  if (options.outputs.json && !tunes)
    add("the journal of --json", journal_of(*options.outputs.json));
  add("--output", options.rates.output);
  add("--page", options.outputs.page);
  add("--csv", options.outputs.csv);
  add("--trace", options.outputs.trace);
  std::ranges::move(options.fleet.lists.named(), std::back_inserter(files));
  return files;
}

}  // namespace

std::pair<std::string, HplDat> read_plan_input(const mpi::Communicator& world,
                                               const Options& options) {
  struct Input {
    std::string name, text;
  };
  const int ranks = options.plan.ranks_or(world.size());
  std::optional<std::filesystem::path> file;  // on rank 0
  Input input = on_rank_0(world, [&] {
    file = input_file(options);
    return file ? Input{shown_name(*file), read_hpl_dat_text(*file)} : Input{};
  });
  input.name = world.broadcast(input.name, 0);
  input.text = world.broadcast(input.text, 0);
  HplDat dat = input.name.empty() ? default_hpl_dat() : parse_hpl_dat(input.text, input.name);
  // Only rank 0 has a standard input.
  if (!input.name.empty() && options.runs.dat_file != kStandardInput)
    require_same_file(world, dat, options.runs.dat_file.value_or("HPL.dat"));
  dat = apply_overrides(std::move(dat), options);
  if (options.wishes.mixed.wanted)
    dat = without_pivoting(std::move(dat), options, !input.name.empty());
  on_rank_0(world, [&] { require_distinct_files(files_of(options, dat, file)); });
  if (options.fields.grid == GridRequest::Auto) {
    dat.grid_rows.clear();
    dat.grid_columns.clear();
  }
  if (options.command != Command::Fleet) {  // otherwise the grid is one of a member
    dat = fit_to_ranks(std::move(dat), options, ranks);
    if (!dat.grid_rows.empty()) validate_grid(dat, ranks);
  }
  return {input.name, std::move(dat)};
}

}  // namespace hpl
