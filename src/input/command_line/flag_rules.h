#pragma once

#include <array>
#include <string_view>

#include "hpl/input/command_line/options.h"

namespace hpl {

/// Flags that exclude or need each other. A flag counts where it asks for something else than the
/// default, "--balance=rates" with this value alone.
struct FlagRule {
  enum Kind { kExcludes, kNeeds };

  std::string_view flags;
  Kind kind;  ///< any of `flags` excludes any of `others`, or needs the one there
  std::string_view others;
  std::string_view reason;  ///< empty: both names say it
};

// Values that count by themselves.
inline constexpr std::string_view kHostShare = "--matrix=host:share";
inline constexpr std::string_view kMeasuredShare = "--matrix=host:share=auto";
inline constexpr std::string_view kChecksums = "--verify=always";
/// Of the command mxp as well.
inline constexpr std::string_view kMixed = "--mxp";

inline constexpr std::array<FlagRule, 19> kFlagRules{{
    {"-N", FlagRule::kExcludes, "--mem-fraction", "both choose N"},
    {"--auto", FlagRule::kExcludes, "--dat", "both choose the runs"},
    {"--grid", FlagRule::kExcludes, "-P -Q", "both choose the grid"},
    {"--for", FlagRule::kExcludes, "--repeat", "both say how often"},
    {"-q", FlagRule::kExcludes, "-v", "one shows less, the other more"},

    {kHostShare, FlagRule::kExcludes, "--arithmetic", "the host's products are in FP64"},
    {kHostShare, FlagRule::kExcludes, kChecksums, "checksums are compared on the device"},
    {kMeasuredShare, FlagRule::kExcludes, "--reproducible", "the share follows what is measured"},
    {"--reproducible", FlagRule::kExcludes, "--balance=rates",
     "rates are measured anew in every job"},

    {kMixed, FlagRule::kExcludes, "--arithmetic",
     "--precision is the format of HPL-MxP's products"},
    {kMixed, FlagRule::kExcludes, "--matrix", "the matrix of HPL-MxP lives in the device's memory"},
    {kMixed, FlagRule::kExcludes, kChecksums, "checksums are those of FP64"},
    {kMixed, FlagRule::kExcludes, "--min-peak-efficiency", "Rpeak is a rate of FP64"},
    {"--mxp-matrix --mxp-diagonal --precision --storage --solver", FlagRule::kNeeds, kMixed, ""},
    {"--storage=16", FlagRule::kExcludes, "--precision=fp32",
     "products of FP32 need a matrix of 32 bits"},

    {"--ranks-per-node", FlagRule::kNeeds, "--ranks", ""},
    {"--power-scope", FlagRule::kNeeds, "--power-command",
     "or give it to xhpl-report with --power-log"},

    {"--min-efficiency", FlagRule::kExcludes, "--no-attainable", "it needs the attainable rate"},
    {"--min-gflops --min-efficiency --min-peak-efficiency --max-spread", FlagRule::kExcludes,
     "--stop-after --plan", "gates judge whole runs"},
}};

/// Throws ConfigError where flags exclude or need each other by the table.
void refuse_contradictions(const Options& options);

}  // namespace hpl
