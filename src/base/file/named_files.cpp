#include "hpl/base/file/named_files.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <system_error>
#include <tuple>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as Linux follows

std::vector<int> open_descriptors() {
  std::vector<int> open;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd", error))
    if (const auto number = parse_integer(entry.path().filename().string()))
      open.push_back(static_cast<int>(*number));
  // The descriptor of the directory was among them.
  std::erase_if(open, [](int descriptor) { return ::fcntl(descriptor, F_GETFD) < 0; });
  return open;
}

/// Made before main(): MPI and devices have opened nothing yet.
const std::vector<int> kInheritedDescriptors = open_descriptors();

void require_known_descriptor(const NamedFile& file) {
  const auto descriptor = file.use == FileUse::Stream ? std::nullopt : named_descriptor(file.path);
  if (!descriptor ||
      std::ranges::find(kInheritedDescriptors, *descriptor) != kInheritedDescriptors.end())
    return;
  throw ConfigError("{} must name a descriptor that was open when the program began, found {}",
                    file.origin, quote_printable(file.path.string()));
}

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

/// `path` with the symbolic links at its end followed, absolute; empty as soon as a place on the
/// way is none that may be used.
template <class MayUse>
std::optional<fs::path> followed(const fs::path& path, MayUse may_use) {
  fs::path place = path;
  std::error_code error, none;
  for (int links = 0; links < kMostLinks; ++links) {
    if (!may_use(place)) return std::nullopt;
    const fs::path link = fs::read_symlink(place, error);
    if (error) break;
    const fs::path next = place.parent_path() / link;  // which is `link` where that is absolute
    // The links of /proc to pipes and deleted files lead somewhere that has no path.
    if (!fs::exists(next, none) && fs::exists(place, none)) return fs::absolute(path, none);
    place = next;
  }
  const fs::path whole = fs::absolute(place, error);
  const fs::path directory = fs::canonical(whole.parent_path(), error);
  return error ? whole : directory / whole.filename();
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
  return *followed(path, [](const fs::path&) { return true; });
}

bool may_use(const FileOwners& file, uid_t user) {
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  return file.owner == user || file.owner == file.directory_owner ||
         (file.directory_mode & kShared) != kShared;
}

std::optional<fs::path> output_path(const fs::path& path) {
  const auto is_no_trap = [](const fs::path& place) {
    struct stat file {};
    struct stat directory {};
    const fs::path parent = place.has_parent_path() ? place.parent_path() : fs::path(".");
    if (::lstat(place.c_str(), &file) != 0 || ::stat(parent.c_str(), &directory) != 0) return true;
    return S_ISREG(file.st_mode) || S_ISDIR(file.st_mode) ||
           may_use({file.st_uid, directory.st_uid, directory.st_mode}, ::geteuid());
  };
  return followed(path, [&](const fs::path& place) {
    fs::path part;
    return std::ranges::all_of(place,
                               [&](const fs::path& name) { return is_no_trap(part /= name); });
  });
}

std::optional<int> named_descriptor(const fs::path& path) {
  std::error_code error;
  const fs::path of_process = fs::canonical("/proc/self/fd", error);
  const fs::path of_thread = fs::canonical("/proc/thread-self/fd", error);
  fs::path place = fs::absolute(path, error);
  for (int links = 0; links < kMostLinks; ++links) {
    const fs::path directory = fs::canonical(place.parent_path(), error);
    if (error) return std::nullopt;
    if (directory == of_process || directory == of_thread) {
      const auto number = parse_integer(place.filename().string());
      return number && *number <= std::numeric_limits<int>::max() ? std::optional<int>(*number)
                                                                  : std::nullopt;
    }
    const fs::path link = fs::read_symlink(place, error);
    if (error) return std::nullopt;
    place = directory / link;
  }
  return std::nullopt;
}

void require_distinct_files(std::span<const NamedFile> files) {
  const NamedFile program{"the program itself", "/proc/self/exe", FileUse::Input};
  std::map<Identity, const NamedFile*> seen;
  if (const auto identity = identity_of(program.path)) seen.emplace(*identity, &program);
  for (const NamedFile& file : files) {
    require_known_descriptor(file);
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
    throw ConfigError("{} must be a file of its own, found {}, which is also {}", wrong.origin,
                      quote_printable(shown.string()), other.origin);
  }
}

std::filesystem::path journal_of(const std::filesystem::path& report) {
  std::filesystem::path journal = resolved_path(report);
  journal += ".journal";
  return journal;
}

}  // namespace hpl
