#include "hpl/machine/host/processor.h"

#include <unistd.h>

#include <optional>

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(ProcessorTime, CountsWhatAHostDidAndAHypervisorTook) {
  const ProcessorTime time = processor_time([](const std::string& path) {
    return path == "/proc/stat"
               ? std::optional<std::string>("cpu  100 20 30 5000 700 4 6 40 90 0\ncpu0 1 1 1 1\n")
               : std::nullopt;
  });
  EXPECT_DOUBLE_EQ(time.all * static_cast<double>(sysconf(_SC_CLK_TCK)), 200);
  EXPECT_GE(time.cores, 1);
}

TEST(ProcessorTime, OfAHostThatDoesNotTellIsNone) {
  EXPECT_EQ(processor_time([](const std::string&) { return std::nullopt; }).all, 0);
}

TEST(ProcessorTime, OfThisProcessGrows) {
  const ProcessorTime begin = processor_time();
  double sum = 0;
  while ((processor_time() - begin).own < 0.002)
    sum += 1;
  EXPECT_GT(sum, 0);
}

}  // namespace
}  // namespace hpl
