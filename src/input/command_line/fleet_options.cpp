#include "fleet_options.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/duration.h"
#include "hpl/base/text/host_list.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/command_line/flag_adder.h"

namespace hpl {
namespace {

using detail::FlagAdder;

constexpr double kMostSpreads = 1e6;

}  // namespace

void add_fleet_flags(CommandLine& line, Options& options) {
  line.group("A fleet");
  FlagAdder add(line);
  add.text(Flag{.names = "--each",
                .value = "UNIT",
                .help = "every device, node or pair of neighbouring nodes solves a system of its "
                        "own, all at the same time; the slow and the wrong ones are named",
                .words = choice_names(kFleetUnitKinds)},
           [&options](std::string_view name, std::string_view value) {
             options.fleet.each = require_choice(name, value, kFleetUnitKinds, ChoiceNumbers::None);
           });
  add.text({"--for", "TIME", "with --each: repeat for so long: 90s, 30m, 1h30m, 1d"},
           [&options](std::string_view name, std::string_view value) {
             options.fleet.for_seconds = require_duration(name, value);
           });
  add.text({"--check-spreads", "COUNT",
            "with --each: an outlier is also worse than the median by so many robust spreads of "
            "the fleet (default: 3)"},
           [&options](std::string_view name, std::string_view value) {
             const auto count = parse_real(value);
             if (!count || *count < 0 || *count > kMostSpreads)
               throw ConfigError(fmt::format("{} must be from 0 to {:g}, found {}", name,
                                             kMostSpreads, quote_printable(value)));
             options.fleet.spreads = *count;
           });
  add.path({"--reference", "FILE",
            "with --each: compare with an earlier acceptance, its --json or --write-reference"},
           options.fleet.reference);
  add.path({"--write-reference", "FILE",
            "with --each: write the figures of this fleet for a later --reference"},
           options.fleet.reference_copy);
  add.path({"--pass-list", "FILE", "with --each: write the nodes that passed: node[01-03,07]"},
           options.fleet.pass_list);
  add.path({"--fail-list", "FILE", "with --each: write the nodes that failed, for srun --exclude"},
           options.fleet.fail_list);
  add.text({"--expect-hosts", "LIST",
            "with --each: these hosts, node[01-32], are the fleet; who is missing has failed"},
           [&options](std::string_view name, std::string_view value) {
             options.fleet.expected_hosts = require_hosts(name, value);
           });
}

void require_consistent_fleet(const Options& options) {
  const std::array<std::pair<const char*, bool>, 4> of_fleets{
      {{"--for", options.fleet.for_seconds.has_value()},
       {"--check-spreads", options.fleet.spreads != Options().fleet.spreads},
       {"--reference", options.fleet.reference.has_value()},
       {"--expect-hosts", !options.fleet.expected_hosts.empty()}}};
  if (!options.fleet.each) {
    for (const auto& [flag, given] : of_fleets)
      if (given) throw ConfigError(fmt::format("{} belongs to --each; give both", flag));
    return;
  }
  const std::array<std::pair<const char*, bool>, 2> of_others{
      {{"--stop-after", options.wishes.stop_after.has_value()},
       {"--node-rows and --node-columns",
        options.fields.node_rows > 0 || options.fields.node_columns > 0}}};
  for (const auto& [flag, given] : of_others)
    if (given)
      throw ConfigError(
          fmt::format("--each and {} do not go together; leave one of them out", flag));
  if (options.fleet.for_seconds && options.runs.repeat > 1)
    throw ConfigError("--for and --repeat both say how often; give one of them");
}

}  // namespace hpl
