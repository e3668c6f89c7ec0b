#include "hpl/base/record/text_forms.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace hpl {

namespace {

constexpr std::string_view kTimes = "a time as ISO 8601 writes it";

std::string hash_text(const std::uint64_t& hash) {
  return fmt::format("{:016x}", hash);
}

std::optional<std::uint64_t> hash_of(std::string_view text) {
  std::uint64_t hash = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, hash, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return hash;
}

std::string utc_text(const std::time_t& time) {
  return utc_time(time);
}

std::optional<std::time_t> utc_of(std::string_view text) {
  const auto time = parse_iso_time(text);
  return time ? std::optional(static_cast<std::time_t>(std::floor(time->seconds))) : std::nullopt;
}

}  // namespace

const TextForm<std::string> kTextOrNull{
    [](const std::string& text) { return text; },
    [](std::string_view text) { return std::optional<std::string>(text); }, "a text"};
const TextForm<ZonedTime> kZonedTimeForm{iso_time, parse_iso_time, kTimes};
const TextForm<std::time_t> kUtcTimeForm{utc_text, utc_of, kTimes};
const TextForm<std::uint64_t> kHashForm{hash_text, hash_of, "a hash of 16 hexadecimal digits",
                                        "^[0-9a-f]{16}$"};

}  // namespace hpl
