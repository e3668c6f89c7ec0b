#include <filesystem>
#include <string>
#include <vector>

#include "xhpl_fixture.h"

// lab/scripts/compare-netlib with stand-ins for netlib HPL and the DGEMM bench, whose rates are
// known.

namespace hpl::test {
namespace {

class CompareNetlib : public XhplTest {
 protected:
  /// A program of a few lines of shell.
  void write_program(const std::string& name, const std::string& lines) {
    namespace fs = std::filesystem;
    write_file(name, "#!/bin/sh\n" + lines);
    fs::permissions(fs::path(directory()) / name, fs::perms::owner_all);
  }
  /// Reads HPL.dat as netlib does, and takes a second for whatever it says.
  void write_netlib(const std::string& verdict) {
    write_program(
        "netlib",
        "[ \"${OMPI_COMM_WORLD_RANK:-0}\" = 0 ] || exit 0\n"
        "set -- $(awk 'NR == 6 || NR == 8 || NR == 11 || NR == 12 { print $1 }' HPL.dat)\n"
        "echo \"WR00R2C4 $1 $2 $3 $4 1.00 5.0000e+01\"\n"
        "echo '||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= 1.0e-03 ...... " +
            verdict + "'\n");
  }
  Outcome compare(std::vector<std::string> words) {
    words.insert(words.begin(),
                 {HPL_LAB_SCRIPTS_DIR "/compare-netlib", "--repeats", "1", "--orders", "100",
                  "--nb", "16", "--cores", "1", "--csv", "all.csv"});
    return run({.words = std::move(words), .directory = directory(), .environment = {}});
  }
};

TEST_F(CompareNetlib, MeasuresAllThreeAndPrintsTheirRatios) {
  write_netlib("PASSED");
  write_program("dgemm", "echo '1 threads: 1000.0 GFLOP/s'\n");
  const Outcome outcome =
      compare({"--grids", "1x1,1x2", "--xhpl", HPL_XHPL_PATH, "--netlib", "netlib", "--dgemm",
               "dgemm", "--xhpl-option=--pipeline=serial"});
  ASSERT_EQ(outcome.exit_code, 0) << describe(outcome);
  const std::string all = read_file("all.csv");
  for (const char* const line :
       {"1,netlib,100,16,1,1,1,50.0,1.0\r\n", "1,netlib,100,16,1,2,1,50.0,1.0\r\n",
        "1,dgemm,100,0,1,1,1,1000.0,0.0\r\n", "1,xhpl,100,16,1,2,1,"})
    EXPECT_NE(all.find(line), std::string::npos) << line << all;
  for (const char* const cells :
       {"\n| 100 | 50.0 (16, 1 x 1) | ", "\n| 100 | 50.0 (16, 1 x 2) | ", " | 1000.0 | "})
    EXPECT_NE(outcome.output.find(cells), std::string::npos) << cells << outcome.output;
}

TEST_F(CompareNetlib, EndsWhereAResidualFails) {
  write_netlib("FAILED");
  const Outcome outcome =
      compare({"--grids", "1x1", "--xhpl", "none", "--dgemm", "none", "--netlib", "netlib"});
  EXPECT_EQ(outcome.exit_code, 3) << describe(outcome);
  EXPECT_NE(outcome.errors.find("netlib HPL ran N = 100 but did not pass"), std::string::npos)
      << outcome.errors;
  EXPECT_NE(outcome.errors.find("not found, left out: xhpl"), std::string::npos) << outcome.errors;
}

TEST_F(CompareNetlib, NeedsAnHpl) {
  const Outcome outcome = compare({"--xhpl", "none", "--dgemm", "none", "--netlib", "none"});
  EXPECT_EQ(outcome.exit_code, 2) << describe(outcome);
  EXPECT_NE(outcome.errors.find("not found, left out: netlib HPL"), std::string::npos)
      << outcome.errors;
}

}  // namespace
}  // namespace hpl::test
