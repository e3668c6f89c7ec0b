#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace hpl {

/// A file that a reader never sees half written: a temporary file beside the target takes its place
/// when complete, with the target's permissions, and its owner as far as this process may give
/// files away. A target that is no regular file (/dev/stdout, a pipe) is written directly.
class AtomicFile {
 public:
  /// Proves that the target can be written, without touching its content, so that a wrong path
  /// shows before the first run. `what` names the file in messages: "the JSON report". Throws
  /// ConfigError with the path and the reason.
  AtomicFile(const std::filesystem::path& target, std::string what);

  /// Replaces the whole content. Throws RunError with the path and the reason, and leaves what the
  /// target held before.
  void write(std::string_view text) const;

  /// As write(), of all the pieces that `content` hands to its argument. `content` may throw
  /// std::system_error.
  using Piece = std::function<void(std::string_view)>;
  void write_pieces(const std::function<void(const Piece&)>& content) const;

  /// "cannot write WHAT to 'PATH': REASON" for an error number.
  std::string message(int error) const;

  /// Symbolic links followed.
  const std::filesystem::path& target() const { return target_; }
  /// The target is no regular file: what is written there stays, and stands beside what is written
  /// next.
  bool in_place() const { return in_place_; }

 private:
  std::string what_;
  std::filesystem::path target_;
  bool in_place_ = false;
};

}  // namespace hpl
