#include "hpl/base/file/atomic_file.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hpl/base/error/error.h"
#include "hpl/base/file/named_files.h"
#include "hpl/base/text/text_value.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kAllPermissions = S_IRWXU | S_IRWXG | S_IRWXO;

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

/// A file beside the target that goes away unless it was put in the target's place.
class TemporaryFile {
 public:
  /// Throws std::system_error when the directory cannot be written.
  explicit TemporaryFile(const fs::path& target) {
    constexpr int kAttempts =
        100;  // of names: the process number alone is not unique on a shared disk
    for (int attempt = 0; attempt < kAttempts && !file_; ++attempt) {
      path_ = target;
      path_ += fmt::format(".tmp-{}-{}", ::getpid(), attempt);
      file_.reset(std::fopen(path_.c_str(), "wx"));
      if (!file_ && errno != EEXIST) break;
    }
    if (!file_) throw std::system_error(errno, std::generic_category());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove(path_, ignored);
  }

  std::FILE* get() const { return file_.get(); }

  /// Before there is content that not everybody may read.
  void take_permissions_of(const fs::path& target) {
    struct stat status {};
    if (::lstat(target.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;  // a new file
    const int descriptor = ::fileno(file_.get());
    mode_t permissions = status.st_mode & kAllPermissions;
    // Only root gives files away. Where not even the group can stay, no other gets its rights.
    if (::fchown(descriptor, status.st_uid, status.st_gid) != 0 &&
        ::fchown(descriptor, static_cast<uid_t>(-1), status.st_gid) != 0)
      permissions &= ~static_cast<mode_t>(S_IRWXG);
    struct stat own {};
    const bool differ =
        ::fstat(descriptor, &own) != 0 || (own.st_mode & kAllPermissions) != permissions;
    if (differ && ::fchmod(descriptor, permissions) != 0)
      throw std::system_error(errno, std::generic_category());
  }

  /// Throws std::system_error; the temporary file is removed then.
  void replace(const fs::path& target) {
    // The rename must not overtake the data, or a crash leaves an empty file under the final name.
    if (::fsync(::fileno(file_.get())) != 0)
      throw std::system_error(errno, std::generic_category());
    if (std::fclose(file_.release()) != 0) throw std::system_error(errno, std::generic_category());
    fs::rename(path_, target);
    path_.clear();
  }

 private:
  fs::path path_;
  File file_;
};

/// Throws std::system_error.
void write_all(std::FILE* file, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (!written || std::fflush(file) != 0) throw std::system_error(errno, std::generic_category());
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& target, std::string what)
    : what_(std::move(what)), target_(target) {
  if (target.empty()) throw ConfigError("cannot write {} to '': the file name is empty", what_);
  // Through a symbolic link: renaming over the link would leave the file it points to unchanged.
  const std::optional<fs::path> resolved = output_path(target);
  if (!resolved)
    throw ConfigError(
        "cannot write {} to '{}': it is, or leads through, a link or pipe of another user in a "
        "directory that everybody may write to",
        what_, shown_text(target.string()));
  target_ = *resolved;
  std::error_code error;
  const fs::file_status status = fs::status(target_, error);
  if (fs::is_directory(status)) throw ConfigError(message(EISDIR));
  if (fs::exists(status) && ::access(target_.c_str(), W_OK) != 0) throw ConfigError(message(errno));
  in_place_ = fs::exists(status) && !fs::is_regular_file(status);
  if (in_place_) return;
  try {
    TemporaryFile probe(target_);
    probe.take_permissions_of(target_);
  } catch (const std::system_error& failure) {
    throw ConfigError(message(failure.code().value()));
  }
}

void AtomicFile::write(std::string_view text) const {
  write_pieces([text](const Piece& piece) { piece(text); });
}

void AtomicFile::write_pieces(const std::function<void(const Piece&)>& content) const {
  const auto write_to = [&](std::FILE* file) {
    content([file](std::string_view piece) { write_all(file, piece); });
  };
  try {
    if (in_place_) {
      const File file(std::fopen(target_.c_str(), "w"));
      if (!file) throw std::system_error(errno, std::generic_category());
      write_to(file.get());
    } else {
      TemporaryFile file(target_);
      file.take_permissions_of(target_);
      write_to(file.get());
      file.replace(target_);
    }
  } catch (const std::system_error& failure) {
    throw RunError(message(failure.code().value()));
  }
}

std::string AtomicFile::message(int error) const {
  return fmt::format("cannot write {} to '{}': {}", what_, shown_text(target_.string()),
                     std::generic_category().message(error));
}

}  // namespace hpl
