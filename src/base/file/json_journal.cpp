#include "hpl/base/file/json_journal.h"

#include "hpl/base/file/named_files.h"

namespace hpl {

std::filesystem::path journal_of(const std::filesystem::path& report) {
  std::filesystem::path journal = resolved_path(report);
  journal += ".journal";
  return journal;
}

}  // namespace hpl
