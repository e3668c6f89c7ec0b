#include "hpl/base/file/named_files.h"

#include <map>
#include <optional>
#include <system_error>
#include <tuple>

#include <fmt/format.h>
#include <sys/stat.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;

/// Device and inode of a file, or of the directory in which a name is free.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;
  std::string name{};  ///< empty where the file is there

  friend bool operator<(const Identity& a, const Identity& b) {
    return std::tie(a.device, a.inode, a.name) < std::tie(b.device, b.inode, b.name);
  }
};

/// Empty for what holds nothing (a device, a pipe), and for a name that can be none of a file.
std::optional<Identity> identity_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) return std::nullopt;
    return Identity{status.st_dev, status.st_ino};
  }
  const fs::path free = resolved_path(path);
  if (!free.has_filename() || ::stat(free.parent_path().c_str(), &status) != 0) return std::nullopt;
  return Identity{status.st_dev, status.st_ino, free.filename().string()};
}

/// Two files that are one.
bool may_be_one(FileUse a, FileUse b) {
  return a == b && a != FileUse::Output;
}

}  // namespace

NamedFile standard_output_file() {
  return {"standard output", "/dev/fd/1", FileUse::Stream};
}

NamedFile standard_error_file() {
  return {"standard error", "/dev/fd/2", FileUse::Stream};
}

fs::path resolved_path(const fs::path& path) {
  constexpr int kMostLinks = 40;  // as Linux follows
  fs::path place = path;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error, none;
    if (const fs::path found = fs::canonical(place, error); !error) return found;
    // The links of /proc to pipes and deleted files lead somewhere that has no path.
    if (fs::exists(place, none)) return fs::absolute(place, none);
    const fs::path link = fs::read_symlink(place, error);
    if (error) break;
    place = place.parent_path() / link;  // which is `link` where that is absolute
  }
  std::error_code error;
  const fs::path whole = fs::absolute(place, error);
  const fs::path directory = fs::canonical(whole.parent_path(), error);
  return error ? whole : directory / whole.filename();
}

void require_distinct_files(std::span<const NamedFile> files) {
  std::map<Identity, const NamedFile*> seen;
  for (const NamedFile& file : files) {
    const auto identity = file.path.empty() ? std::nullopt : identity_of(file.path);
    if (!identity) continue;
    const auto [place, fresh] = seen.emplace(*identity, &file);
    if (fresh) continue;
    const NamedFile& first = *place->second;
    if (may_be_one(first.use, file.use)) continue;
    // The one to change is what is written, and a stream only if the other is read.
    const NamedFile& wrong = file.use >= first.use ? file : first;
    const NamedFile& other = &wrong == &file ? first : file;
    const fs::path& shown = wrong.use == FileUse::Stream ? other.path : wrong.path;
    throw ConfigError(fmt::format("{} must be a file of its own, found {}, which is also {}",
                                  wrong.origin, quote_printable(shown.string()), other.origin));
  }
}

}  // namespace hpl
