#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hpl/base/text/zoned_time.h"

namespace hpl {

class Record;

/// The batch system's name of a job.
struct BatchJob {
  std::string system;  ///< "Slurm"
  std::string number;  ///< "4711", "4711[3].head"

  bool operator==(const BatchJob&) const = default;
};
void describe(Record& record, BatchJob& job);

/// Facts with a name, in the order in which they are shown.
using NamedValues = std::vector<std::pair<std::string, std::string>>;

/// The program that wrote a document, and how it was started.
struct ProgramInfo {
  std::string name, version;
  std::optional<std::string> commit = {};  ///< "1a2b3c4d", "1a2b3c4d-dirty"; empty: unknown
  std::string command = {};                ///< for a shell; empty: unknown
  NamedValues labels = {};                 ///< --label
  std::optional<BatchJob> job = {};        ///< empty: none, or an unknown one
  ZonedTime started = {};                  ///< when the document was begun

  bool operator==(const ProgramInfo&) const = default;
};
void describe(Record& record, ProgramInfo& program);

/// The words of a command as one line that a shell understands.
std::string command_text(const std::vector<std::string>& words);

/// "site=north, rack=7"
std::string labels_text(const NamedValues& labels);

/// "Slurm job 4711"
std::string to_string(const BatchJob& job);

/// The facts on the start of a program that a report shows: labels, job, command; those unknown are
/// left out.
NamedValues facts_of(const ProgramInfo& program);

}  // namespace hpl
