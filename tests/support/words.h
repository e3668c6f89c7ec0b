#pragma once

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace hpl::test {

/// The words of a command. A text is cut at its blanks; a list is taken as it is.
struct Words : std::vector<std::string> {
  using std::vector<std::string>::vector;
  Words(const std::string& line) {
    std::istringstream words(line);
    assign(std::istream_iterator<std::string>(words), {});
  }
  Words(const char* line) : Words(std::string(line)) {}
};

inline Words operator+(Words first, const Words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace hpl::test
