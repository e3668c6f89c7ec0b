#include "hpl/machine/decide/decide.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "hpcx/emulation.h"
#include "hpl/base/error/error.h"
#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/lu/mixed/mixed_rule.h"
#include "hpl/lu/panel/device_panel.h"
#include "hpl/lu/verify/step_checksums.h"
#include "hpl/machine/decide/run_memory.h"
#include "residency.h"

namespace hpl {

namespace {

/// The narrow panel beside products. Measured on H100: runs with 16 to 64 multiprocessors are
/// within 1 %.
struct NarrowPanel {
  int compute_units = 0;
  std::int64_t columns = 0;
};
NarrowPanel narrow_panel(ProcessorKind kind) {
  return kind == ProcessorKind::Cpu ? NarrowPanel{} : NarrowPanel{32, 16384};
}

/// Multiprocessors that the first products of a step of HPL-MxP leave to the next panel. Measured
/// on one H200: at N = 131072 runs with 16 are 2 % faster than with 8, and 4.5 % faster than with
/// none.
constexpr int kMixedPanelUnits = 16;

/// One decision after the other. Later ones follow from earlier ones.
class Decider {
 public:
  Decider(const RunSpec& spec, const Facts& facts, const Wishes& wishes)
      : spec_(spec), facts_(facts), wishes_(wishes), gpu_(facts.kind == ProcessorKind::Gpu) {}

  RunSettings all() {
    pipeline();
    steps();
    chunks();
    arithmetic();
    panel();
    solve();
    transport();
    distribution();
    waits();
    tile();
    host_memory();
    return std::move(settings_);
  }

 private:
  int processes() const { return spec_.grid_rows * spec_.grid_columns; }
  SchedulePolicy& schedule() { return settings_.stages.schedule; }

  void decided(std::string about, std::string value, std::string reason) {
    settings_.decisions.push_back({std::move(about), std::move(value), std::move(reason)});
  }
  template <class... Values>
  void remark(std::string about, fmt::format_string<Values...> text, Values&&... values) {
    settings_.remarks.push_back(
        warning(std::move(about), fmt::format(text, std::forward<Values>(values)...)));
  }

  void pipeline() {
    PipelineKind& kind = settings_.pipeline;
    kind = wishes_.pipeline.value_or(has_core_to_spare(facts_) ? PipelineKind::Fine
                                                               : PipelineKind::Serial);
    std::string reason;
    if (kind == PipelineKind::Fine && !several_threads_can_send(facts_, processes())) {
      kind = gpu_ ? PipelineKind::Coarse : PipelineKind::Serial;
      reason = "MPI does not let several threads send";
      remark("pipeline",
             "this MPI supports threads {}, the fine pipeline needs {}: the {} pipeline is used",
             mpi::to_string(facts_.thread_level), mpi::to_string(mpi::ThreadLevel::Multiple),
             to_string(kind));
    } else if (wishes_.pipeline) {
      reason = "--pipeline asks for it";
    } else if (kind == PipelineKind::Serial) {
      reason = "one core a rank: nothing to overlap";
    } else {
      reason = gpu_ ? "panels, transfers and row exchanges go on beside the products on the GPU"
                    : "the rank has several cores, so that exchanges go on beside the products";
    }
    decided("pipeline", std::string(to_string(kind)), std::move(reason));
    schedule().host_ahead = host_ahead(kind);
  }

  void steps() {
    settings_.checksum_interval =
        wishes_.verify_interval.value_or(checksum_interval(spec_.block_size));
    if (wishes_.stop_after)
      schedule().step_limit = steps_until(spec_.order, spec_.block_size, *wishes_.stop_after);
    schedule().look_ahead = std::min(spec_.depth, kDeepestLookAhead);
    if (spec_.depth > kDeepestLookAhead)
      remark("DEPTH", "DEPTH {}: look-ahead is at most {} panels deep, it runs as DEPTH {}",
             spec_.depth, kDeepestLookAhead, kDeepestLookAhead);
    // L21 begins between two elements that a library's fast kernels load at once.
    const std::int64_t block = spec_.block_size;
    if (gpu_ && block % 2 != 0 && 1 < block && block < spec_.order)
      remark("NB", "NB = {} is odd: products on a GPU are about a fifth slower than with {}", block,
             block - 1);
  }

