#pragma once

#include <array>
#include <string_view>

#include "hpl/input/command_line/options.h"

namespace hpl {

/// Work in place of the runs, or of another form. The last mode that is given decides which outputs
/// are written.
struct ModeRow {
  std::string_view flag;         ///< empty: the runs
  std::string_view outputs;      ///< that it writes, or that its outputs tell of
  std::string_view fields = "";  ///< outputs that it names in the file of --write-dat
  std::string_view together =
      "";  ///< modes before it that it goes with: a plan is also shown of them
};

inline constexpr std::array<ModeRow, 9> kModes{{
    {"", "--output --write-dat --json --csv --trace --power-command"},
    {"--each", "--output --write-dat --json --write-reference --pass-list --fail-list"},
    {"--check", "--output --json"},
    {"--measure-rates", ""},
    {"--tune", "--output --json"},
    {"--dry-run", "--write-dat", "--output", "--each"},
    {"--explain", "--write-dat", "--output", "--each --dry-run"},
    {"--list-devices", ""},
    {"--version", ""},
}};

/// Flags that exclude or need each other. A flag counts where it asks for something else than the
/// default, "--balance=rates" with this value alone.
struct FlagRule {
  enum Kind { kExcludes, kNeeds };

  std::string_view flags;
  Kind kind;  ///< any of `flags` excludes any of `others`, or needs the one there
  std::string_view others;
  std::string_view reason;  ///< empty: both names say it
};

inline constexpr std::string_view kGates =
    "--min-gflops --min-efficiency --min-peak-efficiency --max-spread";
inline constexpr std::array<FlagRule, 22> kFlagRules{{
    {"-N", FlagRule::kExcludes, "--mem-fraction", "both choose N"},
    {"--auto", FlagRule::kExcludes, "--dat", "both choose the runs"},
    {"--grid", FlagRule::kExcludes, "-P -Q", "both choose the grid"},
    {"--for", FlagRule::kExcludes, "--repeat", "both say how often"},

    {"--host-share", FlagRule::kNeeds, "--matrix",
     "the host works on columns in its memory: --matrix host"},
    {"--host-share", FlagRule::kExcludes, "--arithmetic", "the host's products are in FP64"},
    {"--host-share", FlagRule::kExcludes, "--verify-steps", "checksums are compared on the device"},
    {"--host-share=auto", FlagRule::kExcludes, "--reproducible",
     "the share follows what is measured"},
    {"--host-schedule", FlagRule::kExcludes, "--visit-steps",
     "visits of the three-stage schedule are of one step"},
    {"--reproducible", FlagRule::kExcludes, "--balance=rates",
     "rates are measured anew in every job"},

    {"--check", FlagRule::kExcludes, "--no-check", ""},
    {"--deep", FlagRule::kNeeds, "--check", ""},
    {"--deep-seconds", FlagRule::kNeeds, "--deep", ""},
    {"--verify-interval", FlagRule::kNeeds, "--verify-steps", ""},
    {"--power-scope", FlagRule::kNeeds, "--power-command",
     "or give it to xhpl-report with --power-log"},

    {"--min-efficiency", FlagRule::kExcludes, "--no-ceiling", "it needs the DGEMM rate"},
    {kGates, FlagRule::kExcludes, "--stop-after", "gates judge whole runs"},

    {"--tune-for --tune-method", FlagRule::kNeeds, "--tune", ""},
    {"--tune", FlagRule::kExcludes,
     "--dat --auto --repeat --stop-after --verify-steps --reproducible",
     "it makes trials in place of runs"},
    {"--tune", FlagRule::kExcludes, kGates, "it makes trials in place of runs"},

    {"--for --check-spreads --reference --expect-hosts", FlagRule::kNeeds, "--each", ""},
    {"--each", FlagRule::kExcludes, "--stop-after -p -q", ""},
}};

/// Throws ConfigError where flags exclude or need each other by the tables.
void refuse_contradictions(const Options& options);

}  // namespace hpl
