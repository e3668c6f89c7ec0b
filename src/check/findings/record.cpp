#include "hpl/check/findings/record.h"

#include "hpl/report/result/hardware_events.h"
#include "hpl/report/result/job_machine.h"

namespace hpl {

void describe(Record& record, Measurement& measured) {
  record("metric", measured.metric, kCheckFigures);
  record.index(
      "peer", measured.peer,
      "the other end of a link; the lower rank has the figure. null with a figure of links between "
      "nodes: the median of those of this node");
  record("value", measured.value);
  record.internal(measured.crowded);
}

void describe(Record& record, CoreProducts& products) {
  record.internal(products.flops_per_tick);
  record.internal(products.clock);
  record.internal(products.width);
}

void describe(Record& record, ProbeNote& note) {
  record.type("note");
  record("probe", note.probe);
  record("reason", note.reason);
}

void describe(Record& record, DeepFigure& figure) {
  record.type("deep_figure");
  record("figure", figure.key);
  record.internal(figure.label);
  record.internal(figure.unit);
  record.internal(figure.of_device);
  record.internal(figure.lower_is_better);
  record("value", figure.value);
  record("share", figure.share, "of a copy: of the rate of its direction alone");
}

void describe(Record& record, RankRecord& rank) {
  record.type("rank");
  record("rank", rank.rank, {}, kCount);
  record("node", rank.node, "ranks with equal numbers share a host", kCount);
  record("host", rank.host);
  record("processor", rank.processor, "model");
  record("device", rank.device);
  record("device_model", rank.device_model);
  record("blas_kernel", rank.blas_kernel, "empty where the library does not tell");
  record("kernel_warning", rank.kernel_warning, "empty where all is well");
  record("thread_level", rank.thread_level, mpi::kThreadLevels, "what MPI promises to threads");
  record.internal(rank.threads_granted);
  record("cores", rank.cores, "by the host's numbers", kCount);
  record("numa_node", rank.numa_node, "of the first core");
  record("bound", rank.bound, "the compute threads are bound to the cores");
  record("oversubscribed", rank.oversubscribed, "the job has more ranks than cores somewhere");
  record.index("device_numa_node", rank.device_numa_node);
  record("far_from_device", rank.far_from_device, "none of the cores is near the device");
  record("free_bytes", rank.free_bytes, "what the rank may take, where its matrix lies");
  record("memory_source", rank.memory_source, "what sets it");
  record("needed_bytes", rank.needed_bytes, "by the largest run; 0 where none is planned");
  record("health", rank.health);
  record("events", rank.events, "of the device, during the check", kAddedLater);
  record("host_events", rank.host_events, "of the host, on its first rank", kAddedLater);
  record("throttle_reasons", rank.throttle_reasons, "seen under load");
  record("skipped", rank.skipped, "there was nothing to measure");
  record("failed", rank.failed, "could not be measured");
  record("disturbed", rank.disturbed,
         "of the first rank of a host: measured again, and disturbed by other processes each time",
         kAddedLater);
  record("measurements", rank.measurements);
  record.internal(rank.core_products);
  record("core_gflops", rank.core_gflops, "host DGEMM of each core, in the order of cores",
         kAddedLater);
  record("crowded_cores", rank.crowded_cores,
         "that other work used whenever they were measured; host_dgemm is the mean of the others",
         Limits{.minimum = 0, .added = true});
  record("deep", rank.deep, "figures of the deep form, empty in others", kAddedLater);
}

}  // namespace hpl
