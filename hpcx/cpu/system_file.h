#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace hpcx::cpu {

/// What a file of the system, such as those under /sys, begins with; empty, or an empty word, where
/// it cannot be read.
inline std::optional<double> read_number(const std::filesystem::path& path) {
  std::ifstream file(path);
  double value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}
inline std::string read_word(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

}  // namespace hpcx::cpu
