#include "hpl/machine/host/host_events.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_directory.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;

class HostEvents : public testing::Test {
 protected:
  void put(const std::string& file, const std::string& text) {
    fs::create_directories((directory_.path() / file).parent_path());
    std::ofstream(directory_.path() / file) << text;
  }
  hpcx::EventCounts events() { return host_events(directory_.path()); }

  test::TemporaryDirectory directory_;
};

TEST_F(HostEvents, AreNoneWithoutControllersAndAdapters) {
  EXPECT_TRUE(events().counts.empty());
}

TEST_F(HostEvents, AreSumsOverControllersAdaptersAndPorts) {
  put("devices/system/edac/mc/mc0/ce_count", "3\n");
  put("devices/system/edac/mc/mc1/ce_count", "4\n");
  put("devices/system/edac/mc/mc0/ue_count", "0\n");
  put("devices/system/edac/mc/power/ce_count", "100\n");
  put("class/infiniband/mlx5_0/ports/1/counters/symbol_error", "5\n");
  put("class/infiniband/mlx5_0/ports/1/counters/port_rcv_errors", "1\n");
  put("class/infiniband/mlx5_1/ports/2/counters/symbol_error", "7\n");
  put("class/infiniband/mlx5_1/ports/2/counters/link_downed", "2\n");
  put("class/infiniband/mlx5_1/ports/2/counters/port_xmit_discards", "broken");
  put("class/infiniband/mlx5_1/ports/2/counters/port_xmit_wait", "12345678901\n");
  const hpcx::EventCounts expected{.counts = {{"uncorrected_memory", 0},
                                              {"corrected_memory", 7},
                                              {"nic_link_downs", 2},
                                              {"nic_errors", 13},
                                              {"nic_discards", {}},
                                              {"nic_waits", 12345678901}}};
  EXPECT_EQ(events(), expected) << "what cannot be read is no zero";
}

}  // namespace
}  // namespace hpl
