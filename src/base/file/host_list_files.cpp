#include "hpl/base/file/host_list_files.h"

namespace hpl {
namespace {

std::optional<AtomicFile> opened(const std::optional<std::filesystem::path>& path,
                                 const char* what) {
  return path ? std::optional<AtomicFile>(std::in_place, *path, what) : std::nullopt;
}

}  // namespace

std::vector<NamedFile> HostListPaths::named() const {
  std::vector<NamedFile> files;
  const auto add = [&](const char* flag, const std::optional<std::filesystem::path>& path) {
    if (path) files.push_back({flag, *path});
  };
  add("--pass-list", passed);
  add("--warn-list", warned);
  add("--fail-list", failed);
  return files;
}

HostListFiles::HostListFiles(const HostListPaths& paths)
    : passed_(opened(paths.passed, "the list of hosts that passed")),
      warned_(opened(paths.warned, "the list of hosts with a warning")),
      failed_(opened(paths.failed, "the list of hosts that failed")) {}

void HostListFiles::write(const std::string& passed, const std::string& warned,
                          const std::string& failed, bool final) const {
  const auto put = [&](const std::optional<AtomicFile>& file, const std::string& list) {
    if (file && (final || !file->in_place())) file->write(list.empty() ? "" : list + "\n");
  };
  put(passed_, passed);
  put(warned_, warned);
  put(failed_, failed);
}

}  // namespace hpl
