#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpl::test {

/// Chromium without a window, in a directory for its profile and for what it is to open.
class Browser {
 public:
  explicit Browser(std::filesystem::path directory);

  /// False without Chromium on this machine (package chromium).
  bool is_there() const { return !program_.empty(); }

  /// Writes a file beside those that are opened.
  void write(const std::string& name, const std::string& text) const;
  /// Opens a file with further flags of Chromium. Returns what a script gave to `leave`, which
  /// probed() brings along; null where it gave nothing.
  nlohmann::json open(const std::string& name, const std::vector<std::string>& flags = {}) const;

  /// The sight of each page for a reader, once its script has run and everything is unfolded:
  /// `text`: lines, cells of a table with tabs between them; `told`: titles of charts and cells;
  /// `marked`: names of the rows that stand out; `coloured`: cells with a ground of their own;
  /// `lines`, `bands`, `dots`: how many charts have; `faults` of scripts; `fetched` from elsewhere.
  std::vector<nlohmann::json> look_at(const std::vector<std::string>& pages) const;

 private:
  std::filesystem::path directory_;
  std::string program_;
};

/// A page with `script` at its end. `faults` holds the messages of what went wrong in the page,
/// and that `evil()` was called. `leave(value)` hands a value to the test.
std::string probed(std::string page, const std::string& script);

/// `text` as the value of a quoted attribute.
std::string quoted_attribute(const std::string& text);

}  // namespace hpl::test
