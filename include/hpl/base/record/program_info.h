#pragma once

#include <optional>
#include <string>

#include "hpl/base/record/record.h"

namespace hpl {

/// The program that wrote a document.
struct ProgramInfo {
  std::string name, version;
  std::optional<std::string> commit = {};  ///< "1a2b3c4d", "1a2b3c4d-dirty"; empty: unknown

  bool operator==(const ProgramInfo&) const = default;
};
inline void describe(Record& record, ProgramInfo& program) {
  record("name", program.name);
  record("version", program.version);
  record("commit", program.commit,
         "Of its sources; \"-dirty\" behind it: changed since. null: unknown.", may_lack({}));
}

}  // namespace hpl
