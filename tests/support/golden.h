#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/test_files.h"

namespace hpl::test {

struct GoldenEntry {
  std::int64_t row = 0, column = 0;
  double value = 0;
};

/// The fields of every line but the heading of a comma-separated file under tests/golden.
inline std::vector<std::vector<std::string>> read_golden(const std::string& name) {
  std::ifstream file(golden_file(name));
  if (!file) throw std::runtime_error("cannot open " + name);
  std::vector<std::vector<std::string>> lines;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    lines.emplace_back();
    for (std::string field; std::getline(fields, field, ',');)
      lines.back().push_back(field);
  }
  return lines;
}

/// Elements of [A|b] that netlib's generator wrote; values from their exact hexadecimal form.
inline std::vector<GoldenEntry> golden_matrix(const std::string& name) {
  std::vector<GoldenEntry> entries;
  for (const auto& fields : read_golden(name))
    entries.push_back({std::stoll(fields.at(0)), std::stoll(fields.at(1)),
                       std::strtod(fields.at(4).c_str(), nullptr)});
  return entries;
}

/// The solution x that netlib computed.
inline std::vector<double> golden_solution(const std::string& name) {
  std::vector<double> x;
  for (const auto& fields : read_golden(name))
    x.push_back(std::strtod(fields.at(2).c_str(), nullptr));
  return x;
}

}  // namespace hpl::test
