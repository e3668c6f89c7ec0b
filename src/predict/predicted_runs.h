#pragma once

#include "hpl/machine/model/machine_sheet.h"
#include "hpl/predict/predict_options.h"
#include "hpl/predict/prediction_report.h"

namespace hpl {

/// All runs that the options ask for. Throws ConfigError where they do not fit the machine.
PredictionReport predict_runs(const PredictOptions& options, const MachineFile& machine);

}  // namespace hpl
