#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "hpl/base/file/atomic_file.h"
#include "hpl/base/file/standard_output.h"

namespace hpl::page {

/// The destination of a text; proved writable at once.
class Target {
 public:
  Target(const std::optional<std::filesystem::path>& path, const char* what)
      : to_output_(path == "-") {
    if (path && !to_output_) file_.emplace(*path, what);
  }

  bool is_wanted() const { return to_output_ || file_; }
  void write(const std::string& text) const {
    if (to_output_) write_standard_output(text);
    if (file_) file_->write(text);
  }

 private:
  bool to_output_ = false;
  std::optional<AtomicFile> file_;
};

}  // namespace hpl::page
