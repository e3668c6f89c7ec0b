#include "flags.h"

#include <array>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/run_spec/field_rules.h"

namespace hpl {
namespace {

constexpr std::array<Choice<GridRequest>, 2> kGridRequests{{
    {GridRequest::Given, "given"},
    {GridRequest::Auto, "auto"},
}};

void add_layout(FlagAdder& add, FieldOptions& fields) {
  add.choice(
      {"--grid", "CHOICE", "auto: choose P and Q; given (default): those of -P, -Q or HPL.dat"},
      kGridRequests, fields.grid);
  add.choice({"--pmap", "ORDER", "ranks over the grid: {}"}, kRankOrders, fields.rank_order,
             ChoiceNumbers::Accepted);
  add.text({"--threshold", "X", "largest scaled residual that passes; <= 0: no check"},
           [&fields](std::string_view name, std::string_view value) {
             fields.threshold = parse_real(value);
             if (!fields.threshold) {
               throw ConfigError("{} must be a real number such as 16.0, found {}", name,
                                 quote_printable(value));
             }
           });
}

void add_variants(FlagAdder& add, FieldOptions& fields) {
  add.choices({"--pfact", "LIST", "panel base case: {}"}, kPanelVariants, fields.panel_variants);
  add.choices({"--rfact", "LIST", "recursive panel: {}"}, kPanelVariants,
              fields.recursive_variants);
  add.integers({"--nbmin", "LIST", "columns at which the recursion stops, 1 or more"},
               kRecursionStopRange, fields.recursion_stops);
  add.integers({"--ndiv", "LIST", "parts of a panel per recursion, 2 or more"},
               kRecursionDivisorRange, fields.recursion_divisors);
  add.choices({"--bcast", "LIST", "panel broadcast: {}"}, kBroadcastVariants, fields.broadcasts);
  add.integers({"--depth", "LIST", "look-ahead: panels made ahead of the tail update, 0 to 8"},
               kDepthRange, fields.depths);
  add.choice({"--swap", "ALGORITHM", "row swap: {}"}, kSwapVariants, fields.swap,
             ChoiceNumbers::Accepted);
  add.integer(
      {"--swap-threshold", "COLUMNS", "mix: binary exchange up to this width, long above it"},
      kSwapThresholdRange, fields.swap_threshold);
  add.choice({"--l1", "FORM", "storage of L1: {}"}, kStorages, fields.transposed_l1,
             ChoiceNumbers::Accepted);
  add.choice({"--u", "FORM", "storage of U: {}"}, kStorages, fields.transposed_u,
             ChoiceNumbers::Accepted);
  add.choice({"--equil", "SWITCH", "equilibration of the swap: {}"}, kSwitches, fields.equilibrate,
             ChoiceNumbers::Accepted);
  add.integer({"--align", "DOUBLES", "leading dimensions are multiples of DOUBLES"},
              kAlignmentRange, fields.alignment);
}

}  // namespace

void add_size_flags(FlagAdder& add, Options& options) {
  add.group(kSizeGroup);
  add.commands(kAllJobs);
  FieldOptions& fields = options.fields;
  add.orders({"-N,--N", "LIST", "orders of the matrix, 0 or more: 1000,20k"}, fields.orders);
  add.integers({"--NB", "LIST", "block sizes, 1 or more"}, kBlockSizeRange, fields.block_sizes);
  add.integers({"-P,--P", "LIST", "rows of the process grids"}, kGridRange, fields.grid_rows);
  add.integers({"-Q,--Q", "LIST", "columns of the process grids; pairs with -P"}, kGridRange,
               fields.grid_columns);
}

void add_field_flags(FlagAdder& add, Options& options) {
  add.group(kFieldGroup, true);
  add.commands(kAllJobs);
  add_layout(add, options.fields);
  add_variants(add, options.fields);
  add.commands("run mxp check tune rates plan");
  add.integer({"--node-rows", "ROWS", "rows of the grid on each node; divides P"}, kGridRange,
              options.fields.node_rows);
  add.integer({"--node-columns", "COLUMNS", "columns of the grid on each node; divides Q"},
              kGridRange, options.fields.node_columns);
}

}  // namespace hpl
