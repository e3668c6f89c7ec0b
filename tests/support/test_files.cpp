#include "support/test_files.h"

#include <fstream>
#include <iterator>

namespace hpl::test {

namespace fs = std::filesystem;

std::string source_directory() {
  return fs::weakly_canonical(HPL_SOURCE_DIR).string();
}

std::string golden_file(const std::string& name) {
  return HPL_SOURCE_DIR "/tests/golden/" + name;
}

std::string schema_file(const std::string& name) {
  return HPL_SOURCE_DIR "/docs/schema/" + name;
}

std::vector<fs::path> files_below(const std::vector<std::string>& folders,
                                  const std::set<std::string>& kinds) {
  std::vector<fs::path> files;
  for (const std::string& folder : folders)
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(source_directory()) / folder))
      if (entry.is_regular_file() &&
          (kinds.empty() || kinds.contains(entry.path().extension().string())))
        files.push_back(entry.path());
  return files;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace hpl::test
