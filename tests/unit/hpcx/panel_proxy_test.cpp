#include <gtest/gtest.h>

#include <vector>

// The messages of panels as AMD's devices have them, compiled for the host.
#include "panel/proxy.h"

#include "support/counting_device.h"
#include "support/cpu_device.h"

namespace hpcx::gpu_hip {
namespace {

/// The allocations of a proxy of such groups, for panels of at most `cols` columns.
hpl::MemoryBytes taken_by(const std::vector<int>& groups, std::int64_t cols) {
  const auto cpu = hpl::test::open_cpu(1);
  hpl::test::CountingDevice device(*cpu, false);
  const GpuPanelProxy proxy(device, {.me = 1, .groups = groups, .mailboxes = {}}, cols);
  return device.most();
}

TEST(PanelProxy, PinsAsManyBytesAsTheAccountHas) {
  for (const int members : {2, 5, 66, 128})
    for (const std::int64_t cols : {1, 7, 200}) {
      const PanelSolverSpec spec{.max_cols = cols, .members = members};
      EXPECT_EQ(taken_by(std::vector<int>(static_cast<std::size_t>(members), 1), cols).host,
                gpu_panel_solver_pinned_bytes(spec));
    }
}

TEST(PanelProxy, PinsLessIfMembersFormGroups) {
  const PanelSolverSpec spec{.max_cols = 96, .members = 8};
  const std::int64_t most = gpu_panel_solver_pinned_bytes(spec);
  const std::int64_t in_pairs = taken_by({2, 2, 2, 2}, 96).host;
  EXPECT_LT(in_pairs, most);
  EXPECT_GT(in_pairs, 9 * most / 10);  // most of it is rows of members
}

TEST(PanelProxy, IsNotThereForASingleMember) {
  EXPECT_EQ(gpu_panel_solver_pinned_bytes({.max_cols = 512}), 0);
}

}  // namespace
}  // namespace hpcx::gpu_hip
