#pragma once

#include_next <vendor.h>

#undef HPCX_GPU_REGISTER
#define HPCX_GPU_REGISTER "m"
