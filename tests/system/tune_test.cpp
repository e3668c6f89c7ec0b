// xhpl tune: a search on this machine that is stopped, goes on, and ends with an HPL.dat that runs.
#include <string>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

class Tune : public XhplTest {
 protected:
  /// Two values of NB and nothing else: a few trials.
  Outcome tune(const Words& more = {}) {
    return mpirun(2,
                  "tune -o tuned.dat -N 300 --NB 32,64 --pipeline coarse" + narrow_search() + more);
  }
  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t times = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at)
      ++times;
    return times;
  }
};

TEST_F(Tune, WritesAnHplDatThatRunsAndGoesOnWithWhatAJobBeforeHasMeasured) {
  const Outcome outcome = tune();
  ASSERT_TRUE(ended_with(outcome, 0, {"xhpl launch -n 2 run --dat tuned.dat"}));
  EXPECT_TRUE(all_passed(mpirun(2, "--dat tuned.dat"), 1));

  std::string evidence = read_file("tuned.dat.json");
  EXPECT_NE(evidence.find("\"ended\": true"), std::string::npos);
  EXPECT_NE(evidence.find("\"stage\": \"final\""), std::string::npos);
  const std::size_t trials = count(evidence, "\"trial_seconds\"");
  ASSERT_GT(trials, 3u);
  // A rate that no machine has: what is told again must be this, not a new measurement.
  const std::string mark = "\"gflops\": ";
  const std::size_t first = evidence.find(mark, evidence.find("\"trials\""));
  evidence.replace(first + mark.size(), evidence.find(',', first) - first - mark.size(),
                   "123456.5");
  write_file("tuned.dat.json", evidence);
  const Outcome again = tune();
  ASSERT_EQ(again.exit_code, 0) << describe(again);
  const std::string written = read_file("tuned.dat.json");
  EXPECT_NE(written.find("123456.5"), std::string::npos);
  EXPECT_EQ(count(written, "\"trial_seconds\""), trials) << "nothing was measured again";

  // Of two jobs that failed in a trial, as the whole run of the settings that nobody has tuned, the
  // third one does not make it.
  const std::string failed =
      R"({"point":"--nbmin 8 --ndiv 2 --pfact right --rfact right --NB 64 -P -Q 1x2 --depth 1 )"
      R"(--chunk 256 --bcast 1ring --solve-rows 96","panel_alone":false,"level":0,"repetition":0,)"
      R"("message":"it hangs"})";
  const std::string none = "\"interruptions\": []";
  evidence = written;
  ASSERT_NE(evidence.find(none), std::string::npos);
  evidence.replace(evidence.find(none), none.size(),
                   "\"interruptions\": [" + failed + "," + failed + "]");
  write_file("tuned.dat.json", evidence);
  EXPECT_EQ(tune().exit_code, 0);
  EXPECT_NE(read_file("tuned.dat.json").find("two jobs ended in this trial: it hangs"),
            std::string::npos);

  EXPECT_TRUE(
      refused(mpirun(1, "tune -o tuned.dat -N 300"),
              "tuned.dat.json: xhpl tune goes on with the trials of this file, which were made "
              "on 2 ranks, and this job has 1; name another"));
  EXPECT_TRUE(refused(tune("-N 400"), "for N = 300, and this job asks for N = 400"));
  // Trials that were made in another way would be shown for this one.
  EXPECT_TRUE(refused(tune("--arithmetic emulated:14"),
                      "made without --arithmetic, and this job has --arithmetic emulated:14;"));
  EXPECT_TRUE(refused(tune("--pipeline serial"),
                      "made with --pipeline coarse, and this job has --pipeline serial;"));
  EXPECT_TRUE(refused(tune("--threshold 0"), "so --threshold must be above 0, found 0"));
  std::string earlier = read_file("tuned.dat.json");
  earlier.replace(earlier.find("\"fixed\""), 7, "\"other\"");
  write_file("earlier.json", earlier);
  EXPECT_TRUE(refused(tune("--json earlier.json"), "earlier.json: .* has no member .fixed."));
  write_file("other.json", "{\"schema_version\":1,\"kind\":\"rates\"}");
  EXPECT_TRUE(refused(tune("--json other.json"), "other.json: .* this is no such file"));
  EXPECT_TRUE(
      refused(tune("--json new.json -N 300,400"), "tune searches for one N, found 2: 300,400"));
}

}  // namespace
}  // namespace hpl::test
