#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace hpl {

/// A file of lines, open under a lock that other jobs respect. Where the file system has no locks,
/// or somebody keeps this one for longer than any line takes (a job that was stopped), O_APPEND
/// alone keeps lines in one piece. Everything throws std::system_error.
class LineFile {
 public:
  /// Makes the file, with these permissions less the umask, if there is none.
  explicit LineFile(const std::filesystem::path& path, mode_t permissions = 0666,
                    std::chrono::milliseconds longest_wait = std::chrono::seconds(10));
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  ~LineFile();

  off_t size() const;
  /// At most `bytes`; fewer at the end.
  std::string read(off_t offset, std::size_t bytes) const;

  /// All of it, or nothing: a disk that fills up in the middle of a line leaves no half of it.
  void append(std::string_view text) const;

 private:
  int descriptor_;
};

}  // namespace hpl
