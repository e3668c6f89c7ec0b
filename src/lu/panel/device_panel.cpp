#include "hpl/lu/panel/device_panel.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "hpcx/device.h"
#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/comm/transport/peer_memory.h"

namespace hpl {

namespace {

/// Multiprocessors that a wide panel of a team leaves to others: communication kernels on which the
/// rest of the team may depend need multiprocessors.
constexpr int kUnitsForOthers = 36;

/// The memory of ranks [begin, begin + count) in this rank's address space: addresses by rank, and
/// what keeps the others' mapped. Collective.
struct Mapped {
  std::vector<void*> addresses;
  std::vector<hpcx::Buffer> others;
};
Mapped map_group(hpcx::Device& device, const mpi::Communicator& comm, int begin, int count,
                 const hpcx::Buffer& own) {
  Mapped mapped;
  const auto handles =
      comm.all_gather(count > 1 ? device.interconnect()->export_memory(own) : hpcx::MemoryHandle{});
  for (int rank = begin; rank < begin + count; ++rank) {
    if (rank == comm.rank()) {
      mapped.addresses.push_back(own.as<void>());
      continue;
    }
    mapped.others.push_back(
        device.interconnect()->import_memory(handles[static_cast<std::size_t>(rank)]));
    mapped.addresses.push_back(mapped.others.back().as<void>());
  }
  return mapped;
}

}  // namespace

PanelUnits panel_units(const RunSpec& spec, int multiprocessors, int narrow_units) {
  if (spec.grid_rows > hpcx::kMaxTeamMembers)
    return {.lack = fmt::format("more than {} process rows", hpcx::kMaxTeamMembers)};
  const bool team = spec.grid_rows > 1;
  const int limit = team ? hpcx::kMaxTeamBlocks : hpcx::kMaxPanelBlocks;
  const int chip = multiprocessors > 0 ? std::min(multiprocessors, limit) : limit;
  PanelUnits units{.narrow = std::min(narrow_units, chip)};
  if (team && multiprocessors > 0)
    units.wide = std::clamp(multiprocessors - kUnitsForOthers, std::max(units.narrow, 1), chip);
  // A rank without the diagonal block has space for a copy of it.
  const std::int64_t rows =
      largest_local_shape(spec).stored_rows + std::min(spec.block_size, spec.order);
  const std::int64_t needed = hpcx::panel_units_for(rows);
  const int most = units.wide > 0 ? units.wide : chip;
  if (needed > most)
    return {.lack = fmt::format("a panel of {} rows needs {} multiprocessors of a device, found {}",
                                rows, needed, most)};
  if (units.narrow > 0) units.narrow = std::max(units.narrow, static_cast<int>(needed));
  return units;
}

DevicePanel::DevicePanel(hpcx::Device& device, const ProcessGrid& grid, const RunSpec& spec,
                         int narrow_units, const std::vector<int>& groups, PivotProxy proxy)
    : width_(std::min(spec.block_size, spec.order)), proxy_(proxy) {
  for (int row = 0; row < grid.rows(); ++row) {
    shapes_.push_back(local_shape(spec, {row, grid.position().column}));
    most_rows_ = std::max(most_rows_, shapes_.back().stored_rows + width_);
  }
  const PanelUnits units = panel_units(spec, device.properties().compute_units, narrow_units);
  HPL_ASSERT(units.lack.empty());
  wide_ = make_member(device, grid.column(), units.wide, groups);
  if (units.narrow > 0) narrow_ = make_member(device, grid.column(), units.narrow, groups);
}

DevicePanel::Member DevicePanel::make_member(hpcx::Device& device, const mpi::Communicator& column,
                                             int units, const std::vector<int>& groups) const {
  Member member;
  member.solver =
      device.create_panel_solver({.max_rows = most_rows_,
                                  .max_cols = width_,
                                  .compute_units = units,
                                  .members = column.size(),
                                  .group_size = *std::max_element(groups.begin(), groups.end())});
  if (column.size() == 1) return member;
  auto group = groups.begin();
  int begin = 0;
  while (begin + *group <= column.rank())
    begin += *group++;
  Mapped mapped = map_group(device, column, begin, *group, member.solver->mailbox());
  member.solver->connect({column.rank(), groups, mapped.addresses});
  member.mailboxes = std::move(mapped.others);
  return member;
}

MemoryBytes DevicePanel::bytes(const RunSpec& spec, int narrow_units, bool shares_host_memory) {
  const hpcx::PanelSolverSpec solver{
      .max_cols = std::min(spec.block_size, spec.order),
      .members = spec.grid_rows,
      .group_size = std::min(spec.grid_rows, hpcx::kMaxGroupMembers)};
  const MemoryBytes one =
      MemoryBytes{hpcx::gpu_panel_solver_bytes(solver), 0} +
      pinned_bytes(hpcx::gpu_panel_solver_pinned_bytes(solver), shares_host_memory);
  return narrow_units > 0 ? 2 * one : one;
}

void DevicePanel::proxy() {
  for (const Member* member : {&wide_, &narrow_})
    if (member->solver != nullptr && member->solver->proxy() != nullptr)
      proxy_.carry(*member->solver->proxy());
}

hpcx::PanelPart DevicePanel::share(const StepGeometry& g) const {
  hpcx::PanelPart share{.owner = g.owner_row};
  for (const LocalShape& shape : shapes_)
    share.most_rows = std::max(share.most_rows, panel_layout(step_geometry(shape, g.step)).rows);
  return share;
}

void DevicePanel::factorize(hpcx::StreamRef stream, const PanelWorkspace& panel, PanelWidth width) {
  auto* const header = reinterpret_cast<std::int64_t*>(panel.device_message());
  const bool narrow = width == PanelWidth::Narrow && narrow_.solver != nullptr;
  hpcx::PanelSolver& solver = narrow ? *narrow_.solver : *wide_.solver;
  const hpcx::Panel all{panel.device_x(), header + 1, header};
  if (shapes_.size() == 1)
    solver.factorize(stream, all);
  else
    solver.factorize_shared(stream, all, share(panel.geometry()));
}

void DevicePanel::translate(const PanelWorkspace& panel) const {
  const StepGeometry& g = panel.geometry();
  if (*panel.zero_column() >= 0) *panel.zero_column() += g.first;
  if (shapes_.size() == 1) {  // a row of the view is a row of the matrix
    for (std::int64_t& pivot : panel.pivots())
      pivot += g.first;
    return;
  }
  const hpcx::PanelPart team = share(g);
  // By member: its first row below the diagonal block.
  std::vector<std::int64_t> below;
  for (const LocalShape& shape : shapes_)
    below.push_back(shape.rows.lower_bound({g.first + g.width}).value);
  for (std::int64_t& pivot : panel.pivots()) {
    const hpcx::PanelRow row = hpcx::panel_row(pivot, g.width, team);
    const auto member = static_cast<std::size_t>(row.member);
    pivot = row.row < g.width
                ? g.first + row.row
                : shapes_[member].rows.to_global({below[member] + row.row - g.width}).value;
  }
}

namespace {

std::string why_no_peer_memory(hpcx::Device& device, const mpi::Communicator& node) {
  if (node.size() == 1) return {};
  return PeerMemory(device, node, std::size_t{2} << 20).refusal();
}

bool share_a_device(hpcx::Device& device, const mpi::Communicator& node) {
  const std::vector<std::string> addresses = node.gather_text(device.properties().bus_address, 0);
  const bool shared =
      std::set<std::string>(addresses.begin(), addresses.end()).size() < addresses.size();
  return node.broadcast_value(shared, 0);
}

/// Lengths of the runs of equal values, none longer than a group may be.
std::vector<int> runs_of(const std::vector<int>& values) {
  std::vector<int> runs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0 && values[i] == values[i - 1] && runs.back() < hpcx::kMaxGroupMembers)
      ++runs.back();
    else
      runs.push_back(1);
  }
  return runs;
}

}  // namespace

PanelGroups find_panel_groups(hpcx::Device& device, const mpi::Communicator& column, bool by_host) {
  if (column.size() == 1) return {{1}, {}};
  if (column.size() > hpcx::kMaxTeamMembers)
    return {{}, fmt::format("more than {} process rows", hpcx::kMaxTeamMembers)};
  const mpi::Communicator node = column.split_shared();
  const bool shared = share_a_device(device, node);
  if (column.all_reduce(shared ? 1 : 0, mpi::Reduce::Max) != 0)
    return {{}, "ranks of a process column share a device"};

  const std::string reason = by_host ? "--pivots host" : why_no_peer_memory(device, node);
  // A rank that reaches no other is a node of its own.
  const int reachable =
      reason.empty() ? node.broadcast_value(column.rank(), 0) : column.size() + column.rank();
  PanelGroups groups{runs_of(column.all_gather(reachable)), mpi::common_reason(column, reason)};
  if (groups.sizes.size() > 1 && groups.reason.empty())
    groups.reason = "the process column spans several nodes";
  return groups;
}

}  // namespace hpl
