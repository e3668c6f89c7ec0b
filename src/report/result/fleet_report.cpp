#include "hpl/report/result/fleet_report.h"

#include <fmt/format.h>

#include "hpl/base/error/error.h"

namespace hpl {

std::string_view to_string(FleetSeverity severity) {
  switch (severity) {
    case FleetSeverity::Fault:
      return "fault";
    case FleetSeverity::Remark:
      return "remark";
  }
  HPL_ASSERT(!"a severity");
}

std::string_view to_string(FleetBasis basis) {
  switch (basis) {
    case FleetBasis::Residual:
      return "residual";
    case FleetBasis::Fleet:
      return "fleet";
    case FleetBasis::Gate:
      return "gate";
    case FleetBasis::Reference:
      return "reference";
    case FleetBasis::Device:
      return "device";
    case FleetBasis::Count:
      return "count";
    case FleetBasis::Unit:
      return "unit";
    case FleetBasis::Job:
      return "job";
  }
  HPL_ASSERT(!"a basis");
}

std::string_view to_string(FleetVerdict verdict) {
  switch (verdict) {
    case FleetVerdict::Passed:
      return "passed";
    case FleetVerdict::Failed:
      return "failed";
    case FleetVerdict::NotRun:
      return "not run";
    case FleetVerdict::Missing:
      return "missing";
    case FleetVerdict::Unchecked:
      return "not checked";
  }
  HPL_ASSERT(!"a verdict");
}

std::string run_of_units(const RunSpec& spec) {
  std::string text = fmt::format(
      "N = {}, NB = {}, {} x {} each, {}", spec.order, spec.block_size, spec.grid_rows,
      spec.grid_columns,
      spec.threshold > 0 ? fmt::format("threshold {:g}", spec.threshold) : "no residual check");
  if (spec.matrix != MatrixRequest::Device)
    text += fmt::format(", --matrix {}", name_of(kMatrixRequests, spec.matrix));
  return text;
}

}  // namespace hpl
