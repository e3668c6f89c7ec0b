#include <cstdio>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "hpl/machine/host/environment.h"

namespace hpl {
namespace {

/// Standard output of the probe, started by a shell without any of the variables in question.
std::string run_probe(const std::string& assignments, const std::string& arguments) {
  const auto command =
      "env -u HPL_REEXEC -u HPL_BLAS_PICKED -u OPENBLAS_CORETYPE -u OPENBLAS_NUM_THREADS "
      "-u OMP_NUM_THREADS -u MKL_NUM_THREADS -u BLIS_NUM_THREADS " +
      assignments + " '" HPL_RESTART_PROBE "' " + arguments;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string output;
  for (int c = 0; pipe && (c = std::fgetc(pipe.get())) != EOF;) {
    output += static_cast<char>(c);
  }
  return output;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Restart, SetsTheThreadsAndKeepsTheArguments) {
  const auto output = run_probe("", "-N 'a b'");
  EXPECT_TRUE(contains(output, "HPL_REEXEC=1\nOPENBLAS_NUM_THREADS=1\nOMP_NUM_THREADS=1\n"))
      << output;
  EXPECT_TRUE(contains(output, "argument -N\nargument a b\n")) << output;
}

TEST(Restart, MendsTheKernelAndSaysSo) {
  const auto better = better_core_type("Prescott", cpu_features());
  if (!better) {
    GTEST_SKIP() << "this machine has nothing better than SSE";
  }
  const auto output = run_probe("", "");
  EXPECT_TRUE(
      contains(output, "kernel " + *better + " (chosen by xhpl; the library had picked Prescott)"))
      << output;
}

TEST(Restart, KeepsTheUsersKernelAndThreads) {
  const auto output = run_probe("OPENBLAS_CORETYPE=Nehalem OMP_NUM_THREADS=7", "");
  EXPECT_TRUE(contains(output, "OMP_NUM_THREADS=7\n")) << output;
  EXPECT_TRUE(contains(output, "kernel Nehalem (the user set OPENBLAS_CORETYPE=Nehalem)"))
      << output;
}

TEST(Restart, CanBeForbidden) {
  const auto output = run_probe("HPL_REEXEC=1", "");
  EXPECT_TRUE(contains(output, "OPENBLAS_NUM_THREADS=\n")) << output;
  EXPECT_TRUE(contains(output, "kernel Prescott, sequential\n")) << output;
}

}  // namespace
}  // namespace hpl
