#pragma once

#include <fstream>
#include <iosfwd>
#include <string>

namespace hpl {

/// The stream a text report goes to: borrows stdout or stderr, owns a file.
class ReportStream {
 public:
  /// HPL.dat lines 3 and 4: `device_out` 6 is stdout, 7 stderr, anything else the file `file_name`,
  /// whose former content is replaced as netlib does. Throws ConfigError when the file cannot be
  /// written.
  ReportStream(int device_out, const std::string& file_name);

  ReportStream(const ReportStream&) = delete;
  ReportStream& operator=(const ReportStream&) = delete;

  std::ostream& stream() { return *stream_; }

 private:
  std::ofstream file_;
  std::ostream* stream_;
};

}  // namespace hpl
