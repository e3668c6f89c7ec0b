#include "check.h"

#include <array>
#include <limits>
#include <string>

#include <mpi.h>

#include "hpl/base/error/error.h"

namespace hpl::mpi {

void check(int code, const char* call, const char* file, int line) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0, initialized = 0;
  // Before MPI has started it ends the process of who asks.
  const bool speaks = MPI_Initialized(&initialized) == MPI_SUCCESS && initialized != 0 &&
                      MPI_Error_string(code, text.data(), &length) == MPI_SUCCESS;
  if (!speaks) length = 0;
  throw RunError("MPI error {}: {} in {} ({}:{})", code,
                 std::string(text.data(), static_cast<std::size_t>(length)), call, file, line);
}

int narrow_to_int(std::int64_t value) {
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
    throw RunError("{} does not fit an MPI count", value);
  return static_cast<int>(value);
}

}  // namespace hpl::mpi
