#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hpcx/device.h"
#include "hpl/check/deep/deep_check.h"
#include "hpl/check/findings/check_report.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/transport/transport_choice.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/lu/grid/grid_shape.h"
#include "hpl/machine/host/topology.h"

namespace hpl {

/// The means of a probe.
struct CheckContext {
  hpcx::Device& device;
  hpcx::Device& host;  ///< the device itself where that is the CPU
  const mpi::Communicator& world;
  const mpi::Communicator& node;                    ///< the ranks of this host
  const std::optional<mpi::Communicator>& leaders;  ///< first ranks of the hosts; empty on others
  std::vector<int> node_ranks;                      ///< world ranks of `node`, by rank there
  std::vector<int> leader_ranks;                    ///< world ranks of `leaders`, on every rank
  CoreSet cores;   ///< that compute threads are bound to; empty: they are not bound
  GridShape grid;  ///< of at most all ranks
  RankOrder rank_order = RankOrder::RowMajor;
  std::vector<int> grid_ranks{};  ///< see PreflightSetup
  CheckForm form = CheckForm::Full;
  double deep_seconds = 0;                      ///< see PreflightSetup
  std::optional<TransportKind> transport = {};  ///< see PreflightSetup

  bool device_is_host() const { return device.shares_host_memory(); }
  bool brief() const { return form == CheckForm::Short; }
};

/// One thing to measure. All ranks begin a probe together, after a barrier.
struct Probe {
  const char* name;                        ///< for messages: "host DGEMM"
  CheckForm first_form = CheckForm::Full;  ///< and all that do more
  /// Ranks exchange messages in it, so that a rank cannot leave it early: what it throws ends the
  /// job. What a probe without messages throws becomes a fault of that rank.
  bool collective = false;
  /// Adds what this rank measured, or notes in `record.skipped` why there is nothing to measure.
  void (*measure)(const CheckContext& context, RankRecord& record) = nullptr;
  /// In its place: a part of the deep check.
  DeepResult (*deep)(const DeepSetup& setup) = nullptr;
};

/// There is nothing to measure.
inline void skip(RankRecord& record, std::string probe, std::string reason) {
  record.skipped.push_back({std::move(probe), std::move(reason)});
}

/// All probes in their order. A new one is a row here, with its metrics in metric.h.
std::span<const Probe> probes();

// The functions of that list, by the file that has them.

// dgemm_probes.cpp
void probe_host_dgemm(const CheckContext& context, RankRecord& record);
void probe_device_dgemm(const CheckContext& context, RankRecord& record);
// copy_probes.cpp
void probe_device_memory(const CheckContext& context, RankRecord& record);
void probe_host_device_copies(const CheckContext& context, RankRecord& record);
// link_probes.cpp, collective over the world
void probe_rows(const CheckContext& context, RankRecord& record);
void probe_columns(const CheckContext& context, RankRecord& record);
void probe_pairs_in_node(const CheckContext& context, RankRecord& record);
void probe_pairs_of_nodes(const CheckContext& context, RankRecord& record);
// device_link_probes.cpp, collective over the world
void probe_device_pairs(const CheckContext& context, RankRecord& record);
void probe_device_messages(const CheckContext& context, RankRecord& record);
void probe_devices_of_nodes(const CheckContext& context, RankRecord& record);
// clock_probe.cpp, collective over the world
void probe_clocks(const CheckContext& context, RankRecord& record);

}  // namespace hpl
