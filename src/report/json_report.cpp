#include "hpl/report/json_report.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "hpl/base/error.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

std::string system_text(int error) {
  return std::generic_category().message(error);
}

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

  /// Throws std::system_error; the temporary file is removed then.
  void replace(const fs::path& target) {
    // The rename must not overtake the data, or a crash leaves an empty report under the final
    // name.
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
void write_all(std::FILE* file, const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (!written || std::fflush(file) != 0) throw std::system_error(errno, std::generic_category());
}

[[noreturn]] void reject(const fs::path& target, const std::string& reason) {
  throw ConfigError(
      fmt::format("cannot write the JSON report to '{}': {}", target.string(), reason));
}

}  // namespace

JsonReport::JsonReport(const fs::path& target) {
  if (target.empty()) reject(target, "the file name is empty");
  std::error_code error;
  // Through a symbolic link: renaming over the link would leave the file it points to unchanged.
  const fs::path resolved = fs::weakly_canonical(target, error);
  target_ = error ? fs::absolute(target) : resolved;

  const fs::file_status status = fs::status(target_, error);
  if (fs::is_directory(status)) reject(target, system_text(EISDIR));
  if (fs::exists(status) && ::access(target_.c_str(), W_OK) != 0)
    reject(target, system_text(errno));
  in_place_ = fs::exists(status) && !fs::is_regular_file(status);
  if (in_place_) return;
  try {
    TemporaryFile probe(target_);
  } catch (const std::system_error& failure) {
    reject(target, system_text(failure.code().value()));
  }
}

void JsonReport::write(const JobReport& job) const {
  const std::string text = to_json(job);
  try {
    if (in_place_) {
      const File file(std::fopen(target_.c_str(), "w"));
      if (!file) throw std::system_error(errno, std::generic_category());
      write_all(file.get(), text);
    } else {
      TemporaryFile file(target_);
      write_all(file.get(), text);
      file.replace(target_);
    }
  } catch (const std::system_error& failure) {
    throw RunError(fmt::format("cannot write the JSON report to '{}': {}", target_.string(),
                               system_text(failure.code().value())));
  }
}

}  // namespace hpl
