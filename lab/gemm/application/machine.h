#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gemm/application/options.h"
#include "gemm/result/result.h"
#include "hpcx/device.h"
#include "hpcx/host_memory.h"

namespace hpl::gemm {

/// Devices, the host's cores, and host memory for the largest of all matrices of a job.
class Machine {
 public:
  /// Throws ConfigError where this machine cannot serve the options, and what devices throw.
  Machine(const GemmOptions& options, JobResult& job);

  hpcx::Device& device(std::size_t i) const { return *devices_[i]; }
  std::size_t devices() const { return devices_.size(); }
  hpcx::Device& host() const { return *host_; }
  bool pageable() const { return pageable_; }
  const std::vector<Shape>& shapes() const { return shapes_; }
  /// Bytes of a device that a plan may use besides its streams'.
  std::int64_t device_bytes(std::size_t i) const { return device_bytes_[i]; }

  /// A, B and C of a shape, contents as they were.
  Operands operands(const Shape& shape, double alpha, double beta) const;

 private:
  void open(const GemmOptions& options, JobResult& job);
  void allocate(const GemmOptions& options, JobResult& job);

  hpcx::Backend back_end_;
  std::vector<Shape> shapes_;
  std::vector<std::unique_ptr<hpcx::Device>> devices_;
  std::unique_ptr<hpcx::Device> host_;
  std::vector<std::int64_t> device_bytes_;
  std::vector<int> near_;  // NUMA nodes near the devices, ascending
  bool pageable_;
  hpcx::HostMemory a_, b_, c_;  // behind the devices: unpinned before these go
};

}  // namespace hpl::gemm
