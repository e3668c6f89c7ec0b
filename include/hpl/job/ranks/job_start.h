#pragma once

#include <string>
#include <string_view>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/environment.h"
#include "hpl/input/command_line/options.h"
#include "hpl/job/failure/watchdog.h"

namespace hpl {

/// Makes the page of a document. `name` stands for its file.
using PageMaker = std::string (*)(const std::string& name, std::string_view document);

/// The means with which a job begins on each of its ranks.
struct JobStart {
  const mpi::Communicator& world;
  const mpi::Environment& environment;
  const Options& options;
  Watchdog& watchdog;
  PageMaker page_of;  ///< a page shows documents of all subjects: they are known above the job's
};

}  // namespace hpl
