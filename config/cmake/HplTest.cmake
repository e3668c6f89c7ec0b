# A sanitized build holds the tests that its sanitizer runs, and no others; what is left out and why stands in
# CONTRIBUTING.md. Sanitized executables find their settings in the environment, however the tests are started. Open MPI,
# hwloc and OpenBLAS are not instrumented: what the thread sanitizer cannot see of them stands in
# tests/support/tsan.supp. Memory they keep to the end is no leak of ours: leaks are judged in what starts no MPI.
set(HPL_TEST_ENVIRONMENT "")
set(HPL_UNIT_TEST_ENVIRONMENT "")
set(HPL_TEST_RANKS 1 2 3 4 6)
# How tests start ranks: build/<preset>/mpiexec. Open MPI's launcher refuses more ranks than cores, and binds them.
set(HPL_MPIEXEC "${PROJECT_BINARY_DIR}/mpiexec")
execute_process(COMMAND "${MPIEXEC_EXECUTABLE}" --version OUTPUT_VARIABLE launcher ERROR_QUIET)
string(REGEX MATCH "HYDRA" HPL_MPIEXEC_IS_HYDRA "${launcher}")
# Open MPI has it since version 5.
string(REGEX MATCH "Open MPI\\) ([5-9]|[1-9][0-9])\\." HPL_MPIEXEC_IS_PRRTE "${launcher}")
# All ranks are on this host. Open MPI 5 warns of a network that it does not know.
set(HPL_MPIEXEC_NETWORK "")
if(HPL_MPIEXEC_IS_PRRTE)
  set(HPL_MPIEXEC_NETWORK "export OMPI_MCA_btl=\${OMPI_MCA_btl-self,sm}")
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/mpiexec.in" "${HPL_MPIEXEC}" @ONLY FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
# Several times what a test takes on two idle cores: a hang is told by the test itself (tests/support/mpi_test_main.cpp).
set(HPL_TEST_TIMEOUT 300)
# Clang's reports name functions with the help of a program that it looks for without the version in its name.
find_program(HPL_SYMBOLIZER NAMES llvm-symbolizer llvm-symbolizer-16)
set(symbolizer "")
if(HPL_SYMBOLIZER)
  set(symbolizer ":external_symbolizer_path=${HPL_SYMBOLIZER}")
endif()
if("thread" IN_LIST HPL_SANITIZE)
  set(HPL_TEST_ENVIRONMENT
    "TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1:suppressions=${PROJECT_SOURCE_DIR}/tests/support/tsan.supp${symbolizer}")
  set(HPL_UNIT_TEST_ENVIRONMENT "${HPL_TEST_ENVIRONMENT}")
  set(HPL_TEST_RANKS 2 4)
