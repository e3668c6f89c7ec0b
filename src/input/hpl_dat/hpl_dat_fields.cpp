#include "hpl/input/hpl_dat/hpl_dat_fields.h"

#include <limits>

#include <fmt/format.h>

namespace hpl {

namespace {

std::string range_text(const IntegerRange& range) {
  if (range.most == std::numeric_limits<std::int32_t>::max())
    return fmt::format("{} or more", range.least);
  return fmt::format("{} to {}", range.least, range.most);
}

}  // namespace

std::string allowed_text(const HplDatField& field) {
  if (!field.allowed.empty()) return std::string(field.allowed);
  if (field.choices != nullptr) return field.choices();
  const std::string allowed = range_text(*field.range);
  return field.otherwise ? fmt::format("{}; less is read as {}", allowed, *field.otherwise)
                         : allowed;
}

}  // namespace hpl