  void chunks() {
    if (wishes_.chunk)
      schedule().chunk_columns = *wishes_.chunk;
    else
      choose_chunks(schedule(), facts_.kind, processes());
  }

  void arithmetic() {
    if (spec_.mixed) {
      if (!facts_.mixed)
        throw ConfigError(
            "HPL-MxP: device {} has no products of 16 bits added up in 32; use --device cpu or "
            "cuda, or xhpl run, which is HPL",
            facts_.device);
      if (const std::int64_t least = least_order(spec_.mixed->entries);
          0 < spec_.order && spec_.order < least)
        throw ConfigError("HPL-MxP: the matrix {} is singular for N below {}, found {}",
                          name_of(kMixedEntries, spec_.mixed->entries), least, spec_.order);
      decided("HPL-MxP", variant_code(spec_), to_string(*spec_.mixed));
    }
    settings_.stages.emulated_moduli = spec_.emulated_moduli;
    if (spec_.emulated_moduli == 0) return;
    if (!facts_.emulates)
      throw ConfigError(
          "--arithmetic emulated: device {} has no products by INT8; use --arithmetic fp64, or "
          "--device cpu or cuda",
          facts_.device);
    if (std::min(spec_.block_size, spec_.order) > hpcx::kDeepestEmulation)
      throw ConfigError("--arithmetic emulated: NB must be at most {}, found {}",
                        hpcx::kDeepestEmulation, spec_.block_size);
    if (!gpu_)
      remark("arithmetic",
             "--arithmetic emulated: emulated products of a processor show their bits; FP64 is "
             "faster");
    else if (facts_.int8_per_fp64 > 0 && facts_.int8_per_fp64 < spec_.emulated_moduli)
      remark("arithmetic",
             "--arithmetic emulated: {0} products by INT8 stand for one, and this "
             "device makes {1:.1f} in the time of one by FP64: FP64 is faster",
             spec_.emulated_moduli, facts_.int8_per_fp64);
  }

  void panel() {
    PipelineSettings& stages = settings_.stages;
    if (spec_.mixed) {
      decided("panel", "on the device", "without pivots: products with inverses of its diagonal");
      stages.panel_compute_units = wishes_.panel_units.value_or(gpu_ ? kMixedPanelUnits : 0);
      return;
    }
    stages.pivots_by_host = wishes_.pivots == PivotPath::Host;
    const NarrowPanel narrow = narrow_panel(facts_.kind);
    // Narrow panels leave room for products beside them, of which the serial pipeline has none.
    const int wanted = wishes_.panel_units.value_or(
        settings_.pipeline == PipelineKind::Serial ? 0 : narrow.compute_units);
    const PanelUnits units = panel_units(spec_, facts_.multiprocessors, wanted);
    stages.device_panel =
        facts_.factorizes_panels && wishes_.panel != PanelRequest::Host && units.lack.empty();
    stages.panel_compute_units = units.lack.empty() ? units.narrow : wanted;
    stages.narrow_panel_columns = narrow.columns;
    if (wishes_.panel == PanelRequest::Device && !facts_.factorizes_panels)
      remark(
          "panel",
          "--panel device: it has no effect on a device that factorizes no panels, the host does");
    if (!stages.device_panel) {
      decided("panel", "on the host",
              !gpu_                                 ? "the host is the device"
              : !facts_.factorizes_panels           ? "the device factorizes no panels"
              : wishes_.panel == PanelRequest::Host ? "--panel host asks for it"
                                                    : units.lack);
      if (facts_.factorizes_panels && wishes_.panel != PanelRequest::Host)
        remark("panel", "host panel, not the device's: {}", units.lack);
      return;
    }
    if (wishes_.panel_units && units.narrow != wanted)
      remark("panel", "--panel-units {}: {} are used, {}", wanted, units.narrow,
             units.narrow > wanted ? "as the rows of the tallest panel need"
                                   : "as many as a panel on this device can occupy");
    remark("panel", "device panel: PFACT, RFACT, NBMIN and NDIV do not apply");
    decided("panel", "on the device",
            "it takes less time than the way to the host and back; GPUs of a process column that "
            "cannot reach each other's memory agree on pivots through their hosts");
    decided("panel units",
            stages.panel_compute_units == 0 ? "all" : fmt::format("{}", stages.panel_compute_units),
            units.narrow > wanted                        ? "as the rows of the tallest panel need"
            : wishes_.panel_units                        ? "--panel-units asks for it"
            : settings_.pipeline == PipelineKind::Serial ? "no products run beside a panel"
                                                         : "the others are left to the products");
  }