elseif("address" IN_LIST HPL_SANITIZE)
  set(options "ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1${symbolizer}")
  set(HPL_TEST_ENVIRONMENT "${options}:detect_leaks=0")
  set(HPL_UNIT_TEST_ENVIRONMENT "${options}:detect_leaks=1"
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/lsan.supp")
  set(HPL_TEST_RANKS 4)
endif()
if(HPL_SANITIZE)
  set(HPL_TEST_TIMEOUT 900)
  # The names of PCI devices, which hwloc reads with 4500 calls of realloc, are four fifths of the time in which a job of
  # four ranks starts under the address sanitizer.
  list(APPEND HPL_TEST_ENVIRONMENT "HWLOC_COMPONENTS=-pci")
  # Cases of hundreds of members, jobs, runs, command lines or predictions take minutes here.
  set(many
    Commands.NameWhatTook* Documentation.HoldsWhatIsPredicted FlagRules.ExcludeFlags* FleetJson.AThousandMembers*
    FleetMerge.AThousandJobs* GridRule.IsWithin* JsonReportOfManyRuns.TakesAShare* Models.SampledAgrees*
    PredictedRuns.AreMadeFor* PredictedRuns.AreRefusedWhereTheyWould* PredictedRuns.FallBack* PredictedRuns.HaveTheirRate*)
  list(JOIN many ":" many)
  list(APPEND HPL_UNIT_TEST_ENVIRONMENT "HWLOC_COMPONENTS=-pci" "GTEST_FILTER=-${many}")
endif()

add_library(hpl_test_base INTERFACE)
target_include_directories(hpl_test_base INTERFACE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(hpl_test_base INTERFACE GTest::gtest nlohmann_json::nlohmann_json hpl_build_flags)
if("undefined" IN_LIST HPL_SANITIZE)
  # Checks of undefined behaviour in every assertion of a test are a fifth of its build: the program is checked, tests are
  # not. A target of its own, since the flag must follow that of hpl_build_flags.
  add_library(hpl_test_unchecked INTERFACE)
  target_compile_options(hpl_test_unchecked INTERFACE -fno-sanitize=undefined)
  target_link_libraries(hpl_test_base INTERFACE hpl_test_unchecked)
endif()

# Most tests wait and compare: they are compiled without optimisation, the libraries they test with it.
add_library(hpl_test_flags INTERFACE)
target_compile_options(hpl_test_flags INTERFACE $<${HPL_OPTIMISED}:-O0>)
target_link_libraries(hpl_test_flags INTERFACE hpl_test_base)

# hpl_precompile_test(<target> [TEXT]): one precompiled header for all tests; with TEXT the one for tests that read
# JSON or match regular expressions, which brings both along, instantiated once. Others would pay for reading it.
function(hpl_precompile_test target)
  if("TEXT" IN_LIST ARGN)
    hpl_precompile(${target} hpl_precompiled_text_test)
    target_link_libraries(${target} PRIVATE $<TARGET_NAME_IF_EXISTS:hpl_precompiled_text_test>)
  else()
    hpl_precompile(${target} hpl_precompiled_test)
  endif()
endfunction()
if(HPL_PRECOMPILED_HEADERS)
  hpl_add_precompiled(hpl_precompiled_test <gtest/gtest.h> FLAGS hpl_test_flags)
  set(text "${PROJECT_SOURCE_DIR}/tests/support/precompiled_text")
  hpl_add_precompiled(hpl_precompiled_text_test <gtest/gtest.h> "${text}.h" FLAGS hpl_test_flags)
  target_sources(hpl_precompiled_text_test PRIVATE "${text}.cpp")
  set_source_files_properties("${text}.cpp" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endif()

# All tests of a kind.
add_custom_target(unit_tests)
add_custom_target(mpi_tests)
# Prefix and label of what hpl_add_unit_test() adds.
set(HPL_UNIT_KIND unit)
# hpl_add_unit_test(<topic> [TEXT|OPTIMISED] [THREADS] <sources>...): executable unit_<topic>, every case a CTest test with
# label "unit"; under a sanitizer, whose programs take long to start, the executable is one test. TEXT: see
# hpl_precompile_test. OPTIMISED: for tests that compute for seconds themselves. THREADS: starts threads, so the thread
# sanitizer runs it; it leaves the others out.
function(hpl_add_unit_test topic)
  cmake_parse_arguments(PARSE_ARGV 1 "" "TEXT;OPTIMISED;THREADS" "" "")
  set(test ${HPL_UNIT_KIND}_${topic})
  add_executable(${test} ${_UNPARSED_ARGUMENTS})
  add_dependencies(unit_tests ${test})
  target_link_libraries(${test} PRIVATE hpl hpl_test_files fmt::fmt GTest::gtest_main)
  if(_OPTIMISED)
    target_link_libraries(${test} PRIVATE hpl_test_base)
  else()
    target_link_libraries(${test} PRIVATE hpl_test_flags)
    hpl_precompile_test(${test} ${ARGN})
  endif()
  if("thread" IN_LIST HPL_SANITIZE AND NOT _THREADS)
    set_target_properties(${test} PROPERTIES EXCLUDE_FROM_ALL ON)
  elseif(HPL_SANITIZE)
    add_test(NAME ${HPL_UNIT_KIND}.${topic} COMMAND ${test})
    set_tests_properties(${HPL_UNIT_KIND}.${topic} PROPERTIES LABELS ${HPL_UNIT_KIND} TIMEOUT ${HPL_TEST_TIMEOUT}
      ENVIRONMENT "${HPL_UNIT_TEST_ENVIRONMENT}")
  else()
    gtest_discover_tests(${test} TEST_PREFIX "${HPL_UNIT_KIND}." DISCOVERY_TIMEOUT 60 DISCOVERY_MODE PRE_TEST
      PROPERTIES LABELS ${HPL_UNIT_KIND} TIMEOUT ${HPL_TEST_TIMEOUT})
  endif()
endfunction()

# hpl_add_mpi_test(<topic> <sources>...): executable mpi_<topic>, linked with the MPI-aware test main of
# tests/support and started on each number of HPL_TEST_RANKS, oversubscribed; label "mpi". What runs the workers has the
# label "pipeline" as well.
function(hpl_add_mpi_test topic)
  add_executable(mpi_${topic} ${ARGN})
  add_dependencies(mpi_tests mpi_${topic})
  target_link_libraries(mpi_${topic} PRIVATE hpl hpl_test_files hpl_test_flags hpl_mpi_test_main fmt::fmt)
  hpl_precompile_test(mpi_${topic})
  foreach(ranks IN LISTS HPL_TEST_RANKS)
    add_test(NAME mpi.${topic}.${ranks}
      COMMAND "${HPL_MPIEXEC}" -np ${ranks} $<TARGET_FILE:mpi_${topic}>)
    set(labels mpi)
    if(topic MATCHES "^pipeline")
      list(APPEND labels pipeline)
    endif()
    set_tests_properties(mpi.${topic}.${ranks} PROPERTIES LABELS "${labels}" TIMEOUT ${HPL_TEST_TIMEOUT} PROCESSORS ${ranks}
      ENVIRONMENT "OPENBLAS_NUM_THREADS=1;${HPL_TEST_ENVIRONMENT}")
  endforeach()
endfunction()
