#include "hpl/base/file/line_file.h"

#include <cerrno>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hpl {
namespace {

[[noreturn]] void fail() {
  throw std::system_error(errno, std::generic_category());
}

}  // namespace

LineFile::LineFile(const std::filesystem::path& path, mode_t permissions,
                   std::chrono::milliseconds longest_wait)
    : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, permissions)) {
  if (descriptor_ < 0) fail();
  constexpr std::chrono::milliseconds kPause{1};
  std::chrono::milliseconds waited{0};
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR) &&
         waited < longest_wait) {
    std::this_thread::sleep_for(kPause);
    waited += kPause;
  }
}

LineFile::~LineFile() {
  ::close(descriptor_);
}

off_t LineFile::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail();
  return status.st_size;
}

std::string LineFile::read(off_t offset, std::size_t bytes) const {
  std::string text(bytes, '\0');
  const ssize_t count = ::pread(descriptor_, text.data(), bytes, offset);
  if (count < 0) fail();
  text.resize(count);
  return text;
}

void LineFile::append(std::string_view text) const {
  const off_t before = size();
  std::size_t written = 0;
  while (written < text.size()) {
    // The next write reports the cause of one that stopped in the middle (a full disk, a limit).
    const ssize_t count = ::write(descriptor_, text.data() + written, text.size() - written);
    if (count > 0) {
      written += static_cast<std::size_t>(count);
      continue;
    }
    const int cause = count < 0 ? errno : ENOSPC;
    if (cause == EINTR) continue;
    if (written > 0 && ::ftruncate(descriptor_, before) != 0) fail();
    throw std::system_error(cause, std::generic_category());
  }
}

}  // namespace hpl
