#pragma once

#include_next <vendor.h>

// The library whose names RCCL has.
#undef HPCX_GPU_COLLECTIVES
#define HPCX_GPU_COLLECTIVES "libnccl.so.2"

#undef HPCX_GPU_REGISTER
#define HPCX_GPU_REGISTER "d"
