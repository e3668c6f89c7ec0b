#include "hpl/base/file/spool_file.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace hpl {
namespace {

[[noreturn]] void fail(int error) {
  throw std::system_error(error, std::generic_category());
}

}  // namespace

SpoolFile::SpoolFile(const std::filesystem::path& neighbour) {
  std::string name = neighbour.string() + ".tmp-XXXXXX";
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail(errno);
  ::unlink(name.c_str());
}

SpoolFile::~SpoolFile() {
  ::close(descriptor_);
}

void SpoolFile::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(size_));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    size_ += static_cast<std::size_t>(written);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void SpoolFile::read(std::size_t bytes, const std::function<void(std::string_view)>& take) const {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::string piece(std::min(bytes, kPiece), '\0');
  for (std::size_t at = 0; at < bytes;) {
    const ssize_t got =
        ::pread(descriptor_, piece.data(), std::min(bytes - at, kPiece), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail(got < 0 ? errno : EIO);
    take(std::string_view(piece).substr(0, static_cast<std::size_t>(got)));
    at += static_cast<std::size_t>(got);
  }
}

}  // namespace hpl
