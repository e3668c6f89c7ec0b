#pragma once

#include <cmath>
#include <optional>

#include <nlohmann/json.hpp>

namespace hpl {

/// JSON has no infinity.
inline nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value ? number_or_null(*value) : nlohmann::ordered_json(nullptr);
}

template <class T>
nlohmann::ordered_json value_or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace hpl
