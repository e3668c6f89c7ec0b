#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace hpcx::cpu {

/// The first number, times `unit`, or word of a file of the system, such as those under /sys; empty
/// if the file cannot be read.
inline std::optional<double> read_number(const std::filesystem::path& path, double unit = 1) {
  std::ifstream file(path);
  double value = 0;
  return file >> value ? std::optional(value * unit) : std::nullopt;
}
inline std::string read_word(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

}  // namespace hpcx::cpu
