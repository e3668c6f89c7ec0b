#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gemm/check/product_check.h"
#include "gemm/plan/plan.h"
#include "gemm/run/gemm_run.h"

namespace hpl::gemm {

/// The machine's rates with the pieces of a case, each alone; flop/s and bytes/s, all devices
/// together.
struct MachineRates {
  double kernel = 0;  ///< the plan's products on data that is on the device
  double host = 0;    ///< the host's cores; 0: not measured
  double in_alone = 0, out_alone = 0;
  double in_both = 0, out_both = 0;  ///< while both directions are busy; in_both 0: C is not loaded

  /// B of the slower direction while both are busy.
  double link() const;
  /// k* = 4 F / B: the depth at which moving a block of C takes as long as its product.
  double break_even_depth() const;
  /// Time that nothing can go below: the kernel's, or what A, B and C take through the link once.
  double least_seconds(const Shape& shape, const Traffic& least) const;
};

struct StageResult {
  Stage stage;
  StageTotal alone{}, in_pipeline{};
};
void describe(Record& record, StageResult& stage);

struct VariantResult {
  Variant variant = Variant::Plain;
  double seconds = 0;
  double rate = 0;                    ///< flop/s of the whole product
  double fill = 0, drain = 0;         ///< seconds
  double imbalance = 0;               ///< part of the time
  double host_flops = 0;              ///< computed by the host's cores
  std::optional<double> host_gain{};  ///< gain of hb over dp, in parts of the host's own rate
  std::string remark;                 ///< why the host takes no part
  std::int64_t units_down = 0, units_across = 0;
  Traffic traffic{};
  std::vector<StageResult> stages;
  Verdict verdict{};
};

/// One m, n, k.
struct CaseResult {
  Shape shape;
  double alpha = 1, beta = 1;
  std::int64_t block_rows = 0, block_cols = 0, piece_depth = 0;
  std::int64_t blocks = 0;         ///< of C, on all devices
  std::int64_t device_bytes = 0;   ///< of each device, the largest
  std::int64_t staging_bytes = 0;  ///< pinned, of each device
  MachineRates rates;
  std::vector<VariantResult> variants;

  double least_seconds(bool loads_c) const;
};
void describe(Record& record, CaseResult& one);

struct JobResult {
  std::string version, host, host_processor, blas;
  int host_threads = 0;
  std::vector<std::string> devices;
  std::string back_end;
  bool pinned = true;
  std::vector<std::string> remarks;
  std::vector<CaseResult> cases;
  std::optional<int> exit_code;      ///< empty while the job goes on
  std::optional<std::string> error;  ///< why it ended early

  bool passed() const;
};
/// The document of gemm.schema.json.
void describe(Record& record, JobResult& job);

/// The text above the cases, and one case, for people.
std::string head_text(const JobResult& job);
std::string case_text(const CaseResult& result);

}  // namespace hpl::gemm
