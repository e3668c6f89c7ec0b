#include "hpl/panel/device_panel.h"

#include <algorithm>
#include <set>
#include <utility>

#include "hpcx/error.h"
#include "hpl/mpi/failure.h"

namespace hpl {

namespace {

/// Multiprocessors that a wide panel of a team leaves to others: communication kernels on which the
/// rest of the team may depend need room.
constexpr int kUnitsForOthers = 36;

int wide_units(const hpcx::Device& device, int members, int narrow_units) {
  if (members == 1) return 0;
  return std::max(narrow_units, device.properties().compute_units - kUnitsForOthers);
}

/// Every rank's memory in this rank's address space: addresses by rank, and what keeps the others'
/// mapped. Collective.
struct Mapped {
  std::vector<void*> addresses;
  std::vector<hpcx::Buffer> others;
};
Mapped map_all(hpcx::Device& device, const mpi::Communicator& comm, const hpcx::Buffer& own) {
  hpcx::Interconnect& interconnect = *device.interconnect();
  Mapped mapped;
  const auto handles = comm.all_gather(interconnect.export_memory(own));
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (rank == comm.rank()) {
      mapped.addresses.push_back(own.as<void>());
      continue;
    }
    mapped.others.push_back(interconnect.import_memory(handles[static_cast<std::size_t>(rank)]));
    mapped.addresses.push_back(mapped.others.back().as<void>());
  }
  return mapped;
}

}  // namespace

DevicePanel::DevicePanel(hpcx::Device& device, const ProcessGrid& grid, const RunSpec& spec,
                         int narrow_units)
    : width_(std::min(spec.block_size, spec.order)) {
  for (int row = 0; row < grid.rows(); ++row) {
    shapes_.push_back(local_shape(spec, {row, grid.position().column}));
    most_rows_ = std::max(most_rows_, shapes_.back().stored_rows + width_);
  }
  wide_ = make_member(device, grid.column(), wide_units(device, grid.rows(), narrow_units));
  if (narrow_units > 0) narrow_ = make_member(device, grid.column(), narrow_units);
}

DevicePanel::Member DevicePanel::make_member(hpcx::Device& device, const mpi::Communicator& column,
                                             int units) const {
  Member member;
  member.solver = device.create_panel_solver({.max_rows = most_rows_,
                                              .max_cols = width_,
                                              .compute_units = units,
                                              .members = column.size()});
  if (column.size() == 1) return member;
  Mapped mapped = map_all(device, column, member.solver->mailbox());
  member.solver->connect(column.rank(), mapped.addresses);
  member.mailboxes = std::move(mapped.others);
  return member;
}

hpcx::PanelShare DevicePanel::share(const StepGeometry& g) const {
  hpcx::PanelShare share{.owner = g.owner_row};
  for (const LocalShape& shape : shapes_)
    share.most_rows = std::max(share.most_rows, panel_layout(step_geometry(shape, g.step)).rows);
  return share;
}

void DevicePanel::factorize(hpcx::StreamRef stream, const PanelWorkspace& panel, Breadth breadth) {
  auto* const header = reinterpret_cast<std::int64_t*>(panel.device_message());
  const bool narrow = breadth == Breadth::Narrow && narrow_.solver != nullptr;
  hpcx::PanelSolver& solver = narrow ? *narrow_.solver : *wide_.solver;
  if (shapes_.size() == 1)
    solver.factorize(stream, panel.device_x(), header + 1, header);
  else
    solver.factorize_shared(stream, panel.device_x(), share(panel.geometry()), header + 1, header);
}

void DevicePanel::translate(const PanelWorkspace& panel) const {
  const StepGeometry& g = panel.geometry();
  const hpcx::PanelShare team = share(g);
  for (std::int64_t& pivot : panel.pivots()) {
    // Alone, a row of the view is its own number.
    const hpcx::PanelRow row =
        shapes_.size() == 1 ? hpcx::PanelRow{0, pivot} : hpcx::panel_row(pivot, g.width, team);
    const RowMap& rows = shapes_[static_cast<std::size_t>(row.member)].rows;
    pivot = row.row < g.width
                ? g.first + row.row
                : rows.to_global({rows.lower_bound({g.first + g.width}).value + row.row - g.width})
                      .value;
  }
  if (*panel.zero_column() >= 0) *panel.zero_column() += g.first;
}

std::string why_no_panel_team(hpcx::Device& device, const mpi::Communicator& column) {
  if (column.size() == 1) return {};
  const int on_node = column.split_shared().size();
  if (column.all_reduce(on_node, mpi::Reduce::Min) < column.size())
    return "a process column spans several nodes";
  if (device.interconnect() == nullptr) return "the device's memory cannot be shared";

  const std::vector<std::string> addresses = column.gather_text(device.properties().bus_address, 0);
  const bool shared =
      std::set<std::string>(addresses.begin(), addresses.end()).size() < addresses.size();
  if (column.broadcast_value(shared, 0)) return "ranks of a process column share a device";

  // Only trying shows whether the system lets one process map another's memory.
  std::string reason;
  hpcx::Buffer probe;
  hpcx::MemoryHandle handle;
  try {
    probe = device.allocate(std::size_t{2} << 20);
    handle = device.interconnect()->export_memory(probe);
  } catch (const hpcx::Error& error) {
    reason = error.what();
  }
  reason = mpi::common_reason(column, reason);
  if (!reason.empty()) return reason;
  const std::vector<hpcx::MemoryHandle> handles = column.all_gather(handle);
  std::vector<hpcx::Buffer> mapped;
  try {
    for (int rank = 0; rank < column.size(); ++rank)
      if (rank != column.rank())
        mapped.push_back(
            device.interconnect()->import_memory(handles[static_cast<std::size_t>(rank)]));
  } catch (const hpcx::Error& error) {
    reason = error.what();
  }
  reason = mpi::common_reason(column, reason);  // also holds the memory until all have tried
  mapped.clear();
  column.barrier();
  return reason;
}

}  // namespace hpl
