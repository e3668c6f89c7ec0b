#pragma once

#include <functional>
#include <memory>

#include "hpcx/device.h"

namespace hpl::test {

/// Another device, for tests to override the products that are to be different.
class ForwardingDevice : public hpcx::Device, protected hpcx::Blas {
 public:
  explicit ForwardingDevice(hpcx::Device& device) : device_(device) {}

  const hpcx::DeviceProperties& properties() const override { return device_.properties(); }
  hpcx::MemoryInfo memory() const override { return device_.memory(); }
  bool shares_host_memory() const override { return device_.shares_host_memory(); }
  hpcx::Buffer allocate(std::size_t bytes) override { return device_.allocate(bytes); }
  hpcx::Buffer allocate_pinned(std::size_t bytes) override {
    return device_.allocate_pinned(bytes);
  }
  hpcx::CopiedBytes copied() const override { return device_.copied(); }
  hpcx::HostRegistration register_host(void* data, std::size_t bytes) override {
    return device_.register_host(data, bytes);
  }
  hpcx::Stream create_stream(hpcx::Priority priority) override {
    return device_.create_stream(priority);
  }
  std::int64_t stream_bytes() const override { return device_.stream_bytes(); }
  void synchronize() override { device_.synchronize(); }
  void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body) override {
    device_.parallel_for(count, body);
  }
  hpcx::Blas& blas() override { return *this; }
  hpcx::Kernels& kernels() override { return device_.kernels(); }
  hpcx::Emulation* emulation() override { return device_.emulation(); }
  hpcx::MixedPrecision* mixed_precision() override { return device_.mixed_precision(); }
  hpcx::Telemetry& telemetry() override { return device_.telemetry(); }
  std::unique_ptr<hpcx::PanelSolver> create_panel_solver(
      const hpcx::PanelSolverSpec& spec) override {
    return device_.create_panel_solver(spec);
  }
  std::int64_t panel_solver_bytes(const hpcx::PanelSolverSpec& spec) const override {
    return device_.panel_solver_bytes(spec);
  }
  hpcx::Interconnect* interconnect() override { return device_.interconnect(); }

 protected:
  void gemm(hpcx::StreamRef stream, const hpcx::MatrixProduct& product) override {
    device_.blas().gemm(stream, product);
  }
  void trsm(hpcx::StreamRef stream, const hpcx::TriangularView& t, hpcx::MatrixView b) override {
    device_.blas().trsm(stream, t, b);
  }
  void gemv(hpcx::StreamRef stream, const hpcx::VectorProduct& product) override {
    device_.blas().gemv(stream, product);
  }

 private:
  hpcx::Device& device_;
};

}  // namespace hpl::test
