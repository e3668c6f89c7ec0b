# Sanitized executables find their settings in the environment, however the tests are started. Open MPI, hwloc and
# OpenBLAS are not instrumented: what the thread sanitizer cannot see of them stands in tests/support/tsan.supp, and
# memory they keep until the end is no leak of ours.
set(HPL_TEST_ENVIRONMENT "")
if("thread" IN_LIST HPL_SANITIZE)
  list(APPEND HPL_TEST_ENVIRONMENT
    "TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1:suppressions=${PROJECT_SOURCE_DIR}/tests/support/tsan.supp")
elseif("address" IN_LIST HPL_SANITIZE)
  list(APPEND HPL_TEST_ENVIRONMENT
    "ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1:detect_leaks=0"
    "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1")
endif()

# What the sanitizers run: unit tests, and those that run the workers.
add_custom_target(sanitizer_tests)

# hpl_add_unit_test(<topic> <sources>...): executable unit_<topic>, every case a CTest test with label "unit".
function(hpl_add_unit_test topic)
  add_executable(unit_${topic} ${ARGN})
  add_dependencies(sanitizer_tests unit_${topic})
  target_link_libraries(unit_${topic} PRIVATE hpl GTest::gtest_main hpl_build_flags
    fmt::fmt nlohmann_json::nlohmann_json)
  target_include_directories(unit_${topic} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_compile_definitions(unit_${topic} PRIVATE
    HPL_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests/golden")
  # gtest_discover_tests takes no lists: the first of the settings, without which a sanitizer reports what is not ours.
  set(environment "")
  if(HPL_TEST_ENVIRONMENT)
    list(GET HPL_TEST_ENVIRONMENT 0 environment)
  endif()
  # At test time: a sanitized executable may need help from scripts/test to start.
  gtest_discover_tests(unit_${topic} TEST_PREFIX "unit." DISCOVERY_TIMEOUT 60 DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS unit TIMEOUT 120 ENVIRONMENT "${environment}")
endfunction()

# hpl_add_mpi_test(<topic> <sources>...): executable mpi_<topic>, linked with the MPI-aware test main of
# tests/support and started on 1, 2, 3, 4 and 6 ranks, oversubscribed; label "mpi". What runs the workers has the label
# "pipeline" as well, on up to 4 ranks: these are the tests for the sanitizers.
function(hpl_add_mpi_test topic)
  add_executable(mpi_${topic} ${ARGN})
  target_link_libraries(mpi_${topic} PRIVATE hpl hpl_mpi_test_main GTest::gtest hpl_build_flags
    fmt::fmt nlohmann_json::nlohmann_json)
  target_include_directories(mpi_${topic} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_compile_definitions(mpi_${topic} PRIVATE
    HPL_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests/golden")
  if(topic MATCHES "^pipeline")
    add_dependencies(sanitizer_tests mpi_${topic})
  endif()
  foreach(ranks 1 2 3 4 6)
    add_test(NAME mpi.${topic}.${ranks}
      COMMAND ${MPIEXEC_EXECUTABLE} --oversubscribe --bind-to none -np ${ranks} $<TARGET_FILE:mpi_${topic}>)
    set(labels mpi)
    if(topic MATCHES "^pipeline" AND ranks LESS_EQUAL 4)
      list(APPEND labels pipeline)
    endif()
    set_tests_properties(mpi.${topic}.${ranks} PROPERTIES LABELS "${labels}" TIMEOUT 120 PROCESSORS 2
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_mpi_yield_when_idle=1;OPENBLAS_NUM_THREADS=1;${HPL_TEST_ENVIRONMENT}")
  endforeach()
endfunction()
