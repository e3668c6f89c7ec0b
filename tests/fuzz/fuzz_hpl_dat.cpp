#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "hpl_dat_property.h"

/// libFuzzer's entry: an abort is what it records as a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto fault = hpl::test::hpl_dat_fault(text)) {
    std::fprintf(stderr, "%s\n", fault->c_str());
    std::abort();
  }
  return 0;
}
