#pragma once

#include <string>

#include "hpl/base/record/record.h"

namespace hpl {

/// The program that wrote a document.
struct ProgramInfo {
  std::string name, version;

  bool operator==(const ProgramInfo&) const = default;
};
inline void describe(Record& record, ProgramInfo& program) {
  record("name", program.name);
  record("version", program.version);
}

}  // namespace hpl
