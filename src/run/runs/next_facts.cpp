#include "next_facts.h"

#include <algorithm>

namespace hpl {

namespace {

/// N of --auto for runs like `spec`, and its time.
void add_larger_order(NextFacts& facts, const JobContext& job, const RunSpec& spec,
                      double attainable_gflops) {
  const Wishes& wishes = job.options.wishes;
  const OrderWish wish{.runs = {spec},
                       .facts = job.machine.facts(),
                       .wishes = wishes,
                       .block_size = spec.block_size,
                       .memory_fraction = {},
                       .estimate = {.attainable_gflops = attainable_gflops, .rates = job.rates}};
  if (!wish.estimate.known()) return;
  RunSpec larger = spec;
  larger.order = choose_order(wish).order;
  facts.larger_order = larger.order;
  facts.larger_seconds = wish.estimate.seconds(larger, decide(larger, wish.facts, wishes));
}

}  // namespace

NextFacts next_facts(const JobContext& job, const JobPlan& plan, double attainable_gflops) {
  NextFacts facts;
  const auto largest = std::ranges::max_element(plan.runs, {}, &RunSpec::order);
  if (largest != plan.runs.end() && largest->matrix == MatrixRequest::Device) {
    const RunSettings& settings =
        plan.settings[static_cast<std::size_t>(std::ranges::distance(plan.runs.begin(), largest))];
    facts.memory_share = static_cast<double>(settings.memory.total().device) /
                         static_cast<double>(job.machine.memory().bytes);
    add_larger_order(facts, job, *largest, attainable_gflops);
  }
  if (job.gpu() && plan.layout) {
    const NodeMap& nodes = plan.layout->nodes;
    facts.node_gpus = job.machine.devices_of_node();
    facts.node_ranks = nodes.ranks_on(nodes.node_of(0));
  }
  const OutputOptions& outputs = job.options.outputs;
  if (outputs.json && !outputs.page && !outputs.prints_json())
    facts.document = outputs.json->string();
  return facts;
}

}  // namespace hpl
