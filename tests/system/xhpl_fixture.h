#pragma once

#include <unistd.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hpl_dat.h"
#include "process.h"
#include "report.h"
#include "support/few_cores.h"
#include "support/temporary_directory.h"
#include "support/words.h"

namespace hpl::test {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Runs the installed program as a user does, in a directory of its own that goes away afterwards.
class XhplTest : public testing::Test {
 protected:
  XhplTest() { stay_on_cores(4, getpid()); }

  /// Puts HPL.dat (or another file) into the test's directory.
  void write_dat(const HplDat& dat);
  void write_file(const std::string& name, const std::string& text) {
    directory_.write(name, text);
  }
  std::string read_file(const std::string& name) const { return directory_.read(name); }

  /// A file that a program has written.
  nlohmann::json json_file(const std::string& name) const {
    return nlohmann::json::parse(read_file(name));
  }
  /// A script of the shell, or another interpreter.
  void write_program(const std::string& name, const std::string& text);

  /// mpirun -np ranks xhpl arguments...; `seconds` is the time it may take. Commands that measure
  /// the attainable rate leave it out: it would be most of a test's time. mpirun_measuring() has it
  /// (and takes the arguments as they are).
  Outcome mpirun(int ranks, const Words& arguments = {}, int seconds = 60);

  Outcome mpirun_measuring(int ranks, const Words& arguments = {}, int seconds = 60);

  /// mpirun words...: whatever else is to be said to it.
  Outcome mpirun_words(const Words& words, int seconds = 60);

  /// A command of the shell on a terminal of its own; what it shows is the output.
  Outcome on_terminal(const std::string& command);

  /// scripts/launch/xhpl-mpirun words..., by the launcher of this build
  Outcome launcher(const Words& words);

  /// One rank for each element of `prefixes`, the words that stand before the program there:
  /// another environment, other cores.
  Outcome mpirun_each(const std::vector<Words>& prefixes, const Words& arguments);

  /// One rank under a limit of the shell: "-f 100" are files of 51,200 bytes.
  Outcome mpirun_limited(const std::string& limit, const Words& arguments);

  /// The program alone, without mpirun.
  Outcome alone(const Words& arguments, const Variables& environment = {});

  Outcome report(const Words& arguments);  ///< xhpl-report

  /// Any program; `environment` is added to this process's own.
  Outcome program(const Words& words, const Variables& environment = {}, int seconds = 60);

  /// A script of the shell; `words` are its $0, $1...
  Outcome shell(const std::string& script, const Words& words = {HPL_XHPL_PATH});

  const std::filesystem::path& directory() const { return directory_.path(); }

 private:
  TemporaryDirectory directory_;
};

/// MPICH's launcher kills all ranks as soon as one is killed, and gives the number of the signal.
/// Open MPI 5's does so a quarter of a second later, Open MPI 4's lets them speak first. Both give
/// the code of a shell.
#if defined(HPL_HYDRA)
inline constexpr bool kHydra = true;
#else
inline constexpr bool kHydra = false;
#endif
#if defined(HPL_HYDRA) || defined(HPL_PRRTE)
inline constexpr bool kKillsAtOnce = true;
#else
inline constexpr bool kKillsAtOnce = false;
#endif
inline constexpr int kCodeOfAKilledRank = kHydra ? 9 : 128 + 9;

/// The rank of a process in the words of a shell, by Open MPI's launcher or MPICH's.
inline const std::string kShellRank = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}";

/// The words before a program that runs under a limit of the shell, such as "-v 400000".
Words under_limit(const std::string& limit);

/// Flags of `xhpl tune` that leave few settings to try: those of NB.
Words narrow_search();

/// A report with its long lines, which it folds, whole again.
std::string unfolded(std::string text);

/// Success if all of `parts` are in what the program said on its two streams.
testing::AssertionResult shows(const Outcome& outcome, std::initializer_list<std::string> parts);

/// The same of a program that ended by itself with `exit_code`.
testing::AssertionResult ended_with(const Outcome& outcome, int exit_code,
                                    std::initializer_list<std::string> parts = {});

/// Success if the job ended well and every one of `runs` runs passed.
testing::AssertionResult all_passed(const Outcome& outcome, int runs);

/// Success if the job refused its input: exit code 2, no run started, and `fragment` (a regular
/// expression, case ignored) is part of exactly one line of what it said.
testing::AssertionResult refused(const Outcome& outcome, const std::string& fragment);

}  // namespace hpl::test
