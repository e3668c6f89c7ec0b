#include "hpl/report/text/report_stream.h"

#include <cerrno>
#include <cstring>
#include <iostream>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

namespace hpl {

ReportStream::ReportStream(OutputDevice device, const std::string& file_name,
                           const std::string& origin)
    : stream_(device == OutputDevice::Stderr ? &std::cerr : &std::cout) {
  if (device != OutputDevice::File) return;
  errno = 0;
  file_.open(file_name, std::ios::out | std::ios::trunc);
  if (!file_) {
    throw ConfigError("{}: cannot write the report to '{}': {}", origin, shown_text(file_name),
                      std::strerror(errno));
  }
  stream_ = &file_;
  // Whoever has not asked for a file looks for the results here.
  if (origin != "--output")
    std::cerr << fmt::format("# the report goes to {} ({})\n", shown_text(file_name), origin);
}

}  // namespace hpl
