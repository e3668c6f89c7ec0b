#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/submit/list_form.h"
#include "support/holds.h"
#include "support/message_of.h"
#include "unit/page/sample_job.h"
#include "unit/report/schema_check.h"

namespace hpl::page {
namespace {

FormField field(const ListForm& form, const std::string& key) {
  for (const FormPart& part : form.parts)
    for (const FormField& one : part.fields)
      if (one.key == key) return one;
  ADD_FAILURE() << "no field " << key;
  return {};
}

RunFile file_of(RunResult run, const std::string& name) {
  JobReport job = test::sample_job();
  job.runs = {std::move(run)};
  return test::sample_file(job, name);
}

TEST(MxpForm, HoldsTheScoreAndTheRateOfHplOfAnotherReport) {
  RunResult mixed = test::mixed_run();
  mixed.gflops = 10 * test::passing_run().gflops;
  const std::vector<RunFile> files{file_of(mixed, "mxp.json"),
                                   file_of(test::passing_run(), "hpl.json")};
  const ListForm form = mxp_form(files);
  EXPECT_EQ(form.parts.front().list, "HPL-MxP");
  EXPECT_EQ(field(form, "mxp_gflops").value, mixed.gflops);
  EXPECT_EQ(field(form, "hpl_gflops").value, test::passing_run().gflops);
  EXPECT_EQ(field(form, "hpl_gflops").note,
            "hpl.json, run 1, N = 1000, native FP64, residual passed");
  EXPECT_EQ(field(form, "iterations").value, 2);
  EXPECT_EQ(field(form, "output_file").value, "mxp.json");
  EXPECT_TRUE(form.left_out.empty());
  const test::SchemaCheck check(nlohmann::json(Record::schema<ListForm>()));
  EXPECT_EQ(check.faults(nlohmann::json(to_json_value(form))), "");
}

TEST(MxpForm, SaysNoneWithoutAReportOfHplThatTheTop500Takes) {
  RunResult emulated = test::passing_run();
  emulated.spec.emulated_moduli = 14;
  for (const RunResult& other : {emulated, test::failing_run()}) {
    const std::vector<RunFile> files{file_of(test::mixed_run(), "mxp.json"),
                                     file_of(other, "other.json")};
    const ListForm form = mxp_form(files);
    EXPECT_TRUE(field(form, "hpl_gflops").value.is_null());
    EXPECT_NE(form_text(form).find("HPL FP64                   none  ("), std::string::npos)
        << form_text(form);
    EXPECT_EQ(form.left_out.size(), 1U);
  }
}

TEST(MxpForm, TakesNoRunThatTheListDoesNotTake) {
  RunResult dominant = test::mixed_run(), diverged = test::mixed_run();
  dominant.spec.mixed->entries = MixedEntries::DominantIcl;
  diverged.refinement->converged = false;
  const std::pair<RunResult, std::string> cases[] = {{dominant, "its matrix is for testing only"},
                                                     {diverged, "the refinement did not converge"},
                                                     {test::passing_run(), "it is a run of HPL"}};
  for (const auto& [run, reason] : cases) {
    const RunFile file = file_of(run, "run.json");
    EXPECT_TRUE(test::holds(test::message_of<ConfigError>([&] {
                              mxp_form({&file, 1});
                            }),
                            {reason}));
  }
  const RunFile mixed = file_of(test::mixed_run(), "mxp.json");
  EXPECT_THROW(top500_form({&mixed, 1}), ConfigError);
}

}  // namespace
}  // namespace hpl::page
