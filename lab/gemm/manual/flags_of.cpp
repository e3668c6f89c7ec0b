#include "manual/flags_of.h"

#include <stdexcept>

#include "gemm/application/options.h"

namespace hpl::manual {

std::vector<Flag> flags_of(const std::string& program) {
  if (program == "xhpl-gemm") return gemm::gemm_flags();
  throw std::runtime_error("no program is called " + program);
}

}  // namespace hpl::manual
