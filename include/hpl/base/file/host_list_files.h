#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/file/atomic_file.h"
#include "hpl/base/file/named_files.h"

namespace hpl {

/// Files for the hosts by their verdict: --pass-list, --warn-list, --fail-list. Empty: not wanted.
struct HostListPaths {
  std::optional<std::filesystem::path> passed, warned, failed;

  /// The wanted ones with their flags.
  std::vector<NamedFile> named() const;

  friend bool operator==(const HostListPaths&, const HostListPaths&) = default;
};

class HostListFiles {
 public:
  HostListFiles() = default;
  /// Throws ConfigError for one that cannot be written, as AtomicFile does.
  explicit HostListFiles(const HostListPaths& paths);

  /// Lists as host_list() makes them, each a line or nothing: srun --exclude="$(cat FILE)". A pipe
  /// or a device keeps all that is written there, so it gets lists that are `final` alone.
  void write(const std::string& passed, const std::string& warned, const std::string& failed,
             bool final = true) const;

 private:
  std::optional<AtomicFile> passed_, warned_, failed_;
};

}  // namespace hpl
