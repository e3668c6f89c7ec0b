#define HPL_TEST_EXTERN  // compiled without the precompiled header, which leaves all of this out
#include "precompiled_text.h"
