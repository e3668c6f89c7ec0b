#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/base/text/text_value.h"
#include "snapshot.h"

namespace hpl {
namespace {

/// Rates have that error where a program rounds or counts fewer operations.
constexpr double kRateError = 0.02;
/// Times are printed in hundredths of a second.
constexpr double kTimeError = 0.006;

/// A row of results: "WR11C2R4 N NB P Q TIME GFLOPS". NVIDIA's has a rate in brackets behind, AMD's
/// a number before N. Empty: another line.
std::optional<RunResult> row_of(std::string_view line) {
  std::vector<std::string_view> words = split_words(line);
  const auto bracket =
      std::ranges::find_if(words, [](std::string_view word) { return word.starts_with('('); });
  words.erase(bracket, words.end());
  if (words.size() == 8) words.erase(words.begin() + 1);
  if (words.size() != 7 || words[0].size() < 2 || words[0][0] != 'W') return std::nullopt;
  const auto count = [&](std::size_t place) {
    const auto number = parse_integer(words[place]);
    return number && *number > 0 && *number < std::numeric_limits<int>::max() ? *number : 0;
  };
  const auto seconds = parse_real(words[5]), gflops = parse_real(words[6]);
  RunResult run;
  run.spec.order = count(1);
  run.spec.block_size = count(2);
  run.spec.grid_rows = static_cast<int>(count(3));
  run.spec.grid_columns = static_cast<int>(count(4));
  const bool complete = run.spec.order > 0 && run.spec.block_size > 0 && run.spec.grid_rows > 0 &&
                        run.spec.grid_columns > 0 && seconds && *seconds >= 0 && gflops;
  if (!complete || !(*gflops > 0)) return std::nullopt;
  run.seconds = *seconds;
  run.gflops = *gflops;
  return run;
}

bool agree(const RunResult& run) {
  const double flops = benchmark_flops(run.spec.order);
  return std::abs(run.gflops * 1e9 * run.seconds - flops) <=
         flops * (kRateError + kTimeError / std::max(run.seconds, kTimeError));
}

}  // namespace

std::optional<Snapshot> snapshot_of_log(const std::string& text, const std::string& name) {
  Snapshot all{
      .side = {.name = name, .files = {name}, .program = {"HPL", "unknown"}, .members = 1}};
  const std::vector<std::string_view> lines = split_lines(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string_view> words = split_words(lines[i]);
    if (words.size() > 1 && words[0] == "HPLinpack") all.side.program.version = words[1];
    const std::optional<RunResult> run = row_of(lines[i]);
    if (!run) continue;
    if (!agree(*run))
      throw ConfigError(
          "{}, line {}: time and rate of a row must belong to its N = {}, found {:g} s and {:g} "
          "Gflops",
          name, i + 1, run->spec.order, run->seconds, run->gflops);
    Trial trial{
        .spec = run->spec, .members = {{.name = name, .kind = "log", .runs = {*run}}}, .log = true};
    const auto known =
        std::ranges::find_if(all.trials, [&](const Trial& one) { return is_same(one, trial); });
    if (known == all.trials.end())
      all.trials.push_back(std::move(trial));
    else
      known->members.front().runs.push_back(*run);
  }
  return all.trials.empty() ? std::nullopt : std::optional(std::move(all));
}

}  // namespace hpl
