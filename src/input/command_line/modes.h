#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "hpl/input/command_line/options.h"

namespace hpl {

/// The kinds of work that a command line asks for.
enum class Mode { Runs, Fleet, Check, Rates, Tune, DryRun, Explain, Devices, Version };

struct ModeRow {
  Mode mode;
  std::string_view flag;  ///< that asks for it; empty: nothing does
  bool (*given)(const Options& options);
};

/// The last mode that is given decides which outputs are written.
inline constexpr std::array<ModeRow, 9> kModes{{
    {Mode::Runs, "", [](const Options&) { return true; }},
    {Mode::Fleet, "--each", [](const Options& o) { return o.fleet.each.has_value(); }},
    {Mode::Check, "--check", [](const Options& o) { return o.check.only; }},
    {Mode::Rates, "--measure-rates", [](const Options& o) { return o.rates.output.has_value(); }},
    {Mode::Tune, "--tune", [](const Options& o) { return o.tune.dat_file.has_value(); }},
    {Mode::DryRun, "--dry-run", [](const Options& o) { return o.dry_run; }},
    {Mode::Explain, "--explain", [](const Options& o) { return o.explain; }},
    {Mode::Devices, "--list-devices", [](const Options& o) { return o.list_devices; }},
    {Mode::Version, "--version", [](const Options& o) { return o.show_version; }},
}};

/// Whether a mode writes an output. InDat: only as a field of the file of --write-dat.
enum class Written { No, Yes, InDat };

struct OutputRow {
  std::string_view flag;
  bool (*given)(const Options& options);
  std::array<Written, kModes.size()> by_mode;  ///< in the order of kModes

  Written in(Mode mode) const { return by_mode[static_cast<std::size_t>(mode)]; }
};

namespace detail {
inline constexpr Written kNo = Written::No, kYes = Written::Yes, kDat = Written::InDat;
}  // namespace detail

/// Every flag that names an output, or what an output tells of, and the modes that heed it.
inline constexpr std::array<OutputRow, 9> kOutputs = [] {
  using detail::kDat;
  using detail::kNo;
  using detail::kYes;
  using O = const Options&;
  // clang-format off
  return std::array<OutputRow, 9>{{
    // Runs, Fleet, Check, Rates, Tune, DryRun, Explain, Devices, Version
    {"--output", [](O o) { return o.outputs.report.has_value(); },
     {kYes,  kYes,  kYes,  kNo,   kYes, kDat,   kDat,    kNo,     kNo}},
    {"--write-dat", [](O o) { return o.outputs.dat.has_value(); },
     {kYes,  kYes,  kNo,   kNo,   kNo,  kYes,   kYes,    kNo,     kNo}},
    {"--json", [](O o) { return o.outputs.json.has_value(); },
     {kYes,  kYes,  kYes,  kNo,   kYes, kNo,    kNo,     kNo,     kNo}},
    {"--csv", [](O o) { return o.outputs.csv.has_value(); },
     {kYes,  kNo,   kNo,   kNo,   kNo,  kNo,    kNo,     kNo,     kNo}},
    {"--trace", [](O o) { return o.outputs.trace.has_value(); },
     {kYes,  kNo,   kNo,   kNo,   kNo,  kNo,    kNo,     kNo,     kNo}},
    {"--power-command", [](O o) { return !o.power.command.empty(); },
     {kYes,  kNo,   kNo,   kNo,   kNo,  kNo,    kNo,     kNo,     kNo}},
    {"--write-reference", [](O o) { return o.fleet.reference_copy.has_value(); },
     {kNo,   kYes,  kNo,   kNo,   kNo,  kNo,    kNo,     kNo,     kNo}},
    {"--pass-list", [](O o) { return o.fleet.pass_list.has_value(); },
     {kNo,   kYes,  kNo,   kNo,   kNo,  kNo,    kNo,     kNo,     kNo}},
    {"--fail-list", [](O o) { return o.fleet.fail_list.has_value(); },
     {kNo,   kYes,  kNo,   kNo,   kNo,  kNo,    kNo,     kNo,     kNo}},
  }};
  // clang-format on
}();

/// Throws ConfigError where two modes exclude each other, or where no mode that is given writes an
/// output that is.
void require_written_outputs(const Options& options);

}  // namespace hpl
