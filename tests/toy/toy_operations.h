#pragma once

#include <functional>
#include <memory>

#include "hpcx/blas.h"
#include "hpcx/kernels.h"

namespace hpcx::toy {

/// Runs `work` in the order of a stream of the toy.
void enqueue(StreamRef stream, std::function<void()> work);

std::unique_ptr<Blas> make_blas();
std::unique_ptr<Kernels> make_kernels();

}  // namespace hpcx::toy
