#include "hpl/base/error/error.h"

namespace hpl {

void assertion_failed(const char* condition, const char* file, int line) {
  throw std::logic_error(std::string(file) + ":" + std::to_string(line) +
                         ": internal error, expected " + condition);
}

}  // namespace hpl
