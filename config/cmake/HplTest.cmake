# hpl_add_unit_test(<topic> <sources>...): executable unit_<topic>, every case a CTest test with label "unit".
function(hpl_add_unit_test topic)
  add_executable(unit_${topic} ${ARGN})
  target_link_libraries(unit_${topic} PRIVATE hpl GTest::gtest_main hpl_build_flags
    fmt::fmt nlohmann_json::nlohmann_json)
  target_compile_definitions(unit_${topic} PRIVATE
    HPL_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests/golden")
  gtest_discover_tests(unit_${topic} TEST_PREFIX "unit." DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS unit TIMEOUT 120)
endfunction()

# hpl_add_mpi_test(<topic> <sources>...): executable mpi_<topic>, linked with the MPI-aware test main of
# tests/support and started on 1, 2, 3, 4 and 6 ranks, oversubscribed; label "mpi".
function(hpl_add_mpi_test topic)
  add_executable(mpi_${topic} ${ARGN})
  target_link_libraries(mpi_${topic} PRIVATE hpl hpl_mpi_test_main GTest::gtest hpl_build_flags
    fmt::fmt nlohmann_json::nlohmann_json)
  target_compile_definitions(mpi_${topic} PRIVATE
    HPL_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests/golden")
  foreach(ranks 1 2 3 4 6)
    add_test(NAME mpi.${topic}.${ranks}
      COMMAND ${MPIEXEC_EXECUTABLE} --oversubscribe --bind-to none -np ${ranks} $<TARGET_FILE:mpi_${topic}>)
    set_tests_properties(mpi.${topic}.${ranks} PROPERTIES LABELS mpi TIMEOUT 120 PROCESSORS 2
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_mpi_yield_when_idle=1;OPENBLAS_NUM_THREADS=1")
  endforeach()
endfunction()