  void solve() { settings_.stages.solve_rows = wishes_.solve_rows.value_or(gpu_ ? 512 : 96); }

  void transport() {
    const bool may_stage = !wishes_.transport || wishes_.transport == TransportKind::Peer;
    settings_.staged_messages =
        wishes_.transport == TransportKind::MpiHost || (may_stage && !facts_.shares_host_memory);
    const auto is = [&](std::string value, std::string reason) {
      decided("transport", std::move(value), std::move(reason));
    };
    if (processes() == 1)
      is("none", "there is one process");
    else if (wishes_.transport)
      is(std::string(to_string(*wishes_.transport)), "--transport asks for it");
    else if (facts_.shares_host_memory)
      is("MPI", "the device uses the host's memory: nothing needs staging");
    else
      is("mapped memory, else NCCL, else MPI",
         wishes_.reproducible ? "the first that works: with --reproducible no measurement decides"
                              : "copies leave all multiprocessors to products; without NVLink, and "
                                "of the ways through MPI, the faster is kept");
  }

  void distribution() {
    settings_.balance = choose_balance(spec_, facts_.kind, wishes_);
    const bool asked = wishes_.balance != BalanceRequest::Auto;
    const auto is = [&](const char* value, const char* reason) {
      decided("distribution", value, asked && processes() > 1 ? "--balance asks for it" : reason);
    };
    if (processes() == 1)
      is("all blocks in one process", "there is one process");
    else if (settings_.balance == BalanceRequest::Rates)
      is("blocks distributed by rates",
         "devices of one kind differ by a few percent, and all ranks would wait for the slowest");
    else if (settings_.balance == BalanceRequest::Off)
      is("blocks distributed round-robin", "");
    else
      is("blocks distributed evenly",
         "round-robin, the last process would have the most work in nearly every step");
  }

  void waits() {
    // One thread alone on its core has nothing better to do than to poll, and the workers of a rank
    // that computes on a GPU have cores to spare. A transport that copies through shared memory
    // moves on only when polled.
    constexpr int kWorkersAndDriver = kWorkerCount;  // that of Worker::Host computes
    const bool has_cores_for_workers = gpu_ && facts_.cores >= kWorkersAndDriver;
    const bool may_spin = !facts_.oversubscribed &&
                          (settings_.pipeline == PipelineKind::Serial || has_cores_for_workers);
    settings_.stages.message_wait =
        may_spin ? mpi::WaitPolicy::spinning() : mpi::WaitPolicy::sleeping();
    settings_.stages.pivot_wait =
        facts_.oversubscribed ? mpi::WaitPolicy::sleeping() : mpi::WaitPolicy::spinning();
    decided("messages", may_spin ? "by polling" : "by sleeping",
            may_spin ? "the waiting threads have cores to themselves"
                     : "the waiting threads leave their cores to the products");
  }

