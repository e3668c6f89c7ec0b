#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

namespace hpl {

/// Rows 0 ... rows - 1 of a block column, which two take from both ends until they meet. Which
/// rows whom, and in which pieces, follows from who comes first; with a fixed border it does not.
/// Thread-safe.
class DividedRows {
 public:
  struct Part {
    std::int64_t begin = 0, count = 0;
  };
  /// The rows before `border` are for the top, the others for the bottom; without a border whoever
  /// comes first takes.
  explicit DividedRows(std::int64_t rows, std::optional<std::int64_t> border = {})
      : top_end_(border.value_or(rows)), bottom_begin_(border.value_or(0)), end_(rows) {}

  /// At most so many rows, none where all are taken.
  Part take_from_top(std::int64_t most);
  Part take_from_bottom(std::int64_t most);

 private:
  std::mutex mutex_;
  std::int64_t begin_ = 0, top_end_;  // left for the top, as far as before end_
  std::int64_t bottom_begin_, end_;   // left for the bottom, as far as from begin_ on
};

}  // namespace hpl
