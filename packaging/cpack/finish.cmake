# Run by cpack between installation and package: adds what distributions want of every package.

# Calls gzip on files, without their names and times.
function(compress)
  execute_process(COMMAND gzip -9nf ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(GLOB_RECURSE manuals "${CPACK_TEMPORARY_DIRECTORY}/*.1")
compress(${manuals})

if(CPACK_GENERATOR STREQUAL "DEB")
  file(GLOB_RECURSE licence "${CPACK_TEMPORARY_DIRECTORY}/LICENSE")
  get_filename_component(documents "${licence}" DIRECTORY)
  file(RENAME "${licence}" "${documents}/copyright")
  # The date is that of SOURCE_DATE_EPOCH, if it is set.
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE "${documents}/changelog"
    "xhpl (${CPACK_PACKAGE_VERSION}) stable; urgency=medium\n\n"
    "  * CHANGELOG.md has the changes.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  compress("${documents}/changelog")
elseif(CPACK_GENERATOR STREQUAL "RPM")
  # Fedora wants the path of an interpreter.
  file(GLOB_RECURSE scripts "${CPACK_TEMPORARY_DIRECTORY}/*/xhpl-mpirun" "${CPACK_TEMPORARY_DIRECTORY}/*/xhpl-fleet"
    "${CPACK_TEMPORARY_DIRECTORY}/*.sbatch")
  execute_process(COMMAND sed -i "1s:^#!/usr/bin/env :#!/usr/bin/:" ${scripts} COMMAND_ERROR_IS_FATAL ANY)
endif()