  void tile() {
    const GridShape grid{spec_.grid_rows, spec_.grid_columns};
    const int per_node = std::min(facts_.ranks_per_node, processes());
    GridShape& tile = settings_.tile;
    if (const auto chosen = choose_tile(grid, per_node))
      tile = *chosen;
    else if (spec_.rank_order == RankOrder::RowMajor)
      tile = {1, std::min(per_node, grid.columns)};
    else
      tile = {std::min(per_node, grid.rows), 1};
    if (facts_.tile.rows > 0) tile.rows = facts_.tile.rows;
    if (facts_.tile.columns > 0) tile.columns = facts_.tile.columns;
  }

  /// Why the cores of the host take no part of their own accord; empty: they may.
  std::string why_no_host_share() const {
    if (!gpu_) return "its cores are the device";
    if (settings_.pipeline != PipelineKind::Fine)
      return fmt::format("the {} pipeline has no thread for it", to_string(settings_.pipeline));
    if (facts_.cores <= kWorkerCount)
      return fmt::format("{} workers have only {} cores", kWorkerCount, facts_.cores);
    return {};
  }

  void host_memory() {
    settings_.pinned_memory = wishes_.pinned_memory;
    if (wishes_.visit_columns && spec_.block_size % *wishes_.visit_columns != 0)
      throw ConfigError("--matrix: columns must divide NB = {}, found {}", spec_.block_size,
                        *wishes_.visit_columns);
    if (wishes_.host_share == 0.0) return;
    settings_.host_share = wishes_.host_share;
    const std::string refusal = wishes_.host_share ? std::string() : why_no_host_share();
    schedule().host_takes_part = refusal.empty();
    if (!refusal.empty())
      remark("host share", "--matrix host:share=auto: the host takes no part, {}", refusal);
  }

