#include <cstdio>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "hpl/machine/host/environment.h"
#include "support/holds.h"

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

TEST(Restart, SetsTheThreadsAndKeepsTheArguments) {
  const auto output = run_probe("", "-N 'a b'");
  EXPECT_TRUE(test::holds(output, {"HPL_REEXEC=1\nOPENBLAS_NUM_THREADS=1\nOMP_NUM_THREADS=1\n",
                                   "argument -N\nargument a b\n"}));
}

TEST(Restart, MendsTheKernelAndSaysSo) {
  const auto better = better_core_type("Prescott", cpu_features());
  if (!better) {
    GTEST_SKIP() << "this machine has nothing better than SSE";
  }
  const auto output = run_probe("", "");
  EXPECT_TRUE(test::holds(
      output, {"kernel " + *better + " (chosen by xhpl; the library had picked Prescott)"}));
}

TEST(Restart, KeepsTheUsersKernelAndThreads) {
  const auto output = run_probe("OPENBLAS_CORETYPE=Nehalem OMP_NUM_THREADS=7", "");
  EXPECT_TRUE(test::holds(
      output, {"OMP_NUM_THREADS=7\n", "kernel Nehalem (the user set OPENBLAS_CORETYPE=Nehalem)"}));
}

TEST(Restart, CanBeForbidden) {
  const auto output = run_probe("HPL_REEXEC=1", "");
  EXPECT_TRUE(test::holds(output, {"OPENBLAS_NUM_THREADS=\n", "kernel Prescott, sequential\n"}));
}

}  // namespace
}  // namespace hpl
