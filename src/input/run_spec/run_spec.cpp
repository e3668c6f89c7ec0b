#include "hpl/input/run_spec/run_spec.h"

#include <algorithm>

#include <fmt/format.h>

#include "hpl/base/record/record.h"
#include "hpl/input/run_spec/field_rules.h"

namespace hpl {
namespace {

/// Of the operands, in the code of a run: half, brain, single.
constexpr std::string_view kPrecisionLetters = "HBS";

std::string look_ahead(int depth) {
  return depth == 0 ? "no look-ahead" : fmt::format("look-ahead of depth {}", depth);
}

std::string columns(int count) {
  return count == 1 ? "1 column" : fmt::format("{} columns", count);
}

/// The properties of a run, a text each. Two runs differ in the texts that differ.
std::vector<std::string> properties_of(const RunSpec& spec) {
  return {fmt::format("arithmetic {}", arithmetic_text(spec)),
          fmt::format("--matrix {}", name_of(kMatrixRequests, spec.matrix)),
          spec.device_memory ? fmt::format("--device-memory {}", *spec.device_memory)
                             : "no --device-memory",
          spec.checksums ? "checksums" : "no checksums",
          fmt::format("threshold {}", std::max(spec.threshold, 0.0)),
          fmt::format("N = {}", spec.order),
          fmt::format("NB = {}", spec.block_size),
          fmt::format("{} x {}", spec.grid_rows, spec.grid_columns),
          fmt::format("variant {}", variant_code(spec)),
          fmt::format("SWAP {}", to_string(spec.swap)),
          fmt::format("swap threshold {}", spec.swap_threshold),
          fmt::format("L1 {}", name_of(kStorages, spec.transposed_l1)),
          fmt::format("U {}", name_of(kStorages, spec.transposed_u)),
          fmt::format("equilibration {}", name_of(kSwitches, spec.equilibrate)),
          fmt::format("alignment {}", spec.alignment)};
}

}  // namespace

std::string_view to_string(PanelVariant variant) {
  return name_of(kPanelVariants, variant);
}
std::string_view to_string(BroadcastVariant variant) {
  return name_of(kBroadcastVariants, variant);
}
std::string_view to_string(SwapVariant variant) {
  return name_of(kSwapVariants, variant);
}
std::string_view to_string(RankOrder order) {
  return name_of(kRankOrders, order);
}

BroadcastForm form_of(BroadcastVariant variant) {
  return row_of(kBroadcastVariants, variant).form;
}

std::int64_t step_count(const RunSpec& spec) {
  return (spec.order + spec.block_size - 1) / spec.block_size;
}

RunSpec make_mixed(RunSpec spec, const MixedSpec& mixed) {
  const RunSpec usual;
  spec.mixed = mixed;
  spec.recursive_variant = usual.recursive_variant;
  spec.recursion_divisor = usual.recursion_divisor;
  spec.panel_variant = usual.panel_variant;
  spec.recursion_stop = usual.recursion_stop;
  spec.transposed_l1 = usual.transposed_l1;
  spec.transposed_u = usual.transposed_u;
  spec.swap_threshold = usual.swap_threshold;
  // No rows are swapped. With these two the schedule has tasks by which the processes of a column
  // gather U, whose parts each of them has solved.
  spec.swap = SwapVariant::SpreadRoll;
  spec.equilibrate = true;
  return spec;
}

std::string precision_text(hpcx::Precision precision) {
  switch (precision) {
    case hpcx::Precision::Fp16:
      return "FP16";
    case hpcx::Precision::Bf16:
      return "BF16 (not IEEE)";
    case hpcx::Precision::Fp32:
      return "FP32";
  }
  return {};
}

std::string to_string(const MixedSpec& spec) {
  std::string matrix(name_of(kMixedEntries, spec.entries));
  matrix += " matrix";
  if (spec.entries == MixedEntries::Conforming && spec.diagonal != MixedSpec().diagonal)
    matrix += fmt::format(" with c = {}", spec.diagonal);
  if (is_for_testing(spec.entries)) matrix += " (for testing only)";
  return fmt::format("{} products, {} storage, {}, {}", precision_text(spec.operands),
                     precision_text(spec.storage), matrix,
                     spec.solver == MixedSolver::Gmres ? "GMRES" : "plain refinement");
}

std::string arithmetic_text(const RunSpec& spec) {
  if (spec.mixed) return mode_label(spec);
  if (spec.emulated_moduli == 0) return "FP64";
  return fmt::format("FP64 emulated by {} INT8 products, Ozaki II", spec.emulated_moduli);
}

std::string mode_label(const RunSpec& spec) {
  if (spec.mixed) return "HPL-MxP: " + to_string(*spec.mixed);
  if (spec.emulated_moduli == 0) return {};
  return arithmetic_text(spec) + " (tail update; all else FP64)";
}

std::string size_text(const RunSpec& spec) {
  return fmt::format("N = {}, NB = {}, {} x {}", spec.order, spec.block_size, spec.grid_rows,
                     spec.grid_columns);
}

std::string labelled_size_text(const RunSpec& spec) {
  const std::string mode = mode_label(spec);
  return size_text(spec) + (mode.empty() ? "" : ", " + mode);
}

std::optional<RunDifference> run_difference(const RunSpec& one, const RunSpec& other) {
  const std::vector<std::string> here = properties_of(one), there = properties_of(other);
  const auto [first, second] = std::ranges::mismatch(here, there);
  if (first == here.end()) return std::nullopt;
  return RunDifference{*first, *second};
}

std::string variant_code(const RunSpec& spec) {
  if (spec.mixed)
    return fmt::format("M{}{}{}{}{}{}", letter_of(kRankOrders, spec.rank_order), spec.depth,
                       number_of(kBroadcastVariants, spec.broadcast),
                       kPrecisionLetters[number_of(kPrecisions, spec.mixed->operands)],
                       8 * hpcx::bytes_of(spec.mixed->storage),
                       letter_of(kMixedSolvers, spec.mixed->solver));
  return fmt::format("{}{}{}{}{}{}{}{}", spec.emulated_moduli > 0 ? 'E' : 'W',
                     letter_of(kRankOrders, spec.rank_order), spec.depth,
                     number_of(kBroadcastVariants, spec.broadcast),
                     letter_of(kPanelVariants, spec.recursive_variant), spec.recursion_divisor,
                     letter_of(kPanelVariants, spec.panel_variant), spec.recursion_stop);
}

std::string describe_variant(const RunSpec& spec) {
  if (spec.mixed)
    return fmt::format("{} ranks, {}, {} broadcast, {}", to_string(spec.rank_order),
                       look_ahead(spec.depth), to_string(spec.broadcast), mode_label(spec));
  return fmt::format(
      "{} ranks, {}, {} broadcast, panels split recursively in {} ({}-looking) down to {} "
      "({}-looking){}{}",
      to_string(spec.rank_order), look_ahead(spec.depth), to_string(spec.broadcast),
      spec.recursion_divisor, to_string(spec.recursive_variant), columns(spec.recursion_stop),
      to_string(spec.panel_variant), spec.emulated_moduli > 0 ? ", tail update in " : "",
      spec.emulated_moduli > 0 ? arithmetic_text(spec) : "");
}

void describe(Record& record, MixedSpec& spec) {
  record.type("mixed", "Settings of HPL-MxP beside the fields of HPL.dat.");
  record("matrix", spec.entries, kMixedEntries,
         "conforming: netlib HPL's entries, c sqrt(N) added to the diagonal; dominant: for testing "
         "only");
  record("diagonal", spec.diagonal, "c of c sqrt(N), of the conforming matrix alone", kPositive);
  record("operands", spec.operands, kPrecisions,
         "format of the operands of products, which are added up in FP32; bf16 is no IEEE format");
  record("storage", spec.storage, kPrecisions, "format of the matrix");
  record("solver", spec.solver, kMixedSolvers, "of the refinement in FP64");
}

void describe(Record& record, RunSpec& spec) {
  record.type("spec", "Everything that defines one run.");
  record.computed(
      "variant", [&] { return variant_code(spec); },
      "the code of the T/V column, e.g. WR11C2R4; of emulated runs it begins with E, of HPL-MxP "
      "with M");
  record("order", spec.order, "N", limits_of(kOrderRange));
  record("block_size", spec.block_size, "NB", limits_of(kBlockSizeRange));
  record("grid_rows", spec.grid_rows, "P", limits_of(kGridRange));
  record("grid_columns", spec.grid_columns, "Q", limits_of(kGridRange));
  record("rank_order", spec.rank_order, kRankOrders, "PMAP");
  record("depth", spec.depth, "DEPTH, as asked for", limits_of(kDepthRange));
  record("broadcast", spec.broadcast, kBroadcastVariants, "BCAST");
  record("recursive_variant", spec.recursive_variant, kPanelVariants, "RFACT");
  record("recursion_divisor", spec.recursion_divisor, "NDIV", limits_of(kRecursionDivisorRange));
  record("panel_variant", spec.panel_variant, kPanelVariants, "PFACT");
  record("recursion_stop", spec.recursion_stop, "NBMIN", limits_of(kRecursionStopRange));
  record("swap", spec.swap, kSwapVariants, "SWAP: how pivot rows travel along the process column");
  record("swap_threshold", spec.swap_threshold, "columns; the mix uses binary exchange up to it",
         limits_of(kSwapThresholdRange));
  record("transposed_l1", spec.transposed_l1);
  record("transposed_u", spec.transposed_u);
  record("equilibrate", spec.equilibrate);
  record("alignment", spec.alignment, "of leading dimensions, in doubles",
         limits_of(kAlignmentRange));
  record.computed(
      "arithmetic", [&] { return arithmetic_text(spec); },
      "of the tail update's products: FP64, or FP64 emulated by 14 INT8 products, Ozaki II; of "
      "HPL-MxP all that mixed says, in words");
  record("emulated_moduli", spec.emulated_moduli,
         "INT8 products that stand for one of FP64; 0: native FP64", limits_of(kModuliRange));
  record("mixed", spec.mixed, "HPL-MxP; null: HPL", kAddedLater);
  record("checksums", spec.checksums, "rows carry their sums: --verify", kAddedLater);
  record("matrix", spec.matrix, kMatrixRequests,
         "memory that the matrix lives in, as asked for by --matrix", kAddedLater);
  record("device_memory_bytes", spec.device_memory, "--device-memory; null: what is free",
         {.minimum = 0, .added = true});
  record("threshold", spec.threshold, "of the scaled residual; no check when it is 0 or less");
}

}  // namespace hpl
