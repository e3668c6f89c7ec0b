#include "hpl/base/result/timeline.h"

#include "hpl/base/error/error.h"
#include "hpl/base/record/record.h"

namespace hpl {

void describe(Record& record, StepRecord& step) {
  record("step", step.step, {}, kCount);
  record("columns_done", step.columns_done, "after this step", kCount);
  record("seconds", step.seconds, "since the start of the timed part");
}

bool is_work_of_a_stream(Phase phase) {
  switch (phase) {
    case Phase::PanelExchange:
    case Phase::PanelBroadcast:
    case Phase::BackSubstitution:
    case Phase::HostUpdate:
    case Phase::Refinement:
      return false;
    case Phase::PanelFactorization:
    case Phase::PanelTransfer:
    case Phase::RowSwap:
    case Phase::Solve:
    case Phase::Multiply:
    case Phase::MatrixLoad:
    case Phase::MatrixStore:
      return true;
  }
  HPL_ASSERT(!"a phase");
  return false;
}

bool is_stream(Track track) {
  return track >= Track::PanelStream;
}

}  // namespace hpl
