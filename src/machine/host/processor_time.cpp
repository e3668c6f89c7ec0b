#include "hpl/machine/host/processor_time.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "hpl/base/record/record.h"
#include "hpl/machine/host/versions.h"

namespace hpl {

void describe(Record& record, ProcessorTime& time) {
  record("host", time.host);
  record("cores", time.cores);
  record("all", time.all);
  record("own", time.own);
}

ProcessorTime processor_time(const FileReader& read) {
  ProcessorTime time{.host = host_name(),
                     .cores = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)))};
  // user nice system idle iowait irq softirq steal; guests are part of the first two.
  constexpr std::size_t kIdle = 4, kWaiting = 5, kLast = 8;
  const std::string text = read("/proc/stat").value_or("");
  const auto words = split_words(std::string_view(text).substr(0, text.find('\n')));
  double ticks = 0;
  for (std::size_t i = 1; i <= kLast && i < words.size() && words[0] == "cpu"; ++i)
    if (i != kIdle && i != kWaiting)
      ticks += static_cast<double>(parse_integer(words[i]).value_or(0));
  time.all = ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  timespec own{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  time.own = static_cast<double>(own.tv_sec) + 1e-9 * static_cast<double>(own.tv_nsec);
  return time;
}

ProcessorTime operator-(ProcessorTime end, const ProcessorTime& begin) {
  end.all -= begin.all;
  end.own -= begin.own;
  return end;
}

}  // namespace hpl
