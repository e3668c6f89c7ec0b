#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

/// Sanitized programs take several times as long, to start MPI above all.
#if defined(HPL_SANITIZE_THREAD)
constexpr int kSlowdown = 4;
#elif defined(HPL_SANITIZE_ADDRESS)
constexpr int kSlowdown = 2;
#else
constexpr int kSlowdown = 1;
#endif
/// For --watchdog where a job only starts and ends.
const std::string kShortLimit = std::to_string(kSlowdown);

/// Ranks that die, stop or lose touch in the middle of a run: the others end, and one speaks.
class Failures : public XhplTest {
 protected:
  /// A job that breaks as `orders` say (tests/support/broken_mpi.cpp).
  Outcome broken(int ranks, const Words& orders, const Words& arguments) {
    return mpirun_words(Words{"-np", std::to_string(ranks), "env", "LD_PRELOAD=" HPL_BROKEN_MPI} +
                        orders + Words{HPL_XHPL_PATH} + arguments);
  }

  /// Four ranks, of which one breaks at its so manieth message. A crowded machine may need longer
  /// for a step than the watchdog's time and so does not come that far: then again, with more time.
  Outcome broken_run(const std::string& order, const std::string& pipeline,
                     const Words& further = {}) {
    Outcome outcome;
    for (const int seconds : {4, 20}) {
      std::filesystem::remove(directory() / "due");
      run_limit_ = std::to_string(seconds * kSlowdown);
      outcome = broken(4, "XHPL_TEST_BREAK=" + order,
                       "-N 800 --NB 16 -P 2 -Q 2 --no-attainable --watchdog " + run_limit_ +
                           " --pipeline " + pipeline + further);
      if (std::filesystem::exists(directory() / "due")) break;
    }
    return outcome;
  }
  /// The first words of the watchdog on the last broken_run().
  std::string no_step_finished() const { return "no step finished in " + run_limit_ + " s"; }

  /// Ranks in one process row, of which one breaks otherwise.
  Outcome broken_row(int ranks, int columns, const Words& order, const Words& further = {}) {
    return broken(ranks, order,
                  "-N 100 --NB 16 -P 1 --no-attainable -Q " + std::to_string(columns) + further);
  }

 private:
  std::string run_limit_;
};

/// The words before a program that runs in another directory.
Words in(const std::string& directory) {
  return {"env", "--chdir=" + directory};
}

std::vector<std::string> messages_of(const Outcome& outcome) {
  std::vector<std::string> messages;
  for (const std::string& line : split_lines(outcome.output + outcome.errors))
    if (line.find("xhpl: ") != std::string::npos) messages.push_back(line);
  return messages;
}

