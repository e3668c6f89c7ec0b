#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "hpl/lu/schedule/lu_schedule.h"

namespace hpl::test {

/// A factorization whose schedules are looked at.
struct ScheduleCase {
  std::int64_t order, block;
  int rows, columns;
  int look_ahead;
  std::int64_t chunk;
  bool weighted = false, checksums = false, equilibrate = true;
  std::int64_t step_limit = 0;
  int host_ahead = 1;
  int visit_steps = 0;  ///< 0: the matrix is on the device
  std::int64_t resident = 0, visit_columns = 0;
  bool host = false;  ///< takes part
  bool fetcher_updates = false;

  RunSpec spec() const {
    RunSpec spec{.order = order,
                 .block_size = block,
                 .grid_rows = rows,
                 .grid_columns = columns,
                 .depth = look_ahead,
                 .swap = SwapVariant::SpreadRoll,
                 .equilibrate = equilibrate,
                 .checksums = checksums};
    for (int q = 0; weighted && q < columns; ++q)
      spec.column_weights.push_back(1.0 + 0.3 * (q % 3));
    return spec;
  }
  SchedulePolicy policy() const {
    return {.visits = visit_steps == 0 ? VisitPolicy{}
                                       : VisitPolicy{resident, visit_steps, visit_columns},
            .look_ahead = look_ahead,
            .chunk_columns = chunk,
            .step_limit = step_limit,
            .host_ahead = host_ahead,
            .host_takes_part = host,
            .fetcher_updates = fetcher_updates};
  }
  LocalShape shape(int row, int column) const { return local_shape(spec(), {row, column}); }
  Schedule schedule(int row, int column) const {
    return lu_schedule(spec(), shape(row, column), policy());
  }
};

inline void PrintTo(const ScheduleCase& c, std::ostream* out) {
  *out << "N " << c.order << " NB " << c.block << " on " << c.rows << " x " << c.columns
       << ", look-ahead " << c.look_ahead << ", chunks of " << c.chunk
       << (c.weighted ? ", weighted" : "") << (c.checksums ? ", checksums" : "")
       << (c.equilibrate ? "" : ", not equilibrated");
  if (c.visit_steps > 0)
    *out << ", visits of " << c.visit_steps << " steps, " << c.resident << " columns resident"
         << (c.host ? ", host takes part" : "");
  if (c.fetcher_updates) *out << ", the fetcher updates";
  if (c.step_limit > 0) *out << ", " << c.step_limit << " steps";
}

/// Small and large grids, sizes that divide by nothing.
inline std::vector<ScheduleCase> schedule_cases(int look_ahead) {
  std::vector<ScheduleCase> cases;
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 2}, {4, 4}})
    for (const auto& [order, block] :
         {std::pair<std::int64_t, std::int64_t>{0, 4}, {1, 4}, {37, 64}, {96, 8}, {101, 7}})
      for (const std::int64_t chunk : {1, 20, 4096})
        cases.push_back({order, block, rows, columns, look_ahead, chunk, chunk == 20, chunk == 1,
                         look_ahead != 3});
  cases.push_back({190, 10, 2, 2, look_ahead, 40, false, false, true, 7});
  cases.push_back({190, 10, 1, 3, look_ahead, 40, true, false, true, 1, 0});
  for (const int rows : {1, 2}) {
    ScheduleCase c{195, 10, rows, 1, look_ahead, 24};
    c.fetcher_updates = true;
    cases.push_back(c);
  }
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 2}, {2, 2}, {1, 3}})
    for (const int steps : {1, 2, 3, 5})
      for (const std::int64_t resident : {0, 44, 1000}) {
        ScheduleCase c{195,        10,
                       rows,       columns,
                       look_ahead, 24,
                       steps == 3, steps == 2,
                       true,       steps == 5 && resident == 0 ? 11 : 0,
                       1,          steps,
                       resident,   steps % 2 == 0 ? 5 : 0};
        cases.push_back(c);
        c.host = resident < 1000 && (rows + steps) % 2 == 0;
        if (c.host) cases.push_back(c);
      }
  if (look_ahead == 2) return cases;  // thousands of ranks take their time
#if defined(HPL_SANITIZE_ADDRESS) || defined(HPL_SANITIZE_THREAD)
  constexpr int kSide = 16;  // and more of it under a sanitizer
#else
  constexpr int kSide = 64;
#endif
  cases.push_back({2100, 31, kSide, kSide, look_ahead, 64});
  cases.push_back({4099, 64, kSide, kSide, look_ahead, 128, true});
  cases.push_back({1150, 17, 8, kSide, look_ahead, 34});
  return cases;
}

}  // namespace hpl::test
