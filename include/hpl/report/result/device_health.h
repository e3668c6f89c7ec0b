#pragma once

#include "hpcx/telemetry.h"
#include "hpl/base/record/record.h"

namespace hpl {

void describe(Record& record, hpcx::RemappedRows& rows);
void describe(Record& record, hpcx::DeviceHealth& health);

}  // namespace hpl
