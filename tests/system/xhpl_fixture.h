#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl_dat.h"
#include "process.h"
#include "report.h"

namespace hpl::test {

/// Runs the installed program as a user does, in a directory of its own that goes away afterwards.
class XhplTest : public testing::Test {
 protected:
  XhplTest();
  ~XhplTest() override;

  /// Puts HPL.dat (or another file) into the test's directory.
  void write_dat(const HplDat& dat);
  void write_file(const std::string& name, const std::string& text);
  std::string read_file(const std::string& name) const;

  /// mpirun -np ranks xhpl arguments...; `seconds` is the time it may take. Commands that measure
  /// the attainable rate leave it out: it would be most of a test's time. mpirun_measuring() has it
  /// (and takes the arguments as they are).
  Outcome mpirun(int ranks, const std::vector<std::string>& arguments = {}, int seconds = 60);

  Outcome mpirun_measuring(int ranks, const std::vector<std::string>& arguments = {});

  /// mpirun words...: whatever else is to be said to it.
  Outcome mpirun_words(const std::vector<std::string>& words, int seconds = 60);

  /// A command of the shell on a terminal of its own; what it shows is the output.
  Outcome on_terminal(const std::string& command);

  /// scripts/launch/xhpl-mpirun words..., by the launcher of this build
  Outcome launcher(const std::vector<std::string>& words);

  /// One rank for each element of `prefixes`, the words that stand before the program there:
  /// another environment, other cores.
  Outcome mpirun_each(const std::vector<std::vector<std::string>>& prefixes,
                      const std::vector<std::string>& arguments);

  /// One rank under a limit of the shell: "-f 100" are files of 51,200 bytes.
  Outcome mpirun_limited(const std::string& limit, const std::vector<std::string>& arguments);

  /// The program alone, without mpirun.
  Outcome alone(const std::vector<std::string>& arguments);

  const std::filesystem::path& directory() const { return directory_; }

 private:
  Outcome start(std::vector<std::string> words, int seconds);
  Outcome start_ranks(int ranks, const std::vector<std::string>& arguments, int seconds);

  std::filesystem::path directory_;
};

/// MPICH's launcher kills all ranks as soon as one is killed, and gives the number of the signal.
/// Open MPI's lets them speak first, and gives the code of a shell.
#if defined(HPL_HYDRA)
inline constexpr bool kHydra = true;
#else
inline constexpr bool kHydra = false;
#endif
inline constexpr int kCodeOfAKilledRank = kHydra ? 9 : 128 + 9;

/// The rank of a process in the words of a shell, by Open MPI's launcher or MPICH's.
inline const std::string kShellRank = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}";

/// The words before a program that runs under a limit of the shell, such as "-v 400000".
std::vector<std::string> under_limit(const std::string& limit);

/// Flags of `xhpl tune` that leave few settings to try: those of NB.
std::vector<std::string> narrow_search();

/// Success if the job ended well and every one of `runs` runs passed.
testing::AssertionResult all_passed(const Outcome& outcome, int runs);

/// Success if the job refused its input: exit code 2, no run started, and `fragment` (a regular
/// expression, case ignored) is part of exactly one line of what it said.
testing::AssertionResult refused(const Outcome& outcome, const std::string& fragment);

}  // namespace hpl::test
