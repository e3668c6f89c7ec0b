#pragma once

#include <optional>
#include <string>

#include "hpl/base/record/record.h"

namespace hpl {

/// A figure of the deep check. Ranks have it under the same key.
struct DeepFigure {
  std::string key;    ///< in JSON: "copy_in_alone"
  std::string label;  ///< in tables
  std::string unit;
  bool of_device = false;  ///< else of the host
  bool lower_is_better = false;
  double value = 0;
  std::optional<double> share;  ///< of a copy: of the rate of its direction alone

  bool operator==(const DeepFigure&) const = default;
};
void describe(Record& record, DeepFigure& figure);

}  // namespace hpl
