#include "hpcx/blas_library.h"

#include <cstdio>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace hpcx::host {
namespace {

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string output;
  for (int c = 0; pipe && (c = std::fgetc(pipe.get())) != EOF;)
    output += static_cast<char>(c);
  return output;
}

struct MadeUp {
  const char *library, *description;
};

class BlasLibrary : public testing::TestWithParam<MadeUp> {};

TEST_P(BlasLibrary, IsNamedAndAskedForOneThreadByEachThread) {
  EXPECT_EQ(output_of(std::string("'" HPL_BLAS_PROBE) + GetParam().library + "'"),
            std::string("threads 1\nthreads 1\n") + GetParam().description + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    MadeUp, BlasLibrary,
    testing::Values(MadeUp{"OpenBLAS", "OpenBLAS|0.3.99||"}, MadeUp{"BLIS", "BLIS|1.2|generic|"},
                    MadeUp{"AOCL", "AOCL-BLAS|5.0.0|generic|"}, MadeUp{"MKL", "MKL|2026.2|AVX2|"},
                    MadeUp{"FlexiBLAS", "FlexiBLAS over OPENBLAS|||"},
                    MadeUp{"ArmPL", "ArmPL|24.10||"}, MadeUp{"NVPL", "NVPL|0.3.1||"},
                    MadeUp{"OpenMP", "CBLAS|||threads unknown"}),
    [](const auto& library) { return std::string(library.param.library); });

}  // namespace
}  // namespace hpcx::host
