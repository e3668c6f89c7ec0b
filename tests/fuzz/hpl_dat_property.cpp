#include "hpl_dat_property.h"

#include <exception>

#include "hpl/base/error/error.h"
#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/input/plan/plan.h"

namespace hpl::test {
namespace {

bool is_printable(std::string_view text) {
  for (const char c : text) {
    if (c < 0x20 || c > 0x7e) return false;
  }
  return true;
}

std::optional<std::string> message_fault(std::string_view message) {
  if (!message.starts_with("HPL.dat line ")) return "message names no line";
  if (!is_printable(message)) return "message is not printable";
  if (message.size() > kLongestMessage) return "message is too long";
  return std::nullopt;
}

/// Refusals of a plan name lists and grids, not lines.
void plan_or_refuse(const HplDat& dat) {
  try {
    validate_grid(dat, 64);
    // The property is about overflow and limits, not about a million runs for every input.
    if (dat.orders.size() < 10) plan_runs(dat);
  } catch (const ConfigError&) {
  }
}

}  // namespace

std::optional<std::string> hpl_dat_fault(std::string_view text) try {
  HplDat dat;
  try {
    dat = parse_hpl_dat(text, "HPL.dat");
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    if (const auto fault = message_fault(message)) return *fault + ": " + message;
    return std::nullopt;
  }
  for (const auto& remark : dat.remarks) {
    if (const auto fault = message_fault(remark.text))
      return "remark: " + *fault + ": " + remark.text;
  }
  plan_or_refuse(dat);
  dat.remarks.clear();
  if (parse_hpl_dat(write_hpl_dat(dat), "HPL.dat") != dat) return "round trip differs";
  return std::nullopt;
} catch (const std::exception& error) {
  return std::string("unexpected exception: ") + error.what();
}

}  // namespace hpl::test
