#include "hpl/job/setup/explanation.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "hpl/job/setup/balance.h"
#include "hpl/job/setup/run_memory.h"
#include "hpl/machine/host/blas.h"
#include "hpl/machine/host/memory_nodes.h"

namespace hpl {

namespace {

struct Explained {
  std::string what, why;
};

/// The reason in a remark such as "N = 20000: about 40 s at ...", where there is one.
std::string reason_in(const std::vector<std::string>& remarks, std::string_view start) {
  for (const std::string& remark : remarks)
    if (remark.starts_with(start)) return remark.substr(remark.find(": ") + 2);
  return "";
}

/// Why a field is as it is: a flag, the file, or the reason for which it was chosen.
std::string origin(const ExplainedPlan& plan, bool by_flag, std::string_view flag,
                   std::string_view lines, const std::string& chosen) {
  if (by_flag) return fmt::format("{} asks for it", flag);
  if (!chosen.empty()) return chosen;
  if (!plan.input_name.empty()) return fmt::format("{} of {}", lines, plan.input_name);
  return "the default";
}

Explained order_choice(const ExplainedPlan& plan) {
  return {fmt::format("N = {}", plan.spec.order),
          origin(plan, !plan.options.fields.orders.empty(), "-N", "line 6",
                 reason_in(plan.dat.remarks, "N = "))};
}

Explained block_choice(const ExplainedPlan& plan) {
  const bool chosen = !reason_in(plan.dat.remarks, "N = ").empty() &&
                      plan.options.fields.block_sizes.empty() && plan.input_name.empty();
  return {fmt::format("NB = {}", plan.spec.block_size),
          origin(plan, !plan.options.fields.block_sizes.empty(), "--NB", "line 8",
                 chosen ? fmt::format("measured to be the best for large matrices on {}",
                                      plan.machine.kind() == ProcessorKind::Gpu ? "GPUs" : "CPUs")
                        : "")};
}

Explained grid_choice(const ExplainedPlan& plan) {
  const Options& options = plan.options;
  return {fmt::format("P x Q = {} x {}", plan.spec.grid_rows, plan.spec.grid_columns),
          origin(plan, !options.fields.grid_rows.empty() || !options.fields.grid_columns.empty(),
                 "-P and -Q", "lines 11 and 12", reason_in(plan.dat.remarks, "P x Q = "))};
}

Explained layout_choice(const ExplainedPlan& plan) {
  if (const auto& tile = plan.layout.tile)
    return {fmt::format("node-local grid {} x {}", tile->rows, tile->columns),
            plan.options.fields.node_rows + plan.options.fields.node_columns > 0
                ? "-p and -q ask for it"
                : "for the least traffic between nodes"};
  return {fmt::format("ranks {}", to_string(plan.spec.rank_order)),
          fmt::format(
              "in the order of their numbers on {} node(s); {}", plan.layout.nodes.nodes(),
              origin(plan, plan.options.fields.rank_order.has_value(), "--pmap", "line 9", ""))};
}

Explained memory_choice(const ExplainedPlan& plan) {
  const MemoryAccount account = memory_account(plan.spec, plan.settings, plan.machine.device());
  const MemoryBound& there = plan.machine.memory();
  return {fmt::format("{} a rank", bytes_text(account.total().device)),
          fmt::format("of {} ({}), by the rank that needs most: {}", bytes_text(there.bytes),
                      there.source, describe(account))};
}

/// Nothing where the device holds all.
std::optional<Explained> host_memory_choice(const ExplainedPlan& plan) {
  const std::int64_t bytes =
      memory_account(plan.spec, plan.settings, plan.machine.device()).matrix.host;
  if (bytes == 0) return std::nullopt;
  const std::vector<int> nodes = plan.machine.nodes_for_host_memory(bytes);
  const bool near = nodes == plan.machine.device_nodes();
  std::string why = "the part of the matrix that does not fit the device";
  if (!nodes.empty())
    why += fmt::format("; on {}, {}", describe_nodes(nodes),
                       near ? "near the device" : "in turn: those near the device have too little");
  if (plan.settings.pinned_memory)
    why += fmt::format("; --pinned-memory: {} of it pinned at most",
                       bytes_text(*plan.settings.pinned_memory));
  return Explained{fmt::format("{} of host memory", bytes_text(bytes)), why};
}

Explained device_choice(const ExplainedPlan& plan) {
  const hpcx::DeviceProperties& device = plan.machine.device().properties();
  std::string why = "--device asks for it";
  if (!plan.options.machine.device)
    why = plan.machine.kind() == ProcessorKind::Gpu
              ? "a GPU that this build can use"
              : fmt::format("no GPU: {}", hpcx::why_unavailable(hpcx::Backend::Cuda));
  return {fmt::format("device {}", to_string(device.backend)),
          fmt::format("{}; {}", device.name, why)};
}

Explained threads_choice(const ExplainedPlan& plan) {
  const int threads = plan.machine.host().properties().compute_units;
  std::string why = plan.options.machine.threads > 0 ? "--threads asks for it"
                                                     : "one for each core that this rank may use";
  if (plan.machine.oversubscribed()) why += "; ranks share cores";
  return {fmt::format("{} compute thread(s)", threads),
          fmt::format("{}; {}", why, describe_blas(blas_info(), kernel_choice()))};
}

Explained pipeline_choice(const ExplainedPlan& plan) {
  const PipelineKind kind = plan.settings.pipeline;
  std::string why;
  if (plan.options.wishes.pipeline != PipelineRequest::Auto && plan.settings.remarks.empty())
    why = "--pipeline asks for it";
  else if (kind == PipelineKind::Fine)
    why = plan.machine.kind() == ProcessorKind::Gpu
              ? "panels, transfers and row exchanges go on beside the products on the GPU"
              : "the rank has several cores, so that exchanges go on beside the products";
  else if (plan.machine.thread_level() != mpi::ThreadLevel::Multiple)
    why = "MPI does not let several threads send";
  else
    why = "on a single core four workers would only take time from the products";
  return {fmt::format("{} pipeline", to_string(kind)), why};
}

Explained panel_choice(const ExplainedPlan& plan) {
  if (plan.settings.stages.device_panel)
    return {"panel on the device",
            "it takes less time than the way to the host and back; GPUs of a process column that "
            "cannot "
            "reach each other's memory agree on pivots through their hosts"};
  return {"panel on the host", plan.machine.kind() == ProcessorKind::Cpu
                                   ? "the host is the device"
                                   : "--panel host asks for it"};
}

Explained transport_choice(const ExplainedPlan& plan) {
  if (plan.spec.grid_rows * plan.spec.grid_columns == 1)
    return {"no transport", "there is one process"};
  if (plan.options.wishes.transport) return {"transport as asked for", "--transport names it"};
  if (plan.machine.device().shares_host_memory())
    return {"transport MPI", "the device uses the host's memory: nothing needs staging"};
  if (plan.options.wishes.reproducible)
    return {
        "transport: NCCL, mapped memory, MPI with device memory or through hosts, the first that "
        "works",
        "--reproducible: the fastest would follow a measurement"};
  return {"transport: the fastest",
          "those that work between these ranks are measured before each run, by row and column"};
}

Explained distribution_choice(const ExplainedPlan& plan) {
  if (plan.spec.grid_rows * plan.spec.grid_columns == 1)
    return {"all blocks in one process", "there is one process"};
  const bool asked = plan.options.wishes.balance != BalanceRequest::Auto;
  switch (choose_balance(plan.options, plan.spec, plan.machine.kind() == ProcessorKind::Gpu)) {
    case BalanceRequest::Rates:
      return {"blocks distributed by rates", asked ? "--balance asks for it"
                                                   : "devices of one kind differ by a few percent, "
                                                     "and all ranks would wait for the slowest"};
    case BalanceRequest::Off:
      return {"blocks distributed round-robin", "--balance asks for it"};
    default:
      return {"blocks distributed evenly",
              asked
                  ? "--balance asks for it"
                  : "round-robin, the last process would have the most work in nearly every step"};
  }
}

Explained chunk_choice(const ExplainedPlan& plan) {
  const SchedulePolicy& schedule = plan.settings.stages.schedule;
  const std::int64_t widest =
      chunk_width(schedule, largest_local_shape(plan.spec).stored_columns, plan.spec.block_size);
  const std::int64_t narrowest = chunk_width(schedule, 1, plan.spec.block_size);
  return {widest == narrowest ? fmt::format("chunks of {} columns", widest)
                              : fmt::format("chunks of {} to {} columns", widest, narrowest),
          plan.options.wishes.chunk ? "--chunk asks for it"
                                    : "wide enough for products at full rate, narrow enough that "
                                      "exchange and update of different chunks overlap"};
}

Explained waiting_choice(const ExplainedPlan& plan) {
  const bool spins = plan.settings.stages.message_wait.spins();
  return {spins ? "messages by polling" : "messages by sleeping",
          spins ? "the waiting threads have cores to themselves"
                : "the waiting threads leave their cores to the products"};
}

}  // namespace

std::string explain_plan(const ExplainedPlan& plan) {
  std::string text = fmt::format(
      "{} run(s); {}:\n", plan.runs,
      plan.runs > 1 ? "the first one, and why it is as it is" : "it is as it is for these reasons");
  std::vector<Explained> choices{
      order_choice(plan),  block_choice(plan),     grid_choice(plan),         layout_choice(plan),
      memory_choice(plan), device_choice(plan),    threads_choice(plan),      pipeline_choice(plan),
      panel_choice(plan),  transport_choice(plan), distribution_choice(plan), chunk_choice(plan),
      waiting_choice(plan)};
  if (const auto host = host_memory_choice(plan)) choices.insert(choices.begin() + 5, *host);
  for (const Explained& choice : choices)
    text += fmt::format("  {:<28} {}\n", choice.what, choice.why);
  if (plan.attainable_gflops > 0)
    text += fmt::format("  {:<28} measured now: all ranks at once, products of depth {}\n",
                        fmt::format("DGEMM {:.1f} GFLOP/s", plan.attainable_gflops),
                        plan.spec.block_size);
  return text;
}

}  // namespace hpl
