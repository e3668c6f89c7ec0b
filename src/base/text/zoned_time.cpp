#include "hpl/base/text/zoned_time.h"

#include <chrono>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "hpl/base/text/text_value.h"

namespace hpl {

namespace {

/// Reads fields of fixed width from the front of a text.
class Fields {
 public:
  explicit Fields(std::string_view text) : text_(text) {}

  int number(std::size_t digits, int least, int most) {
    const auto value = text_.find_first_not_of("0123456789") < digits || text_.size() < digits
                           ? std::nullopt
                           : parse_integer(text_.substr(0, digits));
    good_ = good_ && value && *value >= least && *value <= most;
    text_.remove_prefix(std::min(digits, text_.size()));
    return good_ ? static_cast<int>(*value) : 0;
  }
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) { good_ = take(c) && good_; }
  double fraction() {
    const std::size_t digits = std::min(text_.find_first_not_of("0123456789"), text_.size());
    const auto value = parse_real(fmt::format("0.{}", text_.substr(0, digits)));
    good_ = good_ && digits > 0 && value;
    text_.remove_prefix(digits);
    return good_ ? *value : 0;
  }
  bool good_to_the_end() const { return good_ && text_.empty(); }

 private:
  std::string_view text_;
  bool good_ = true;
};

}  // namespace

ZonedTime zoned_now() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t whole = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  const bool known = ::localtime_r(&whole, &parts) != nullptr;
  return {.seconds = std::chrono::duration<double>(now.time_since_epoch()).count(),
          .zone_offset_seconds = known ? static_cast<std::int32_t>(parts.tm_gmtoff) : 0};
}

std::string iso_time(const ZonedTime& time) {
  if (!(time.seconds > 0) || !(time.seconds < 1e11)) return {};
  const auto milliseconds = static_cast<std::int64_t>(std::llround(time.seconds * 1e3));
  const std::time_t local = milliseconds / 1000 + time.zone_offset_seconds;
  std::tm parts{};
  if (::gmtime_r(&local, &parts) == nullptr) return {};
  const int minutes = std::abs(time.zone_offset_seconds) / 60;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}{}{:02}:{:02}", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     milliseconds % 1000, time.zone_offset_seconds < 0 ? '-' : '+', minutes / 60,
                     minutes % 60);
}

std::optional<ZonedTime> parse_iso_time(std::string_view text) {
  Fields fields(text);
  std::tm parts{};
  parts.tm_year = fields.number(4, 1970, 9999) - 1900;
  fields.expect('-');
  parts.tm_mon = fields.number(2, 1, 12) - 1;
  fields.expect('-');
  parts.tm_mday = fields.number(2, 1, 31);
  fields.expect('T');
  parts.tm_hour = fields.number(2, 0, 23);
  fields.expect(':');
  parts.tm_min = fields.number(2, 0, 59);
  fields.expect(':');
  parts.tm_sec = fields.number(2, 0, 60);
  const double fraction = fields.take('.') ? fields.fraction() : 0;
  int offset = 0;
  if (!fields.take('Z')) {
    const bool west = fields.take('-');
    if (!west) fields.expect('+');
    const int hours = fields.number(2, 0, 23);
    fields.expect(':');
    offset = (west ? -60 : 60) * (60 * hours + fields.number(2, 0, 59));
  }
  if (!fields.good_to_the_end()) return std::nullopt;
  return ZonedTime{.seconds = static_cast<double>(::timegm(&parts)) + fraction - offset,
                   .zone_offset_seconds = offset};
}

}  // namespace hpl
