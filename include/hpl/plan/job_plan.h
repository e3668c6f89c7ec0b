#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/input/command_line/options.h"
#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/job/failure/watchdog.h"
#include "hpl/job/ranks/job_start.h"
#include "hpl/job/ranks/machine.h"
#include "hpl/machine/decide/decide.h"
#include "hpl/machine/host/processor.h"
#include "hpl/machine/model/rates.h"
#include "hpl/plan/automatic_plan.h"

namespace hpl {

/// The surroundings of every part of a job.
struct JobContext {
  const mpi::Communicator& world;
  const Machine& machine;
  const Options& options;
  Watchdog& watchdog;
  const Rates* rates = nullptr;  ///< of this machine; null: unknown
  PageMaker page_of = nullptr;   ///< null: no page can be asked for
  /// Processes of the job on this host that are not in `world`: other members of a fleet.
  std::vector<ProcessId> beside{};

  bool root() const { return world.rank() == 0; }
  bool gpu() const { return machine.kind() == ProcessorKind::Gpu; }
};

/// The runs of a job, and what they were made from.
struct JobPlan {
  std::string input_name;  ///< of the file that was read; empty: none
  HplDat dat;
  std::optional<RankLayout> layout;  ///< there once the plan is made
  std::vector<RunSpec> runs;
  std::vector<RunSettings> settings;         ///< of each run
  TimeEstimate estimate{};                   ///< by which N was chosen; unknown: N was given
  std::optional<std::int64_t> link_bytes{};  ///< see Facts: measured before N was chosen
};

/// The plan that HPL.dat and the flags ask for, `dat`, with what they leave open chosen. It has no
/// runs where `xhpl check` looks at the machine by itself. Throws ConfigError, the same on every
/// rank, where a run does not fit the ranks or their memory. `make_links`: see complete_plan().
/// Collective over the world.
JobPlan make_job_plan(const JobContext& job, std::string input_name, HplDat dat,
                      const LinkMaker& make_links = nullptr);

}  // namespace hpl
