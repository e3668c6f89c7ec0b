#pragma once

#include <fstream>
#include <iosfwd>
#include <string>

#include "hpl/input/hpl_dat/hpl_dat.h"

namespace hpl {

/// The stream a text report goes to: borrows stdout or stderr, owns a file.
class ReportStream {
 public:
  /// HPL.dat lines 3 and 4. The former content of a file is replaced as netlib does. `origin` says
  /// where its name stands: "HPL.dat line 3", "--output". Throws ConfigError when the file cannot
  /// be written.
  ReportStream(OutputDevice device, const std::string& file_name, const std::string& origin);

  ReportStream(const ReportStream&) = delete;
  ReportStream& operator=(const ReportStream&) = delete;

  std::ostream& stream() { return *stream_; }

 private:
  std::ofstream file_;
  std::ostream* stream_;
};

}  // namespace hpl
