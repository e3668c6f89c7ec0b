#include "cost_model.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hpcx/panel.h"
#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/vector_exchange.h"
#include "hpl/lu/swap/row_exchange_plan.h"
#include "hpl/machine/model/machine_sheet.h"

namespace hpl {

namespace {

/// A panel that takes the whole device while it lasts (its rates say 0) still ends.
constexpr double kLeastProductFraction = 0.05;
/// Of the back substitution: the product, the solve and the message of a block of x.
constexpr double kTasksOfABlock = 3;

/// The depth of a binomial tree, and the number of rounds of an exchange of parts.
double tree_depth(int processes) {
  return static_cast<double>(mpi::exchange_rounds(processes).size());
}

/// Seconds of an exchange of the parts of a vector of `bytes`. `message(b)`: seconds of b bytes.
template <class Message>
double exchange(int processes, double bytes, Message message) {
  double seconds = 0;
  for (const mpi::ExchangeRound& round : mpi::exchange_rounds(processes))
    seconds += message(bytes * round.parts / processes);
  return seconds;
}

/// Seconds of mpi::star_or_tree() with `bytes`: the root of a star has all messages under way
/// together, those along a tree follow each other. `message(b)`: seconds of b bytes.
template <class Message>
double star_or_tree(int processes, double bytes, Message message) {
  if (processes == 1) return 0;
  const double messages = mpi::star_or_tree_messages(processes);
  return processes <= mpi::kLongestStar ? message(messages * bytes) : messages * message(bytes);
}

std::string benchmark_of(const std::optional<MixedSpec>& mixed) {
  return mixed ? "HPL-MxP (" + to_string(*mixed) + ")" : "HPL";
}

struct NeededLink {
  Neighbours neighbours;
  LinkPlace place;
};

/// The links of a run.
std::vector<NeededLink> needed_links(const DecidedRun& decided) {
  const RunSpec& spec = decided.spec;
  const GridShape tile = decided.settings.tile;
  std::vector<NeededLink> links;
  const auto add = [&](bool needed, Neighbours neighbours, LinkPlace place) {
    if (needed) links.push_back({neighbours, place});
  };
  add(std::min(spec.grid_columns, tile.columns) > 1, Neighbours::Row, LinkPlace::InNode);
  add(spec.grid_columns > tile.columns, Neighbours::Row, LinkPlace::BetweenNodes);
  add(std::min(spec.grid_rows, tile.rows) > 1, Neighbours::Column, LinkPlace::InNode);
  add(spec.grid_rows > tile.rows, Neighbours::Column, LinkPlace::BetweenNodes);
  return links;
}

const char* words_of(LinkPlace place) {
  return place == LinkPlace::InNode ? "inside a node" : "between nodes";
}

}  // namespace

std::vector<Remark> remarks_on_rates(const DecidedRun& decided, const Rates& rates) {
  std::string text;
  for (const NeededLink& link : needed_links(decided)) {
    const LinkRates* const found = rates.link(link.neighbours, link.place);
    if (found == nullptr || found->neighbours == link.neighbours ||
        found->neighbours == Neighbours::Any)
      continue;
    text += fmt::format("{}along {}s {}", text.empty() ? "" : ", ",
                        name_of(kNeighbours, link.neighbours), words_of(link.place));
  }
  if (text.empty()) return {};
  return {
      warning("rates",
              "the rates have no links {}: those of the other direction stand for them; measure "
              "rates with the grid of the run",
              text)};
}

CostModel::CostModel(const DecidedRun& decided, const Rates& rates)
    : decided_(decided), rates_(rates) {
  const RunSpec& spec = decided.spec;
  const std::optional<MixedSpec> measured =
      rates.mixed ? std::optional(rates.mixed->spec) : std::nullopt;
  if (spec.mixed != measured)
    throw ConfigError(
        "the rates of {} are those of {}, and the run is one of {}; give xhpl rates and the run "
        "the same flags of HPL-MxP, or none",
        rates.machine, benchmark_of(measured), benchmark_of(spec.mixed));
  if (rates.mixed) mixed_ = &*rates.mixed;
  const bool on_device = decided.settings.stages.device_panel || spec.mixed;
  const auto& panel = on_device ? rates.device_panel : rates.host_panel;
  if (!panel)
    throw ConfigError("the rates of {} hold none of the panel on the {}", rates.machine,
                      on_device ? "device" : "host");
  panel_ = &*panel;
  // The serial pipeline has no products that a narrow panel would leave room for.
  if (decided.settings.stages.device_panel && rates.narrow_panel &&
      decided.settings.pipeline != PipelineKind::Serial)
    narrow_panel_ = &*rates.narrow_panel;
  if (in_host_memory(decided) && !rates.copies)
    throw ConfigError(
        "a matrix in host memory needs the rates of copies between host and device, and those of "
        "{} hold none",
        rates.machine);
  copies_panel_ = !on_device && rates.copies.has_value();
  const GridShape tile = decided.settings.tile;
  for (const NeededLink& link : needed_links(decided))
    if (rates.link(link.neighbours, link.place) == nullptr)
      throw ConfigError(
          "a {} x {} grid with {} x {} ranks on a node needs the rate of a link {}, and the rates "
          "of {} hold none",
          spec.grid_rows, spec.grid_columns, tile.rows, tile.columns, words_of(link.place),
          rates.machine);
  const int ranks = spec.grid_rows * spec.grid_columns;
  slowest_ = 1 - slowest_of(ranks, rates.chip_deviation);
  for (int rank = 0; rank < std::min(ranks, static_cast<int>(rates.rank_speeds.size())); ++rank)
    slowest_ = std::min(slowest_, rates.rank_speeds[rank]);
}

double CostModel::speed(int rank) const {
  const auto index = static_cast<std::size_t>(rank);
  if (index < rates_.rank_speeds.size()) return rates_.rank_speeds[index];
  return rates_.rank_speeds.empty() ? slowest_ : 1;
}

double CostModel::element_bytes() const {
  return mixed_ == nullptr ? 8 : static_cast<double>(hpcx::bytes_of(mixed_->spec.operands));
}

double CostModel::convert(double elements) const {
  const auto stored = static_cast<double>(hpcx::bytes_of(mixed_->spec.storage));
  return (stored + element_bytes()) * elements / (1e9 * rates_.memory_gbytes);
}

double CostModel::fetch(double rows, double width) const {
  if (mixed_ != nullptr)
    return mixed_->spec.storage == mixed_->spec.operands ? 0 : convert(rows * width);
  // Read and written once; a panel that the host makes goes there.
  const double copied = 16 * rows * width / (1e9 * rates_.memory_gbytes);
  if (!copies_panel_) return copied;
  return copied + 8 * rows * width / (1e9 * rates_.copies->device_to_host_gbytes);
}

const PanelRates& CostModel::panel(double overlapped_columns) const {
  const bool narrow = narrow_panel_ != nullptr && overlapped_columns > 0 &&
                      overlapped_columns >= rates_.narrow_panel_columns;
  return narrow ? *narrow_panel_ : *panel_;
}

double CostModel::pivot(double overlapped_columns) const {
  const int processes = decided_.spec.grid_rows;
  for (const PanelRates* rates : {&panel(overlapped_columns), panel_})
    if (!rates->pivot_seconds.empty())
      return rates->pivot_seconds.at({static_cast<double>(processes)});
  // Not measured: what data sheets assume, or a small message where that takes less. It passes
  // through the hosts, or from device to device, and not by what carries panels.
  const MachineSheet sheet;
  const double message = column_message(8);
  if (!decided_.settings.stages.device_panel)
    return tree_depth(processes) * std::min(sheet.host_pivot_seconds, message);
  const int group = std::min({processes, decided_.settings.tile.rows, hpcx::kMaxGroupMembers});
  const int groups = (processes + group - 1) / group;
  return tree_depth(group) * std::min(sheet.in_node_seconds, message) +
         hpcx::pivot_rounds(groups).latencies() * std::min(sheet.nic_seconds, message);
}

double CostModel::factorize(double rows, double width, double overlapped_columns) const {
  double seconds = panel(overlapped_columns).seconds_for(rows, width);
  // HPL-MxP has no pivots; the inverse of a diagonal block goes down its column.
  if (decided_.spec.grid_rows > 1)
    seconds += mixed_ == nullptr ? width * pivot(overlapped_columns)
                                 : column_broadcast(element_bytes() * width * width);
  // And back to the device.
  if (copies_panel_) seconds += 8 * rows * width / (1e9 * rates_.copies->host_to_device_gbytes);
  return seconds;
}

double CostModel::panel_bytes(double rows, double width) const {
  return element_bytes() * width * (width + rows + 1);
}

double CostModel::row_message(LinkPlace place, double bytes) const {
  return rates_.link(Neighbours::Row, place)->seconds_for(bytes);
}

double CostModel::row_message(double bytes) const {
  return row_message(decided_.spec.grid_columns > decided_.settings.tile.columns
                         ? LinkPlace::BetweenNodes
                         : LinkPlace::InNode,
                     bytes);
}

double CostModel::column_message(double bytes) const {
  return column_message(bytes, bytes);
}

double CostModel::column_message(double bytes, double back) const {
  const int rows = decided_.spec.grid_rows;
  // In a ring the slowest hop counts.
  return rates_
      .link(Neighbours::Column,
            rows > decided_.settings.tile.rows ? LinkPlace::BetweenNodes : LinkPlace::InNode)
      ->seconds_for(bytes, back);
}

/// By spread and roll, as HPL-MxP sends down its columns.
double CostModel::column_broadcast(double bytes) const {
  const double p = decided_.spec.grid_rows;
  if (p == 1) return 0;
  return column_message(bytes - bytes / p) + (p - 1) * column_message(bytes / p);
}

double CostModel::row_exchange(double bytes) const {
  return exchange(decided_.spec.grid_columns, bytes, [this](double b) { return row_message(b); });
}

double CostModel::column_exchange(double bytes) const {
  return exchange(decided_.spec.grid_rows, bytes, [this](double b) { return column_message(b); });
}

double CostModel::prepare(double rows, double width) const {
  if (mixed_ != nullptr) return convert(rows * width);
  const double inverse =
      rates_.inverse_seconds.empty()
          ? width * width * width / 3 / (1e9 * rates_.solve_gflops.at({width, width}))
          : rates_.inverse_seconds.at({width});
  // L11 and U11 are read and written.
  const double copies = 4 * 8 * width * width / (1e9 * rates_.memory_gbytes);
  return rates_.plan_seconds * width + inverse + copies;
}

bool CostModel::divided(double columns) const {
  const RunSpec& spec = decided_.spec;
  return spec.grid_rows > 1 && solve_site(resolve_swap(spec.swap, spec.swap_threshold,
                                                       static_cast<std::int64_t>(columns)),
                                          spec.equilibrate) == SolveSite::Divided;
}

double CostModel::row_copy(double width, double columns) const {
  return 8 * width * columns / (1e9 * rates_.row_copy_gbytes.at({columns}));
}

double CostModel::product_fraction_beside_exchange(double width, double columns) const {
  const SharedRates& shared = rates_.shared;
  if (decided_.spec.grid_rows == 1 || !shared.product_beside_exchange || columns <= 0)
    return shared.product_beside_swap;
  const ExchangeSeconds swapped = swap(width, columns), gathered = all_gather(width, columns);
  const double copied = (swapped.copies + gathered.copies) / (swapped.alone() + gathered.alone());
  return copied * shared.product_beside_swap + (1 - copied) * *shared.product_beside_exchange;
}

double CostModel::product_fraction_beside_solve() const {
  const double fraction = rates_.shared.product_beside_solve;
  return mixed_ == nullptr ? fraction : 1 - (1 - fraction) / decided_.spec.grid_rows;
}

ExchangeSeconds CostModel::swap(double width, double columns) const {
  if (mixed_ != nullptr) return {};
  const double volume = 8 * width * columns;  // of U, and of the rows that give way
  const double p = decided_.spec.grid_rows;
  // On the owner row: its part of U, and all rows that give way.
  ExchangeSeconds seconds{.copies = (p == 1 ? 2 : 1 + 3 / p) * row_copy(width, columns)};
  if (p == 1) return seconds;
  const double others = (p - 1) / p;
  if (divided(columns)) {
    // The owner row sends its part of U and all rows that give way, and receives the others' parts.
    seconds.messages = (p - 1) * column_message(others * (1 + 1 / p) * volume / (p - 1),
                                                others * volume / p / (p - 1));
  } else if (resolve_swap(decided_.spec.swap, decided_.spec.swap_threshold,
                          static_cast<std::int64_t>(columns)) == SwapVariant::BinaryExchange) {
    seconds.messages = std::ceil(std::log2(p)) * column_message(volume);
  } else {
    seconds.messages = 2 * (p - 1) * column_message(volume / p);
  }
  return seconds;
}

double CostModel::solve(double width, double columns) const {
  const bool shared = divided(columns) && mixed_ == nullptr;
  const double own = shared ? columns / decided_.spec.grid_rows : columns;
  return width * width * own / (1e9 * rates_.solve_gflops.at({own, width}));
}

ExchangeSeconds CostModel::all_gather(double width, double columns) const {
  if (mixed_ != nullptr) return {.messages = column_broadcast(element_bytes() * width * columns)};
  if (!divided(columns)) return {};
  const double p = decided_.spec.grid_rows;
  return {.messages = (p - 1) * column_message(8 * width * columns / p),
          .copies = row_copy(width, columns)};
}

double CostModel::update(double rows, double columns, double width) const {
  return rates_.product_seconds(rows, columns, width) /
         rates_.product_share(decided_.spec.block_size);
}

double CostModel::overlapped_products(double rows, double columns, double width,
                                      double speed) const {
  const SharedRates& shared = rates_.shared;
  const double products = update(rows, columns, width) / speed;
  if (products <= 0) return 0;
  const ExchangeSeconds swapped = swap(width, columns), gathered = all_gather(width, columns);
  const double exchange =
      swapped.messages + gathered.messages +
      slowed_down(swapped.copies + gathered.copies, products, shared.swap_beside_product);
  const double solving = slowed_down(solve(width, columns), products, shared.solve_beside_product);
  const double lost =
      (1 - product_fraction_beside_exchange(width, columns)) * std::min(exchange, products) +
      (1 - product_fraction_beside_solve()) * std::min(solving, products);
  return (products + lost) /
         std::max(kLeastProductFraction, panel_interference(rows, width, columns).product);
}

double CostModel::load(double rows, double columns) const {
  return 8 * rows * columns / (1e9 * rates_.copies->host_to_device_both_gbytes);
}

double CostModel::store(double rows, double columns) const {
  return 8 * rows * columns / (1e9 * rates_.copies->device_to_host_both_gbytes);
}

double CostModel::back_substitution() const {
  const RunSpec& spec = decided_.spec;
  const double p = spec.grid_rows, q = spec.grid_columns;
  const auto n = static_cast<double>(spec.order);
  const double steps = n / static_cast<double>(spec.block_size);
  const double block = 8 * n / steps;
  const auto row = [this](double bytes) { return row_message(bytes); };
  const auto column = [this](double bytes) { return column_message(bytes); };
  // U is read once. A block of y is summed over its row, and x goes down its column.
  const double messages =
      star_or_tree(spec.grid_columns, block, row) + star_or_tree(spec.grid_rows, block, column);
  return 4 * n * n / (p * q) / (1e9 * rates_.memory_gbytes) +
         steps * (messages + kTasksOfABlock * task());
}

double CostModel::refinement() const {
  const RunSpec& spec = decided_.spec;
  const double p = spec.grid_rows, q = spec.grid_columns;
  const auto n = static_cast<double>(spec.order), width = static_cast<double>(spec.block_size);
  const double row_depth = tree_depth(spec.grid_columns), column_depth = tree_depth(spec.grid_rows);
  // x comes from the rows of A to its columns; parts of A x are summed over the process row.
  const double product = n * n / (p * q) / (1e9 * mixed_->matrix_gelements) +
                         column_exchange(8 * n / q) + 2 * row_exchange(8 * n / p);
  // In both triangles each piece is summed over its process row, in FP64, and goes down its process
  // column, in FP32.
  const double piece = (row_depth == 0 ? 0 : row_depth * row_message(8 * width)) +
                       (column_depth == 0 ? 0 : column_depth * column_message(4 * width));
  // Process columns work beside each other but for the rows that the next q - 1 steps wait for.
  const double waited_for = std::min(n, n / q + 2 * (q - 1) * width);
  const double factors = n / p * waited_for / (1e9 * mixed_->factor_gelements.at({n / p, width})) +
                         2 * n / width * piece + row_exchange(8 * n / p);
  const bool gmres = mixed_->spec.solver == MixedSolver::Gmres;
  // GMRES multiplies each new vector by all before it. A cycle has four norms beside its
  // iterations.
  const double iterations = mixed_->iterations;
  const double numbers = 3 * iterations + (gmres ? iterations * (iterations + 1) / 2 + 4 : 0);
  const double sums = column_depth == 0 ? 0 : numbers * column_depth * column_message(8);
  // Behind its iterations GMRES makes the residual once.
  const double last = gmres ? product : 0;
  return iterations * (factors + product) + sums + last;
}

double slowed_down(double seconds, double overlap, double fraction) {
  if (overlap <= 0) return seconds;
  if (overlap * fraction >= seconds) return seconds / fraction;
  return overlap + (seconds - overlap * fraction);
}

}  // namespace hpl