  const RunSpec& spec_;
  const Facts& facts_;
  const Wishes& wishes_;
  bool gpu_;
  RunSettings settings_;
};

Decision chunks_of(const RunSpec& spec, const RunSettings& settings, const Wishes& wishes) {
  const SchedulePolicy& schedule = settings.stages.schedule;
  const std::int64_t widest =
      chunk_width(schedule, largest_local_shape(spec).stored_columns, spec.block_size);
  const std::int64_t narrowest = chunk_width(schedule, 1, spec.block_size);
  return {"chunks",
          widest == narrowest ? fmt::format("{} columns", widest)
                              : fmt::format("{} to {} columns", widest, narrowest),
          wishes.chunk ? "--chunk asks for it"
                       : "wide enough for products at full rate, narrow enough that exchange and "
                         "update of different chunks overlap"};
}

Decision memory_of(const RunSettings& settings, const Facts& facts) {
  const MemoryBound& there = facts.memory.device;
  return {"memory of a rank", bytes_text(settings.memory.total().device),
          fmt::format("of {} ({}), by the rank that needs most: {}", bytes_text(there.bytes),
                      there.source, describe(settings.memory))};
}

/// Decisions that follow from a matrix that does not fit the device.
void decide_host_memory(const RunSettings& settings, std::vector<Decision>& decisions) {
  const std::int64_t bytes = settings.memory.matrix.host;
  if (bytes == 0) return;
  std::string reason = "the part of the matrix that does not fit the device";
  if (settings.pinned_memory)
    reason += fmt::format("; --pinned-memory: {} of it pinned at most",
                          bytes_text(*settings.pinned_memory));
  decisions.push_back({kHostMemory, bytes_text(bytes), std::move(reason)});
}

}  // namespace

Facts facts_of(hpcx::Device& device) {
  const hpcx::DeviceProperties& properties = device.properties();
  const bool shared = device.shares_host_memory();
  return {
      .kind = properties.backend == hpcx::Backend::Cpu ? ProcessorKind::Cpu : ProcessorKind::Gpu,
      .device = std::string(hpcx::to_string(properties.backend)),
      .shares_host_memory = shared,
      .factorizes_panels = device.panel_solver_bytes({.max_rows = 1, .max_cols = 1}) > 0,
      .multiprocessors = shared ? 0 : properties.compute_units,
      .emulates = device.emulation() != nullptr,
      .int8_per_fp64 = properties.flops_per_cycle > 0
                           ? double(properties.int8_per_cycle) / properties.flops_per_cycle
                           : 0,
      .mixed = device.mixed_precision() != nullptr,
      .stream_bytes = device.stream_bytes(),
      .threads = shared ? properties.compute_units : 1};
}

MixedSpec mixed_spec(const MixedWishes& wishes, ProcessorKind kind) {
  using hpcx::Precision;
  const bool narrow = kind == ProcessorKind::Gpu || wishes.storage_bits == 16;
  MixedSpec spec{.entries = wishes.entries,
                 .diagonal = wishes.diagonal,
                 .operands = wishes.operands.value_or(narrow ? Precision::Fp16 : Precision::Fp32),
                 .solver = wishes.solver};
  if (wishes.storage_bits == 16 && spec.operands == Precision::Fp32)
    throw ConfigError(
        "--storage 16: products of FP32 need a matrix of 32 bits; use --precision fp16 or bf16");
  spec.storage = wishes.storage_bits == 32 ? Precision::Fp32 : spec.operands;
  return spec;
}

bool several_threads_can_send(const Facts& facts, int processes) {
  return facts.thread_level == mpi::ThreadLevel::Multiple || processes == 1;
}

bool has_core_to_spare(const Facts& facts) {
  return facts.kind == ProcessorKind::Gpu || facts.threads > 1;
}

std::optional<GridShape> node_tile(GridShape grid, const NodeMap& nodes, ProcessorKind kind) {
  const auto per_node = nodes.ranks_per_node();
  const bool lays_out = kind == ProcessorKind::Gpu && nodes.nodes() > 1 && per_node &&
                        grid.rows * grid.columns == nodes.ranks();
  return lays_out ? choose_tile(grid, *per_node) : std::nullopt;
}

BalanceRequest choose_balance(const RunSpec& spec, ProcessorKind kind, const Wishes& wishes) {
  if (spec.grid_rows * spec.grid_columns == 1) return BalanceRequest::Off;
  if (wishes.balance != BalanceRequest::Auto) return wishes.balance;
  const bool measured =
      wishes.attainable_rate && spec.order >= kLeastWorthMeasuring && !wishes.reproducible;
  return kind == ProcessorKind::Gpu && measured ? BalanceRequest::Rates : BalanceRequest::Even;
}

RunSettings decide_regardless_of_memory(const RunSpec& spec, const Facts& facts,
                                        const Wishes& wishes) {
  return Decider(spec, facts, wishes).all();
}

RunSettings decide(const RunSpec& spec, const Facts& facts, const Wishes& wishes) {
  RunSettings settings = decide_regardless_of_memory(spec, facts, wishes);
  const bool host_may_take_part = settings.stages.schedule.host_takes_part;
  place_matrix(spec, facts, wishes, settings);
  if (std::string advice = advice_on_copies(spec, facts, wishes, settings); !advice.empty())
    settings.remarks.push_back(warning("host memory", std::move(advice)));
  if (host_may_take_part && !settings.stages.schedule.host_takes_part)
    settings.remarks.push_back(
        warning("host share",
                "--matrix host:share: no columns are in host memory, the host takes no part"));
  settings.memory = memory_account(spec, settings, facts);
  settings.decisions.push_back(chunks_of(spec, settings, wishes));
  settings.decisions.push_back(memory_of(settings, facts));
  decide_host_memory(settings, settings.decisions);
  return settings;
}

}  // namespace hpl
