#include "hpl/machine/model/rates.h"

namespace hpl {

namespace {

constexpr double kLeastShare = 0.001;  // of what divides a time
constexpr Limits kShare = may_lack({.minimum = 0, .maximum = 1, .finite = true});
constexpr Limits kDividingShare = may_lack({.minimum = kLeastShare, .maximum = 1, .finite = true});
constexpr Limits kAddedShare{.minimum = kLeastShare, .maximum = 1, .finite = true, .added = true};

constexpr std::array<Choice<ProcessorKind>, 2> kProcessorKinds{
    {{ProcessorKind::Cpu, "cpu"}, {ProcessorKind::Gpu, "gpu"}}};

/// A table in an object of its own; null where it is empty.
void describe_table(Record& record, std::string_view name, std::string_view meaning,
                    const NamedTable& table, std::initializer_list<std::string_view> axes) {
  record.group_or_null(
      name, !table.table->empty(), [&](Record& inner) { describe_tables(inner, axes, {table}); },
      meaning);
}

void describe_identity(Record& record, Rates& rates) {
  record("program", rates.program, {}, may_lack({}));
  record("origin", rates.origin, "\"measured\" or \"data sheet\"");
  record("machine", rates.machine, {}, may_lack({}));
  record("processor_kind", rates.kind, kProcessorKinds);
  record("ranks", rates.ranks, "that were measured at the same time", may_lack(kNotZero));
  record("ranks_per_node", rates.ranks_per_node, {}, may_lack(kNotZero));
  record("disturbances", rates.disturbances,
         "parts that were measured twice and disturbed by other processes", kAddedLater);
  record("mixed", rates.mixed, "rates of HPL-MxP's operations; null: of HPL's", kAddedLater);
  record("threads_per_rank", rates.threads, {}, may_lack(kNotZero));
  record("multiprocessors_per_rank", rates.multiprocessors,
         "of its device: they limit the rows of a panel; 0: unknown",
         {.minimum = 0, .added = true});
  record("peak_gflops_per_rank", rates.peak_gflops, "Share of Rpeak; null: unknown.",
         may_lack(kPositive));
  record("memory_bytes_per_rank", rates.memory_bytes, "where the matrix lies", may_lack(kPositive));
  record("power_watts_per_rank", rates.power_watts, "under load, with its share of the node",
         may_lack(kPositive));
  record("host_gflops_per_rank", rates.host_gflops,
         "DGEMM of the rank's cores where the matrix is on a device", may_lack(kPositive));
}

void describe_products(Record& record, Rates& rates) {
  record.group(
      "product",
      [&](Record& inner) {
        describe_tables(inner, {"m", "n", "k"}, {{"gflops", &rates.product_gflops}});
      },
      "C -= A B, C m x n, A m x k.");
  describe_table(record, "uneven_product",
                 "What products keep of their rate where NB is no multiple of 16, over the largest "
                 "power of two that divides NB; null: all of it.",
                 {"share", &rates.uneven_product_share}, {"divisors"});
  record("device_panel", rates.device_panel,
         "Factorization of a panel by the device; null: it has none.", may_lack({}));
  record("narrow_panel", rates.narrow_panel,
         "The device's panel on the few multiprocessors that it takes while at least "
         "narrow_panel_columns are updated beside it.",
         may_lack({}));
  record("narrow_panel_columns", rates.narrow_panel_columns, {}, may_lack(kNotNegative));
  record("host_panel", rates.host_panel, "Factorization of a panel by the host's cores.",
         may_lack({}));
  record.group(
      "solve",
      [&](Record& inner) {
        describe_tables(inner, {"columns", "block_sizes"}, {{"gflops", &rates.solve_gflops}});
      },
      "U12 = L11^-1 U; NB^2 operations a column.");
  describe_table(record, "inverse", "Inversion of L11; null: at the rate of the solve.",
                 {"seconds", &rates.inverse_seconds}, {"block_sizes"});
}

void describe_moves(Record& record, Rates& rates) {
  describe_table(record, "row_copy",
                 "Rows of so many columns gathered or scattered within the memory of the matrix; "
                 "bytes moved once; null: HPL-MxP, which moves none.",
                 {"gbytes_per_second", &rates.row_copy_gbytes}, {"columns"});
  record("memory_gbytes_per_second", rates.memory_gbytes,
         "copy within that memory, read and written", kPositive);
  record("links", rates.links, {}, may_lack({}));
  record("copies", rates.copies, "Between the memories of host and device; null: they are one.",
         may_lack({}));
  record("shared", rates.shared,
         "What is left of a rate while something else runs, as a share of it.", may_lack({}));
}

void describe_time(Record& record, Rates& rates) {
  record.group_or_null(
      "boost", true,
      [&](Record& inner) {
        inner("gain", rates.boost.gain, {}, kNotNegative);
        inner("seconds", rates.boost.seconds, {}, kNotNegative);
      },
      "After a pause products are faster by a share of their rate, for so many seconds; null: they "
      "are not.");
  record("rank_speeds", rates.rank_speeds,
         "Rate of the product by rank, as a share of the table's.", may_lack(kPositive));
  record("second_deviation_seconds", rates.second_deviation,
         "Standard deviation between ranks that have each made what takes a second on average; not "
         "there: 0.",
         may_lack(kNotNegative));
  record("chip_deviation", rates.chip_deviation,
         "Standard deviation between chips that nobody has measured.", kShare);
  record("plan_seconds_per_pivot", rates.plan_seconds,
         "of the host, which plans the exchange of rows", may_lack(kPositive));
  record("task_seconds", rates.task_seconds, "What each task takes beside its work.",
         may_lack(kNotNegative));
}

}  // namespace

void describe(Record& record, PanelRates& panel) {
  record.type("panel");
  const auto axes = {std::string_view("rows"), std::string_view("block_sizes")};
  describe_tables(record, axes, {{"seconds", &panel.seconds}});
  record("product_beside_panel", panel.product_beside, "of the product's rate beside it", kShare);
  record("panel_beside_product", panel.beside_product, "of its own rate beside products",
         kDividingShare);
  record.group_or_null(
      "shares", !panel.product_beside_by_size.empty(),
      [&](Record& inner) {
        describe_tables(inner, axes,
                        {{"product_beside_panel", &panel.product_beside_by_size, 1},
                         {"panel_beside_product", &panel.beside_product_by_size, 1}});
      },
      "The same two by the size of the panel; null: not measured.");
  describe_table(record, "pivot",
                 "Seconds that a column takes longer where so many processes agree on its pivot.",
                 {"seconds_per_column", &panel.pivot_seconds}, {"processes"});
}

void describe(Record& record, LinkRates& link) {
  record.type("link", "A message between neighbours while all ranks send.");
  record("neighbours", link.neighbours, kNeighbours);
  record("place", link.place, kLinkPlaces);
  record("transport", link.transport);
  describe_tables(record, {"bytes"}, {{"seconds", &link.seconds}});
  describe_table(record, "alone", "While the neighbour sends nothing; null: as long.",
                 {"seconds", &link.seconds_alone}, {"bytes"});
}

void describe(Record& record, CopyRates& copies) {
  record("host_to_device_gbytes_per_second", copies.host_to_device_gbytes, {}, kPositive);
  record("device_to_host_gbytes_per_second", copies.device_to_host_gbytes, {}, kPositive);
  if (record.reads()) {
    copies.host_to_device_both_gbytes = copies.host_to_device_gbytes;
    copies.device_to_host_both_gbytes = copies.device_to_host_gbytes;
  }
  record("host_to_device_both_ways_gbytes_per_second", copies.host_to_device_both_gbytes, {},
         may_lack(kPositive));
  record("device_to_host_both_ways_gbytes_per_second", copies.device_to_host_both_gbytes, {},
         may_lack(kPositive));
}

void describe(Record& record, SharedRates& shared) {
  record("product_beside_swap", shared.product_beside_swap, {}, kShare);
  record("product_beside_solve", shared.product_beside_solve, {}, kShare);
  record("product_beside_messages", shared.product_beside_messages, {}, kShare);
  record("swap_beside_product", shared.swap_beside_product, {}, kDividingShare);
  record("solve_beside_product", shared.solve_beside_product,
         "of the rate at which U is solved for; not there: 1", kDividingShare);
  record("product_beside_exchange", shared.product_beside_exchange,
         "while messages of an exchange of rows travel; null: as beside copies of rows", kShare);
  record("broadcast_beside_exchange", shared.broadcast_beside_exchange,
         "of the rate of messages along the process row, while rows are exchanged along the column",
         kAddedShare);
  record("exchange_beside_broadcast", shared.exchange_beside_broadcast,
         "of the rate of that exchange, while a panel travels along the row", kAddedShare);
}

void describe(Record& record, MixedRates& mixed) {
  record.type("mixed_rates");
  record("spec", mixed.spec, "of the runs for which the rates hold");
  record("iterations", mixed.iterations, "of the refinement", kNotZero);
  record.group(
      "factors",
      [&](Record& inner) {
        describe_tables(inner, {"orders", "block_sizes"},
                        {{"gelements_per_second", &mixed.factor_gelements}});
      },
      "A solution by the factors, N^2 elements.");
  record("matrix_gelements_per_second", mixed.matrix_gelements,
         "a product by A, which is made anew", kPositive);
}

void describe(Record& record, Rates& rates) {
  record.document({.title = "Rates of a machine",
                   .description =
                       "Written by xhpl rates, read by xhpl-predict. Sizes of a table ascend; its "
                       "values are given for every combination of them, the last size varying "
                       "fastest. Readers should ignore members they do not know.",
                   .kind = "rates"});
  describe_identity(record, rates);
  describe_products(record, rates);
  describe_moves(record, rates);
  describe_time(record, rates);
  if (const JsonCursor* from = record.source(); from && !rates.device_panel && !rates.host_panel)
    from->refuse("an object with device_panel or host_panel");
  if (const JsonCursor* from = record.source();
      from && !rates.mixed && rates.row_copy_gbytes.empty())
    from->refuse("an object with row_copy or mixed");
}

Rates parse_rates(const std::string& name, std::string_view text) {
  return parse_document<Rates>(name, text, "xhpl rates");
}

}  // namespace hpl
