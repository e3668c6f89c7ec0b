#include "hpl/lu/panel/panel_workspace.h"

namespace hpl {

using hpcx::Layout;
using hpcx::MatrixView;

namespace {

std::size_t square_bytes(std::int64_t width) {
  return static_cast<std::size_t>(8 * width * width);
}

/// Pinned memory is slow to get, a gigabyte takes as long as a step: no more than is needed.
std::int64_t host_message_bytes(const LocalShape& shape, PanelWorkspace::HostPart part) {
  const PanelLayout widest{.width = std::min(shape.rows.block(), shape.rows.extent())};
  return part == PanelWorkspace::HostPart::Message ? largest_panel_bytes(shape)
                                                   : widest.matrix_offset();
}

}  // namespace

PanelWorkspace::PanelWorkspace(hpcx::Device& device, const LocalShape& shape, HostPart host_part)
    : shared_(device.shares_host_memory()),
      widest_(std::min(shape.rows.block(), shape.rows.extent())),
      device_(device.allocate(static_cast<std::size_t>(largest_panel_bytes(shape)))),
      l11_(device.allocate(square_bytes(widest_))),
      exchange_(device, widest_) {
  if (!shared_)
    host_ = device.allocate_pinned(static_cast<std::size_t>(host_message_bytes(shape, host_part)));
}

MemoryBytes PanelWorkspace::bytes(const LocalShape& shape, HostPart host_part,
                                  bool shares_host_memory) {
  const std::int64_t widest = std::min(shape.rows.block(), shape.rows.extent());
  const std::int64_t lists = DeviceExchangePlan::bytes(widest);
  const std::int64_t square = static_cast<std::int64_t>(square_bytes(widest));
  return MemoryBytes{largest_panel_bytes(shape) + square + lists,
                     shares_host_memory ? 0 : host_message_bytes(shape, host_part)} +
         pinned_bytes(lists, shares_host_memory);
}

void PanelWorkspace::touch(hpcx::StreamRef stream) const {
  stream.device().kernels().clear(stream, device_);
  stream.device().kernels().clear(stream, l11_);
  exchange_.touch(stream);
}

void PanelWorkspace::begin(const StepGeometry& geometry) {
  geometry_ = geometry;
  layout_ = panel_layout(geometry);
}

MatrixView PanelWorkspace::x_in(std::byte* message) const {
  return {reinterpret_cast<double*>(message + layout_.matrix_offset()), layout_.rows, layout_.width,
          layout_.leading_dimension, Layout::ColumnMajor};
}

MatrixView PanelWorkspace::l11(bool transposed) const {
  return {l11_.as<double>(), layout_.width, layout_.width, layout_.width,
          transposed ? Layout::RowMajor : Layout::ColumnMajor};
}

}  // namespace hpl
