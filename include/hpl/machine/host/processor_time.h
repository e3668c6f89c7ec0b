#pragma once

#include <string>

#include "hpl/machine/host/text_file.h"

namespace hpl {

class Record;

/// Processor time since some moment, and the processors that could give it.
struct ProcessorTime {
  std::string host;
  int cores = 1;   ///< of the host
  double all = 0;  ///< s, of all processes of the host, and what a hypervisor gave to others
  double own = 0;  ///< s, of this process
};
void describe(Record& record, ProcessorTime& time);

/// Since the host and the process started. `all` is 0 where the system does not tell.
ProcessorTime processor_time(const FileReader& read = read_text_file);

/// From `begin` to `end`.
ProcessorTime operator-(ProcessorTime end, const ProcessorTime& begin);

}  // namespace hpl
