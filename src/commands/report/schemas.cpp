#include "schemas.h"

#include "hpl/base/record/record.h"
#include "hpl/check/findings/check_report.h"
#include "hpl/compare/comparison.h"
#include "hpl/fleet/judge/fleet_report.h"
#include "hpl/machine/model/machine_sheet.h"
#include "hpl/machine/model/rates.h"
#include "hpl/predict/prediction_report.h"
#include "hpl/run/report/campaign_report.h"
#include "hpl/run/report/job_report.h"
#include "hpl/submit/list_form.h"
#include "hpl/tune/report/tune_report.h"

namespace hpl::page {

const std::array<Choice<std::string (*)()>, kDocumentKinds> kSchemas{{
    {schema_text<JobReport>, "run"},
    {schema_text<FleetReport>, "fleet"},
    {schema_text<CheckDocument>, "check"},
    {schema_text<CampaignReport>, "campaign"},
    {schema_text<Rates>, "rates"},
    {schema_text<MachineSheet>, "machine"},
    {schema_text<PredictionReport>, "prediction"},
    {schema_text<TuneReport>, "tune"},
    {schema_text<Comparison>, "comparison"},
    {schema_text<ListForm>, "top500"},
}};

}  // namespace hpl::page