/// Success if the job ended with `exit_code` and one message that holds `words`.
testing::AssertionResult ended(const Outcome& outcome, int exit_code, const std::string& words) {
  if (outcome.timed_out) return testing::AssertionFailure() << "it hung; " << describe(outcome);
  const auto messages = messages_of(outcome);
  // Hydra may give the signal of the ranks that it kills for one that ended by itself, or of those
  // that were stopped: the system hangs them up when they lose their parent.
  const bool ended_by_hydra = kHydra && exit_code == 3 &&
                              (outcome.exit_code == kCodeOfAKilledRank ||
                               (outcome.exit_code == SIGHUP &&
                                outcome.output.find("Hangup (signal 1)") != std::string::npos));
  if ((outcome.exit_code == exit_code || ended_by_hydra) && messages.size() == 1 &&
      messages.front().find(words) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "wanted exit code " << exit_code << " and one message with '" << words << "', found "
         << messages.size() << " messages; " << describe(outcome);
}

/// Success if the launcher alone told how the job ended.
testing::AssertionResult ended_in_silence(const Outcome& outcome, int exit_code) {
  if (!outcome.timed_out && outcome.exit_code == exit_code && messages_of(outcome).empty() &&
      (outcome.output.find("Killed (signal 9)") != std::string::npos ||
       outcome.errors.find("signal 9 (Killed)") != std::string::npos))
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "wanted exit code " << exit_code << "; " << describe(outcome);
}

TEST_F(Failures, AStoppedRankIsNamedByTheOthersInOneMessage) {
  for (const char* const pipeline : {"fine", "coarse"}) {
    const Outcome outcome = broken_run("1:40:stop", pipeline);
    EXPECT_TRUE(ended(outcome, 3, no_step_finished() + "; no answer from rank 1 on "));
    EXPECT_TRUE(shows(
        outcome, {"waits for rank 1", "  in run 1 of 1 (N = 800, NB = 16, 2 x 2, ", "(step "}));
  }
}

TEST_F(Failures, TheJsonReportOfAJobThatGotStuckSaysWhy) {
  const Outcome outcome = broken_run("1:40:stop", "fine", "--json run.json");
  EXPECT_EQ(outcome.exit_code, 3);
  const auto report = json_file("run.json");
  EXPECT_EQ(report.at("exit_code"), 3);
  const std::string error = report.at("error");
  EXPECT_TRUE(error.starts_with(no_step_finished() + "; no answer from rank 1 on ")) << error;
  EXPECT_NE(error.find("waits for rank 1"), std::string::npos) << error;
  EXPECT_FALSE(error.ends_with("\n"));
}

TEST_F(Failures, TheFirstRankMayBeTheOneThatStops) {
  // It is let go on and killed soon after: on a crowded machine it needs more than a second.
  setenv("OMPI_MCA_odls_base_sigkill_timeout", "4", 1);
  EXPECT_TRUE(
      ended(broken_run("0:40:stop", "fine", "--json run.json"), 3, "no answer from rank 0 on "));
  unsetenv("OMPI_MCA_odls_base_sigkill_timeout");
  if (kKillsAtOnce) return;
  // Let go on by the launcher, it hears what was said and writes it down.
  EXPECT_EQ(json_file("run.json").at("exit_code"), 3);
  EXPECT_NE(read_file("run.json").find("no answer from rank 0 on "), std::string::npos);
}

TEST_F(Failures, TheOnlyRankOfAGridThatStopsIsNamedByOneThatHasNoPart) {
  write_file("rank", "echo $$ >process-" + kShellRank + "\nexec \"$@\"\n");
  write_file("job",
             "\"$@\" &\n"
             "until grep -q '\"status\"' run.json run.json.journal 2>/dev/null; do\n"
             "  kill -0 $! || exit 5; sleep 0.05; done\n"
             "kill -STOP \"$(cat process-0)\"\n"
             "wait $!\n");
  const Outcome outcome =
      program(Words{"sh", "job", HPL_MPIEXEC, "-np", "2", "sh", "rank", HPL_XHPL_PATH} +
              Words("-N 100 --NB 16 -P 1 -Q 1 --no-attainable --no-check --repeat 100000 "
                    "--json run.json --watchdog " +
                    kShortLimit));
  EXPECT_TRUE(ended(outcome, 3, "no answer from rank 0 on "));
}

TEST_F(Failures, ASignalToAnyRankEndsTheJobAndItsJsonReportSaysSo) {
  for (const char* const rank : {"0", "1", "3"}) {
    const Outcome outcome =
        broken_run(std::string(rank) + ":40:term", "fine", "--json run.json --repeat 40");
    EXPECT_TRUE(ended(outcome, 3, "ended from outside (SIGTERM)"));
    const auto report = json_file("run.json");
    EXPECT_EQ(report.at("exit_code"), 3);
    EXPECT_EQ(report.at("error").get<std::string>().find("ended from outside (SIGTERM)"), 0U);
  }
}

TEST_F(Failures, ARankThatStopsWhileMpiStartsDoesNotHoldUpTheOthers) {
  const Outcome outcome = broken_row(2, 2, "XHPL_TEST_START=0:stop", "--watchdog " + kShortLimit);
  EXPECT_TRUE(ended(outcome, 3, "rank 1 on "));
  EXPECT_TRUE(shows(outcome, {"another rank has not entered or left MPI_Init for " +
                              std::to_string(10 + kSlowdown) + ".2 s (--watchdog " + kShortLimit +
                              ", and 10.2 s "}));
}

TEST_F(Failures, AnMpiThatCannotStartEndsTheJobWithWordsAndTheExitCodeOfABrokenRun) {
  for (const char* const how : {"exit", "_exit"}) {
    const Outcome outcome = broken_row(2, 2, std::string("XHPL_TEST_START=1:") + how);
    EXPECT_TRUE(ended(outcome, 3, "rank 1 on "));
    EXPECT_TRUE(shows(outcome, {"a library ended the process (exit code 1) while it starts MPI"}));
  }
  const Outcome outcome = broken(1, "XHPL_TEST_START=0:error", "-N 100");
  EXPECT_TRUE(ended(outcome, 3, "MPI_Init_thread"));
}

TEST_F(Failures, AnMpiWhoseThreadsMayNotSendIsRefusedAndOneThatTakesTurnsIsNot) {
  const Outcome refused = broken(2, "XHPL_TEST_START=-1:funneled", "-N 100 -P 1 -Q 2");
  EXPECT_TRUE(
      ended(refused, 2, "this MPI supports threads funneled, several ranks need serialized"));
  const Outcome turns = broken(2, "XHPL_TEST_START=-1:serialized", "-N 100 -P 1 -Q 2");
  EXPECT_EQ(turns.exit_code, 0) << describe(turns);
}

TEST_F(Failures, ARankKilledInTheCheckLeavesTheRowAndAnUncheckedRecord) {
  const Outcome outcome = mpirun_each(
      {"env A=1", "env LD_PRELOAD=" HPL_WRONG_GEMV " XHPL_TEST_GEMV=killed"},
      "-N 200 --NB 16 -P 1 -Q 2 --no-attainable --verify never --json run.json --csv runs.csv");
  EXPECT_NE(outcome.exit_code, 0) << describe(outcome);
  const Report text = parse_report(outcome.output);
  EXPECT_EQ(text.runs.size(), 1U) << describe(outcome);
  EXPECT_TRUE(text.passed_residuals.empty()) << describe(outcome);

  const nlohmann::json document = json_file("run.json"), run = document.at("runs").at(0);
  EXPECT_EQ(run.at("status"), "unchecked");
  EXPECT_TRUE(run.at("passed").is_null());
  EXPECT_GT(run.at("gflops"), 0);
  EXPECT_FALSE(run.at("steps").empty());
  if (!kKillsAtOnce) {
    EXPECT_EQ(document.at("exit_code"), 3);
    EXPECT_EQ(document.at("tally").at("unchecked"), 1);
  }
  if (std::filesystem::exists(directory() / "runs.csv")) {
    EXPECT_EQ(read_file("runs.csv").find("unchecked"), std::string::npos);
  }

  EXPECT_TRUE(ended_with(report("--top500 run.json"), 2,
                         {"its check was not completed", "needs a run that the lists take"}));
  EXPECT_TRUE(ended_with(program({HPL_XHPL_PATH, "compare", "run.json", "run.json"}), 2,
                         {"found none with a figure"}));
}

TEST_F(Failures, AFullStandardErrorThatNobodyReadsCostsNoResult) {
  const Outcome outcome = shell(
      "mkfifo full && exec 3<>full && ! dd if=/dev/zero of=full bs=4096 oflag=nonblock 2>log && "
      "exec \"$0\" run -N 300 --NB 16 -P 1 -Q 1 --no-attainable --progress always "
      "--json run.json 2>full");
  EXPECT_TRUE(all_passed(outcome, 1));
  EXPECT_EQ(json_file("run.json").at("runs").at(0).at("status"), "passed");
}

TEST_F(Failures, AThreadThatCannotBeHadIsNamedAndEndsTheJob) {
  // From none on until the job has all that it wants.
  bool passed = false;
  for (int threads = 0; threads < 32 && !passed; ++threads) {
    const Outcome outcome =
        alone("-N 300 --NB 16 -P 1 -Q 1 --threads 2 --no-attainable --pipeline fine",
              {{"LD_PRELOAD", HPL_FEW_THREADS}, {"XHPL_TEST_THREADS", std::to_string(threads)}});
    passed = outcome.exit_code == 0;
    if (!passed) {
      ASSERT_TRUE(ended(outcome, 3, "this process may start no more threads (wanted: "))
          << "with " << threads;
    }
  }
  EXPECT_TRUE(passed);
}

TEST_F(Failures, ALimitOfFileSizesIsToldAndNothingIsLeftHalfWritten) {
  for (const auto& [flag, what] :
       {std::pair{"--json", "the JSON report"}, {"--trace", "the trace"}}) {
    const Outcome outcome =
        mpirun_limited("-f 1", Words("-N 100 --NB 16 -P 1 -Q 1 --repeat 5 --no-attainable") +
                                   Words{flag, "limited"});
    EXPECT_TRUE(ended(outcome, 3,
                      std::string("cannot write ") + what + " to '" +
                          (directory() / "limited").string() + "': File too large"));
    for (const auto& entry : std::filesystem::directory_iterator(directory()))
      EXPECT_FALSE(entry.path().filename().string().starts_with("limited.tmp")) << entry.path();
  }
}

TEST_F(Failures, ALimitOfMemoryThatTheBuffersOfTheBlasDoNotFitIsNamed) {
#if defined(HPL_SANITIZE_THREAD) || defined(HPL_SANITIZE_ADDRESS)
  GTEST_SKIP() << "sanitizers take terabytes of address space";
#endif
  if (alone("--version").output.find("BLAS: OpenBLAS") == std::string::npos)
    GTEST_SKIP() << "another BLAS";
  const auto limited = [&](const std::string& limit, const Words& words) {
    return program(under_limit(limit) + Words{HPL_XHPL_PATH, "--no-attainable"} + words);
  };
  // 134 MB a thread, on any machine.
  const std::string message =
      "OpenBLAS needs 134.22 GB for the buffers of 1000 compute threads, but ";
  for (const std::string limit : {"-v", "-d"})
    EXPECT_TRUE(ended(limited(limit + " 100000000", "-N 100 --threads 1000"), 3, message));
  // Whatever the libraries of this machine take, nobody waits for a buffer.
  for (const std::string limit :
       {"-v 400000", "-v 500000", "-v 600000", "-d 200000", "-d 300000"}) {
    // Libraries may wait for memory, or end the process, before the program begins.
    const Words start{HPL_XHPL_PATH, "--version"};
    if (program(Words{"timeout", "10"} + under_limit(limit) + start).exit_code != 0) continue;
    const Outcome outcome = limited(limit, "-N 300 --NB 32 --threads 2");
    EXPECT_FALSE(outcome.timed_out) << limit << describe(outcome);
    EXPECT_EQ(messages_of(outcome).size(), outcome.exit_code == 0 ? 0U : 1U) << describe(outcome);
  }
}

TEST_F(Failures, AShortWatchdogDoesNotTurnBadInputIntoABrokenRun) {
  write_file("HPL.dat", "not a word of it\n");
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(refused(mpirun(2, "--watchdog 0.001"), "HPL.dat"));
}

TEST_F(Failures, ASignalWhileMpiStartsOrEndsIsToldByTheRankThatItComesTo) {
  for (const auto& [where, doing] :
       {std::pair{"XHPL_TEST_START", "starts MPI"}, {"XHPL_TEST_END", "ends MPI"}})
    for (const std::string victim : {"0", "2"}) {
      const Outcome outcome = broken_row(3, 3, std::string(where) + "=" + victim + ":term");
      EXPECT_TRUE(ended(outcome, 3, "rank " + victim + " on "));
      EXPECT_TRUE(shows(outcome, {std::string("ended from outside (SIGTERM) while it ") + doing}));
    }
}

TEST_F(Failures, ARankThatStopsAfterItsLastMessageIsNamedByTheOthersAndSilentItself) {
  for (const std::string victim : {"0", "1"}) {
    // At the end of the run.
    const Outcome outcome =
        broken_row(3, 2, "XHPL_TEST_STOP_AT_BARRIER=" + victim + ":1", "--watchdog " + kShortLimit);
    EXPECT_TRUE(ended(outcome, 3, "no answer from rank " + victim + " on "));
  }
}

TEST_F(Failures, AFaultWhileMpiAbortsIsNotTheExitCodeOfTheJob) {
  const Outcome outcome = broken_row(
      3, 2, {"XHPL_TEST_ABORT=0:" + std::to_string(SIGSEGV), "XHPL_TEST_STOP_AT_BARRIER=1:1"},
      "--watchdog " + kShortLimit);
  EXPECT_TRUE(ended(outcome, 3, "no answer from rank 1 on "));
}

TEST_F(Failures, ARankThatNeverEndsMpiDoesNotHoldUpTheOthers) {
  for (const char* const victim : {"0", "1"}) {
    const Outcome outcome = broken_row(3, 3, std::string("XHPL_TEST_END=") + victim + ":stop",
                                       "--watchdog " + kShortLimit);
    EXPECT_TRUE(ended(outcome, 3, "has not entered or left MPI_Finalize"));
    EXPECT_TRUE(shows(outcome, {"PASSED"}));
  }
}

TEST_F(Failures, ARankThatStopsWhenTheOthersHaveLeftIsKilled) {
  const Outcome outcome = broken_row(2, 2, "XHPL_TEST_END=1:left", "--watchdog " + kShortLimit);
  EXPECT_TRUE(ended_with(outcome, kCodeOfAKilledRank, {"End of Tests"}));
  EXPECT_TRUE(messages_of(outcome).empty()) << describe(outcome);
}

TEST_F(Failures, ASignalJustBeforeTheRanksCanAskEachOtherIsToldOnce) {
  // The first copy of a communicator is the world's, the second that on which they ask.
  for (const std::string victim : {"0", "1"})
    for (const char* const copy : {"1", "2"}) {
      const Outcome outcome = broken_row(3, 3, "XHPL_TEST_TERM_AT_COPY=" + victim + ":" + copy);
      EXPECT_TRUE(ended(outcome, 3, "ended from outside (SIGTERM)")) << victim << ":" << copy;
    }
}

TEST_F(Failures, ARankThatCannotHearTheOthersSaysSoForAll) {
  const Outcome outcome = broken_row(3, 3, "XHPL_TEST_DEAF=1:2", "--repeat 100000");
  EXPECT_TRUE(ended(outcome, 3, "rank 1 on "));
  EXPECT_TRUE(shows(outcome, {"MPI_Improbe"}));
}

TEST_F(Failures, AKilledRankIsNamedByTheOthersBeforeTheLauncherEndsThem) {
  for (const char* const pipeline : {"fine", "coarse"}) {
    const Outcome outcome = broken_run("2:40:kill", pipeline);
    EXPECT_TRUE(kKillsAtOnce ? ended_in_silence(outcome, kCodeOfAKilledRank)
                             : ended(outcome, kCodeOfAKilledRank, "no answer from rank 2 on "));
  }
}

TEST_F(Failures, TheLauncherGivesTheExitCodeOfABrokenRunForAKilledRank) {
  write_program("broken", "#!/bin/sh\nexport XHPL_TEST_BREAK=1:40:kill LD_PRELOAD=" HPL_BROKEN_MPI
                          "\nexec " HPL_XHPL_PATH " \"$@\"\n");
  const Outcome outcome = launcher("-n 3 --xhpl " + (directory() / "broken").string() +
                                   " -N 800 --NB 16 -P 3 -Q 1 --no-attainable");
  EXPECT_TRUE(kKillsAtOnce ? ended_in_silence(outcome, 3)
                           : ended(outcome, 3, "no answer from rank 1 on "));
}

TEST_F(Failures, AnMpiErrorIsToldOnceWithItsRankAndItsCall) {
  const Outcome outcome = broken_run("3:40:error", "fine");
  EXPECT_TRUE(ended(outcome, 3, "rank 3 on "));
  EXPECT_TRUE(shows(outcome, {"MPI_Isend", "(step "}));
  EXPECT_FALSE(shows(outcome, {"Segmentation fault"}));
}

TEST_F(Failures, ALostMessageEndsTheJobThoughEveryRankAnswers) {
  const Outcome outcome = broken_run("1:40:lose", "fine");
  EXPECT_TRUE(ended(outcome, 3, no_step_finished()));
  EXPECT_FALSE(shows(outcome, {"no answer"}));
}

TEST_F(Failures, ADifferentFileOnAnotherRankIsRefusedWithRankLineAndField) {
  for (const int order : {100, 200}) {
    const std::string name = "node" + std::to_string(order);
    std::filesystem::create_directory(directory() / name);
    write_file(name + "/HPL.dat",
               join_lines(lines_of({.orders = {order}, .grid_rows = {1}, .grid_columns = {3}})));
  }
  const std::vector<Words> ranks{in("node100"), in("node100"), in("node200")};
  const Outcome outcome = mpirun_each(ranks, {});
  EXPECT_TRUE(refused(outcome,
                      "HPL.dat line 6: Ns must be the same on every rank, found \"200\" "
                      "on rank 2 on .* and \"100\" on rank 0 on "));
}

TEST_F(Failures, ARankWithoutAFileTakesThatOfTheFirst) {
  write_dat({.grid_rows = {1}, .grid_columns = {2}});
  std::filesystem::create_directory(directory() / "empty");
  const Outcome outcome = mpirun_each({in("."), in("empty")}, {"--no-attainable"});
  EXPECT_TRUE(all_passed(outcome, 1));
}

TEST_F(Failures, DifferentArgumentsAreRefusedWithTheFirstThatDiffers) {
  const Words second{"sh", "-c", "exec \"$0\" -N 200"};
  const Outcome outcome = mpirun_each({{"sh", "-c", "exec \"$0\" -N 100"}, second, second}, {});
  EXPECT_TRUE(refused(outcome,
                      "argument 2 of the command line must be the same on every rank, "
                      "found \"200\" on rank 1 on .* and \"100\" on rank 0 on "));
}

}  // namespace
}  // namespace hpl::test
