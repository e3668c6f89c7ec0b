# Headers of libraries that most sources include, precompiled once for each set of flags. Never one of the project's: a
# change in it would compile everything, and each source shall name what it uses.
set(HPL_STANDARD_HEADERS
  <algorithm> <array> <atomic> <chrono> <cmath> <condition_variable> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring>
  <deque> <exception> <filesystem> <fstream> <functional> <iterator> <limits> <map> <memory> <mutex> <numeric>
  <optional> <ostream> <set> <span> <sstream> <stdexcept> <string> <string_view> <system_error> <thread> <tuple>
  <utility> <vector>)

# hpl_add_precompiled(<name> <headers>... FLAGS <targets>...): a target whose precompiled header others with the same
# flags reuse. It has a source because CMake wants one.
function(hpl_add_precompiled name)
  cmake_parse_arguments(PARSE_ARGV 1 "" "" "" "FLAGS")
  add_library(${name} STATIC EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/config/cmake/precompiled.cpp")
  target_link_libraries(${name} PRIVATE ${_FLAGS})
  target_precompile_headers(${name} PRIVATE ${HPL_STANDARD_HEADERS} ${_UNPARSED_ARGUMENTS})
  # A source of its own that is compiled without the header would lose that in a unity build.
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
endfunction()

# hpl_precompile(<target> <name>): compile the target with it.
function(hpl_precompile target name)
  if(HPL_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

if(HPL_PRECOMPILED_HEADERS)
  hpl_add_precompiled(hpl_precompiled <fmt/format.h> FLAGS fmt::fmt hpl_build_flags)
  hpl_add_precompiled(hpl_precompiled_words <fmt/format.h> <nlohmann/json.hpp> FLAGS fmt::fmt hpl_build_flags hpl_words_flags)
endif()
