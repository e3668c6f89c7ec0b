# cmake -DGIT=... -DSOURCE_DIR=... -DOUTPUT=... -P HplCommit.cmake: writes the commit of a tree as a source. The file is
# left alone if its content would stay the same. An archive of git has its commit in the next line. Without git, or outside a
# checkout, the commit is empty.
set(archived "$Format:%H$")
cmake_path(GET SOURCE_DIR PARENT_PATH above)
set(ENV{GIT_CEILING_DIRECTORIES} "${above}")  # an unpacked release is no part of a repository around it
set(ENV{GIT_OPTIONAL_LOCKS} 0)
execute_process(
  COMMAND "${GIT}" -C "${SOURCE_DIR}" describe --always --dirty --abbrev=8 --exclude=*
  OUTPUT_VARIABLE commit RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(failed)
  string(REGEX MATCH "^[0-9a-f]+" commit "${archived}")
  string(SUBSTRING "${commit}" 0 8 commit)
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT [[
#include "hpl/machine/host/build_commit.h"

const char* hpl::build_commit() {
  return "@commit@";
}
]] @ONLY)
