#include "hpl/lu/pipeline/system_solver.h"

namespace hpl {

SystemSolver::SystemSolver(LinearSystem& system, const FactorizationContext& context,
                           const SubstitutionPolicy& substitution)
    : host_(context.host.create_stream(hpcx::Priority::High)),
      substitution_({.device = system.streams.panel,
                     .load = system.streams.load ? *system.streams.load : system.streams.panel,
                     .host = host_},
                    system.parts(), context.message_wait(), substitution),
      stages_(system, context, [this] { substitution_.load_ahead(); }) {}

}  // namespace hpl
