#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace hpl {

/// A file of lines, open under a lock that other jobs respect where the file system has locks.
/// Without them O_APPEND alone keeps lines in one piece. Everything throws std::system_error.
class LineFile {
 public:
  /// Makes the file, with these permissions less the umask, if there is none.
  explicit LineFile(const std::filesystem::path& path, mode_t permissions = 0666);
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
