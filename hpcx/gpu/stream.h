#pragma once

#include <cstdint>
#include <memory>

#include "gpu/blas_calls.h"
#include "gpu/event.h"
#include "hpcx/error.h"
#include "hpcx/memory.h"
#include "hpcx/stream.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

class GpuDevice;

/// A native stream, with a BLAS handle unless it only copies.
class GpuStream final : public StreamState {
 public:
  enum class Use { Everything, Copies };

  GpuStream(GpuDevice& device, Priority priority, Use use = Use::Everything);
  ~GpuStream() override;

  Device& device() const override;
  Event record() override;
  void wait(const Event& event) override;
  void synchronize() override;
  void copy_2d(const StridedCopy& lines) override;
  void host_task(std::function<void()> task) override;

  gpuStream_t native() const { return stream_; }
  BlasContext& blas() {
    HPCX_ASSERT(blas_ != nullptr);
    return *blas_;
  }
  int device_index() const;
  /// kSolverWords words (gpu/blas.h) with all bits set between solves with one right-hand side.
  std::uint64_t* solver_words() const { return solver_words_.as<std::uint64_t>(); }

 private:
  GpuDevice& device_;
  std::shared_ptr<Failure> failure_ = std::make_shared<Failure>();
  gpuStream_t stream_ = nullptr;
  std::unique_ptr<BlasContext> blas_;
  Buffer solver_words_;
};

/// The stream behind a StreamRef of this back end, its device made current in the calling thread:
/// the first thing that every operation does.
GpuStream& activate(StreamRef stream);

gpuStream_t native(StreamRef stream);

}  // namespace hpcx::HPCX_GPU_NAMESPACE
