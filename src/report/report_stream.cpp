#include "hpl/report/report_stream.h"

#include <cerrno>
#include <cstring>
#include <iostream>

#include <fmt/format.h>

#include "hpl/base/error.h"

namespace hpl {
namespace {

constexpr int kStandardOutput = 6;
constexpr int kStandardError = 7;

}  // namespace

ReportStream::ReportStream(int device_out, const std::string& file_name) : stream_(&std::cout) {
  if (device_out == kStandardOutput) return;
  if (device_out == kStandardError) {
    stream_ = &std::cerr;
    return;
  }
  errno = 0;
  file_.open(file_name, std::ios::out | std::ios::trunc);
  if (!file_) {
    throw ConfigError(fmt::format("HPL.dat line 3: cannot write the report to '{}': {}", file_name,
                                  std::strerror(errno)));
  }
  stream_ = &file_;
}

}  // namespace hpl
