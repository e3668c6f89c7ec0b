#include "hpl/machine/host/versions.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(Versions, CutsAnMpiBannerToItsName) {
  EXPECT_EQ(short_library_version("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, 2022"),
            "Open MPI v4.1.4");
  EXPECT_EQ(short_library_version("\n  MPICH Version:\t4.0.2\nMPICH Release date: ...\n"),
            "MPICH Version:\t4.0.2");
  EXPECT_EQ(short_library_version(" \n"), "unknown");
}

TEST(Versions, NameProgramCompilerMpiBlasAndBackEnds) {
  const auto lines = version_lines({.mpi_library = "Some MPI 1.2, built today",
                                    .back_ends = {"cpu", "cuda 13.0"},
                                    .not_built = {"hip"}});
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0].first, "xhpl");
  EXPECT_EQ(lines[0].second, program_version() + ", commit unknown");  // tests have none
  EXPECT_EQ(lines[1].second, compiler_version());
  EXPECT_EQ(lines[2].second, "Some MPI 1.2");
  EXPECT_FALSE(lines[3].second.empty());
  EXPECT_EQ(lines[4].second, "cpu, cuda 13.0 (not built: hip)");
}

TEST(Versions, DescribeTheHostWithoutAnEmptyValue) {
  for (const auto& [label, value] : host_lines()) {
    EXPECT_FALSE(value.empty()) << label;
  }
}

TEST(Versions, ABatchJobHasTheNumberThatItsSystemGave) {
  const auto job = [](const std::string& variable) {
    return batch_job([&](const char* name) {
      return name == variable ? std::optional<std::string>("4711") : std::nullopt;
    });
  };
  EXPECT_EQ(to_string(job("SLURM_JOB_ID").value()), "Slurm job 4711");
  EXPECT_EQ(to_string(job("PBS_JOBID").value()), "PBS job 4711");
  EXPECT_FALSE(job("NONE"));
}

TEST(Versions, AHostHasTheNameThatSlurmTakes) {
  const auto name = [](const char* own, std::optional<std::string> slurm) {
    return name_for_scheduler(own, [&](const char*) { return slurm; });
  };
  EXPECT_EQ(name("node01.cluster.site", "node01"), "node01");
  EXPECT_EQ(name("node01", "node01"), "node01");
  EXPECT_EQ(name("node01.cluster", std::nullopt), "node01.cluster");
  EXPECT_EQ(name("node01.cluster", ""), "node01.cluster");
  EXPECT_EQ(name("node011.cluster", "node01"), "node011.cluster");
  EXPECT_EQ(name("node02.cluster", "node01"), "node02.cluster") << "copied from another host";
}

}  // namespace
}  // namespace hpl
