#include "hpl/commands/campaign/options.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "hpl/base/error/error.h"
#include "hpl/base/text/host_list.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/command_line/flag_adder.h"

namespace hpl::campaign {
namespace {

using detail::FlagAdder;

constexpr IntegerRange kRanksOfNode{1, 100'000};
constexpr IntegerRange kSecondsOfProof{120, 999'999};

std::vector<std::string> words_in(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

/// The flags, which write to `options`.
CommandLine command_line(CampaignOptions& options) {
  CommandLine line(
      "xhpl campaign",
      "xhpl campaign: accept a machine in five steps: check, every device, every node, every\n"
      "pair of neighbours, the whole. Each step runs on the hosts that passed the steps\n"
      "before, with or without a warning. The end is one verdict, and a page of all steps.\n"
      "Given again, the command repeats no step that came to its end undisturbed. If a step\n"
      "breaks, the campaign names the hosts to blame and ends; --deny goes on without them.\n"
      "Usage: xhpl campaign -o DIR [FLAGS] [FLAGS OF XHPL, for every step]\n"
      "\n"
      "--proof shows in a quarter of an hour what works on several nodes: check, rates, a\n"
      "run beside its prediction, a killed rank, every transport, whether NCCL used\n"
      "GPUDirect RDMA, and grids, each in two jobs whose solutions must agree. A failed step\n"
      "is a result, and the next one follows. The end is a table, DIR/proof.md, and an\n"
      "archive to send, DIR/proof.tar.gz.",
      "Examples:\n"
      "  xhpl campaign -o june --hosts node[01-32]\n"
      "  xhpl campaign -o june --fleet-flags '--auto --for 30m' --label site=north\n"
      "  xhpl campaign -o proof --proof --anonymous\n"
      "\n"
      "Exit code: the worst of the steps: 0 passed, 1 wrong, or a host was denied, 2 bad\n"
      "input, 3 a step did not come to its end or is to be repeated, 4 too slow.");
  FlagAdder add(line);
  const auto words = [&](const Flag& flag, auto& target) {
    add.text(flag, [&target](std::string_view, std::string_view text) { target = words_in(text); });
  };
  add.path({"-o,--output", "DIR",
            "for campaign.json, the reports STEP.json, what steps printed (STEP.txt) and "
            "campaign.html"},
           options.directory);
  add.text({"--hosts", "LIST",
            "node[01-32,40]; default: the hosts of the Slurm allocation, else this machine. "
            "node01:8,node02:8 is also --per-node 8"},
           [&](std::string_view, std::string_view text) { options.hosts = text; });
  add.path({"--hostfile", "FILE",
            "in place of --hosts, a host a line: node01, node01 slots=8, or node01:8"},
           options.host_file);
  add.hosts({"--deny", "LIST",
             "go on without these hosts; the campaign remembers them, and its verdict is failed"},
            options.denied);
  add.integer({"--per-node", "R", "ranks on each node; default: its GPUs, or its NUMA nodes"},
              kRanksOfNode, options.per_node);
  words({"--check-flags", "FLAGS", "flags of the check, in one word (default: none)"},
        options.check_flags);
  words({"--fleet-flags", "FLAGS",
         "flags of devices, nodes and pairs, in one word (default: '--auto --repeat 5')"},
        options.fleet_flags);
  words({"--run-flags", "FLAGS",
         "flags of the whole, in one word (default: '--auto --repeat 3', of a proof '--auto')"},
        options.run_flags);
  add.toggle("--proof",
             "the steps of a proof, not of a campaign; DIR must be new, --fleet-flags has no use",
             options.proof, true);
  add.integer({"--seconds", "S", "a proof's time, 120 or more (default: 900)"}, kSecondsOfProof,
              options.seconds);
  add.toggle("--anonymous",
             "the archive of a proof has no names of hosts, domains and users, no addresses, "
             "serial numbers or home directory",
             options.anonymous, true);
  add.path({"--xhpl", "FILE", "the program (default: xhpl beside this one, or in PATH)"},
           options.xhpl);
  add.path({"--xhpl-mpirun", "FILE", "the program that starts ranks (default: likewise)"},
           options.starter);
  line.add_help("xhpl-campaign " HPL_VERSION);
  return line;
}

/// The flag that a word gives, if the program has it.
const Flag* find_flag(const std::vector<Flag>& flags, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  const auto found = std::ranges::find_if(
      flags, [&](const Flag& flag) { return std::ranges::count(flag.all_names(), name) > 0; });
  return found == flags.end() ? nullptr : &*found;
}

void require_proof(const CampaignOptions& options) {
  for (const auto& [given, flag] : {std::pair(options.anonymous, "--anonymous"),
                                    std::pair(options.seconds.has_value(), "--seconds")})
    if (given && !options.proof) throw ConfigError("{} belongs to --proof; give both", flag);
}

}  // namespace

std::vector<Flag> campaign_flags() {
  CampaignOptions options;
  return command_line(options).flags();
}

CampaignOptions parse_campaign_command_line(int argc, const char* const* argv) {
  CampaignOptions options;
  CommandLine line = command_line(options);
  std::vector<const char*> own(argv, argv + std::min(argc, 1));
  for (int i = 1; i < argc; ++i) {
    const Flag* const flag = find_flag(line.flags(), argv[i]);
    if (flag == nullptr) {
      options.flags.emplace_back(argv[i]);
      continue;
    }
    own.push_back(argv[i]);
    const bool value_follows =
        !flag->value.empty() && std::string_view(argv[i]).find('=') == std::string_view::npos;
    if (value_follows && i + 1 < argc) own.push_back(argv[++i]);
  }
  options.text = line.read(static_cast<int>(own.size()), own.data());
  if (!options.text.empty()) return options;
  if (!options.directory) {
    const bool names_one = !options.flags.empty() && !options.flags.front().starts_with('-');
    throw ConfigError("-o must say where the campaign's files go{}",
                      names_one ? fmt::format("; did you mean -o {}?", options.flags.front()) : "");
  }
  if (!options.hosts.empty() && options.host_file)
    throw ConfigError("--hosts and --hostfile exclude each other");
  require_proof(options);
  return options;
}

}  // namespace hpl::campaign
