#include "hpl/plan/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "hpl/base/text/quantity.h"
#include "hpl/base/text/table.h"
#include "hpl/base/text/text_style.h"
#include "hpl/machine/host/blas.h"
#include "hpl/machine/host/memory_nodes.h"

namespace hpl {

namespace {

/// The possible origins of a value.
struct Origin {
  bool flag = false;            ///< it is given on the command line
  std::string_view flag_name;   ///< "-N"
  std::string_view file_lines;  ///< "line 6"
};

/// The decisions that are made before decide() is asked.
class Explanation {
 public:
  explicit Explanation(const ExplainedPlan& plan) : plan_(plan) {}

  std::vector<Decision> decisions() const {
    return {order(), block(), grid(), layout(), device(), threads()};
  }

 private:
  const FieldOptions& fields() const { return plan_.options.fields; }

  std::string reason(std::string_view about, const Origin& origin) const {
    if (origin.flag) {
      const bool several = origin.flag_name.find(" and ") != std::string_view::npos;
      return fmt::format("{} {} for it", origin.flag_name, several ? "ask" : "asks");
    }
    const auto chosen = std::ranges::find(plan_.dat.chosen, about, &Decision::about);
    if (chosen != plan_.dat.chosen.end()) return chosen->reason;
    if (plan_.input_name.empty()) return "the default";
    return fmt::format("{} of {}", origin.file_lines, plan_.input_name);
  }

  Decision order() const {
    return {"N", fmt::format("{}", plan_.spec.order),
            reason("N", {!fields().orders.empty(), "-N", "line 6"})};
  }
  Decision block() const {
    return {"NB", fmt::format("{}", plan_.spec.block_size),
            reason("NB", {!fields().block_sizes.empty(), "--NB", "line 8"})};
  }
  Decision grid() const {
    const bool given = !fields().grid_rows.empty() || !fields().grid_columns.empty();
    return {"P x Q", fmt::format("{} x {}", plan_.spec.grid_rows, plan_.spec.grid_columns),
            reason("P x Q", {given, "-P and -Q", "lines 11 and 12"})};
  }
  Decision layout() const {
    if (const auto& tile = plan_.layout.tile)
      return {"grid of a node", fmt::format("{} x {}", tile->rows, tile->columns),
              fields().node_rows + fields().node_columns > 0
                  ? "--node-rows and --node-columns ask for it"
                  : "for the least traffic between nodes"};
    return {"ranks", std::string(to_string(plan_.spec.rank_order)),
            fmt::format("in the order of their numbers on {}; {}",
                        count_text(plan_.layout.nodes.nodes(), "node"),
                        reason("PMAP", {fields().rank_order.has_value(), "--pmap", "line 9"}))};
  }
  Decision device() const {
    const hpcx::DeviceProperties& device = plan_.machine.device().properties();
    std::string why = "--device asks for it";
    if (!plan_.options.machine.device)
      why = plan_.machine.kind() == ProcessorKind::Gpu
                ? "a GPU that this build can use"
                : fmt::format("no GPU: {}", hpcx::why_unavailable(hpcx::Backend::Cuda));
    return {"device", std::string(to_string(device.backend)),
            fmt::format("{}; {}", device.name, why)};
  }
  Decision threads() const {
    std::string why = plan_.options.machine.threads > 0
                          ? "--threads asks for it"
                          : "one for each core that this rank may use";
    if (plan_.machine.oversubscribed()) why += "; ranks share cores";
    return {"compute threads", fmt::format("{}", plan_.machine.facts().threads),
            fmt::format("{}; {}", why, describe_blas(blas_info(), kernel_choice()))};
  }

  const ExplainedPlan& plan_;
};

/// The NUMA nodes of a matrix in host memory.
void add_memory_nodes(const ExplainedPlan& plan, std::vector<Decision>& decisions) {
  const auto at = std::ranges::find(decisions, kHostMemory, &Decision::about);
  if (at == decisions.end()) return;
  const std::vector<int> nodes =
      plan.machine.nodes_for_host_memory(plan.settings.memory.matrix.host);
  if (nodes.empty()) return;
  const bool near = nodes == plan.machine.device_nodes();
  at->reason +=
      fmt::format("; on {}, {}", describe_nodes(nodes),
                  near ? "near the device" : "in turn: those near the device have too little");
}

}  // namespace

std::vector<Decision> decisions_of(const ExplainedPlan& plan) {
  std::vector<Decision> all = Explanation(plan).decisions();
  all.insert(all.end(), plan.settings.decisions.begin(), plan.settings.decisions.end());
  add_memory_nodes(plan, all);
  return all;
}

std::string choices_text(std::span<const Decision> choices, std::size_t runs) {
  std::string text =
      runs == 1 ? "One run. Why these settings:\n"
                : fmt::format("{}. Why these settings of the first:\n", count_text(runs, "run"));
  // A longer value moves its reason to the right.
  constexpr std::size_t kMostOfValue = 24;
  std::size_t first = 0, second = 0;
  for (const auto& [about, value, reason] : choices) {
    first = std::max(first, about.size());
    if (value.size() <= kMostOfValue) second = std::max(second, value.size());
  }
  for (const auto& [about, value, reason] : choices) {
    const std::string line =
        fmt::format("  {:<{}}  {:<{}}  {}", about, first, value, second, reason);
    text += folded(line.substr(0, line.find_last_not_of(' ') + 1),
                   std::string(first + second + 6, ' ')) +
            "\n";
  }
  return text;
}

namespace {

/// The variant without the W of FP64: scripts take each line with WR or WC for a result.
std::string planned_variant(const RunSpec& spec) {
  const std::string code = variant_code(spec);
  return code.starts_with('W') ? code.substr(1) : code;
}

}  // namespace

std::string describe_plan(const std::vector<RunSpec>& plan,
                          const std::vector<RunSettings>& settings, const MemoryBound& memory,
                          const TimeEstimate& estimate) {
  Table table{.columns = columns_of("Variant|>N|>NB|>P|>Q|>GB per rank|>seconds|Pipeline")};
  double total = 0;
  MemoryAccount largest;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const RunSpec& spec = plan[i];
    const MemoryAccount& account = settings[i].memory;
    if (account.total().device > largest.total().device) largest = account;
    std::string seconds = "?";
    if (estimate.known()) {
      const double expected = estimate.seconds(spec, settings[i]);
      seconds = fmt::format("{:.1f}", expected);
      total += expected;
    }
    table.add({planned_variant(spec), std::to_string(spec.order), std::to_string(spec.block_size),
               std::to_string(spec.grid_rows), std::to_string(spec.grid_columns),
               fmt::format("{:.3f}", 1e-9 * static_cast<double>(account.total().device)), seconds,
               std::string(to_string(settings[i].pipeline))});
  }
  std::string text = text_of(table);
  text +=
      folded(fmt::format("Memory of a rank{}: {} of {} ({}): {}",
                         plan.size() > 1 ? ", largest run" : "", bytes_text(largest.total().device),
                         bytes_text(memory.bytes), memory.source, describe(largest)),
             "  ") +
      "\n";
  if (estimate.known())
    text += folded(fmt::format("About {} {}", estimate_text(total), estimate.basis()), "  ") + "\n";
  return text;
}

}  // namespace hpl
