#pragma once

#include <cstdint>
#include <span>

#include "hpcx/device.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/lu/panel/panel_layout.h"
#include "hpl/lu/swap/row_exchange.h"

namespace hpl {

/// Memory of one panel on its way from the matrix through factorization and broadcast to the
/// update: the message of PanelLayout in host memory and on the device (one and the same where the
/// device shares host memory), L11 as the triangular solve wants it, and the row exchanges.
class PanelWorkspace {
 public:
  /// The host's part of a panel if the device has memory of its own: all of it, when the host
  /// factorizes it, or only the pivots.
  enum class HostPart { Message, Pivots };

  PanelWorkspace(hpcx::Device& device, const LocalShape& shape, HostPart host_part);

  /// Touches all of the device's part, see hpcx::Kernels::clear(). Asynchronous in `stream`.
  void touch(hpcx::StreamRef stream) const;

  /// Of one workspace.
  static MemoryBytes bytes(const LocalShape& shape, HostPart host_part, bool shares_host_memory);

  /// Begins the life of another panel; the last one must no longer be in use.
  void begin(const StepGeometry& geometry);

  const StepGeometry& geometry() const { return geometry_; }
  std::int64_t message_bytes() const { return layout_.bytes(); }
  std::int64_t matrix_offset() const { return layout_.matrix_offset(); }
  /// Of the message's beginning, up to and with the last pivot.
  std::int64_t header_bytes() const { return 8 * (1 + layout_.width); }

  std::byte* device_message() const { return device_.as<std::byte>(); }
  std::byte* host_message() const {
    return shared_ ? device_.as<std::byte>() : host_.as<std::byte>();
  }
  /// The memory of device_message().
  const hpcx::Buffer& device_memory() const { return device_; }
  /// X of the panel, ColumnMajor.
  hpcx::MatrixView device_x() const { return x_in(device_message()); }
  hpcx::MatrixView host_x() const { return x_in(host_message()); }
  /// L11 and U11; L21 with the padding.
  hpcx::MatrixView l11_u11() const { return device_x().row_range(0, layout_.width); }
  hpcx::MatrixView l21() const {
    return device_x().row_range(layout_.width, layout_.rows - layout_.width);
  }
  /// In host memory. Global rows; global column without a pivot, -1 if all have one.
  std::span<std::int64_t> pivots() const {
    return {reinterpret_cast<std::int64_t*>(host_message()) + 1,
            static_cast<std::size_t>(layout_.width)};
  }
  std::int64_t* zero_column() const { return reinterpret_cast<std::int64_t*>(host_message()); }

  /// L11, or its inverse, in the storage of HPL.dat's line 28; on the device.
  hpcx::MatrixView l11(bool transposed) const;

  DeviceExchangePlan& exchange() { return exchange_; }
  const DeviceExchangePlan& exchange() const { return exchange_; }

 private:
  hpcx::MatrixView x_in(std::byte* message) const;

  bool shared_;
  std::int64_t widest_;
  StepGeometry geometry_;
  PanelLayout layout_;
  hpcx::Buffer device_, host_, l11_;
  DeviceExchangePlan exchange_;
};

}  // namespace hpl
