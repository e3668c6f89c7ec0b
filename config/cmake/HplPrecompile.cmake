# Headers of libraries that most sources include. Never one of the project's: a change in it would compile everything,
# and each source shall name what it uses.
set(HPL_STANDARD_HEADERS
  <algorithm> <array> <atomic> <chrono> <cmath> <condition_variable> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring>
  <deque> <exception> <filesystem> <fstream> <functional> <iterator> <limits> <map> <memory> <mutex> <numeric>
  <optional> <ostream> <set> <span> <sstream> <stdexcept> <string> <string_view> <system_error> <thread> <tuple>
  <utility> <vector>)

# hpl_precompile(<target> [<headers>...]): those of the standard library, and the ones given, precompiled for a target.
function(hpl_precompile target)
  if(HPL_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE ${HPL_STANDARD_HEADERS} ${ARGN})
  endif()
endfunction()
