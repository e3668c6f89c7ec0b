#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/environment.h"
#include "hpl/input/command_line/options.h"
#include "hpl/job/failure/watchdog.h"

namespace hpl {

/// The JSON text of a document, after a name that stands for its file.
using NamedDocument = std::pair<std::string, std::string>;
/// Makes the page of documents.
using PageMaker = std::string (*)(const std::vector<NamedDocument>& documents);

/// The means with which a job begins on each of its ranks.
struct JobStart {
  const mpi::Communicator& world;
  const mpi::Environment& environment;
  const Options& options;
  Watchdog& watchdog;
  PageMaker page_of;  ///< a page shows documents of all subjects: they are known above the job's
};

}  // namespace hpl
