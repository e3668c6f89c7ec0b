#include "support/test_files.h"

namespace hpl::test {

std::string source_directory() {
  return HPL_SOURCE_DIR;
}

std::string golden_file(const std::string& name) {
  return HPL_SOURCE_DIR "/tests/golden/" + name;
}

std::string schema_file(const std::string& name) {
  return HPL_SOURCE_DIR "/docs/schema/" + name;
}

}  // namespace hpl::test
