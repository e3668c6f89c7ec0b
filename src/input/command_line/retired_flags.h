#pragma once

#include <array>
#include <string_view>

namespace hpl {

struct RetiredFlag {
  std::string_view name;
  std::string_view instead;
};

/// Flags of xhpl before it had commands.
inline constexpr std::array<RetiredFlag, 24> kRetiredFlags{{
    {"--check", "xhpl check"},
    {"--deep-seconds", "xhpl check --deep=TIME"},
    {"--check-tolerance", "--tolerance"},
    {"--each", "xhpl fleet"},
    {"--check-spreads", "xhpl fleet --spreads"},
    {"--write-reference", "xhpl fleet --json: every report of a fleet is a reference"},
    {"--tune", "xhpl tune -o FILE"},
    {"--tune-for", "xhpl tune --for"},
    {"--tune-method", "xhpl tune --method"},
    {"--measure-rates", "xhpl rates -o FILE"},
    {"--list-devices", "xhpl devices"},
    {"--dry-run", "xhpl plan"},
    {"--explain", "xhpl plan"},
    {"--write-dat", "xhpl plan -o FILE"},
    {"--verify-steps", "--verify always"},
    {"--no-verify-steps", "--verify never"},
    {"--verify-interval", "--verify STEPS"},
    {"--host-schedule", "--matrix host:schedule=KIND"},
    {"--visit-steps", "--matrix host:steps=STEPS"},
    {"--visit-columns", "--matrix host:columns=COLUMNS"},
    {"--host-share", "--matrix host:share=SHARE"},
    {"--no-progress", "--progress never"},
    {"--no-ceiling", "--no-attainable"},
    {"-p", "--node-rows; rows of the grid are -P"},
}};

}  // namespace hpl
