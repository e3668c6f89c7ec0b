#pragma once

#include <string>

#include <gtest/gtest.h>

#include "schedule_cases.h"

namespace hpl::test {

inline bool is_copy(const Task& task) {
  return task.kind == TaskKind::Load || task.kind == TaskKind::Store;
}
inline std::int64_t steps_of(const ScheduleCase& c, const LocalShape& shape) {
  return steps_to_make(shape, c.policy());
}

/// By look-ahead.
class LuScheduleTest : public testing::TestWithParam<int> {
 protected:
  /// Calls check(case, shape, schedule) for every case and process column, in a row of the grid.
  template <class Check>
  static void for_all_columns(Check check) {
    for (const ScheduleCase& c : schedule_cases(GetParam()))
      for (int q = 0; q < c.columns; ++q) {
        SCOPED_TRACE(testing::PrintToString(c) + ", process column " + std::to_string(q));
        check(c, c.shape(c.rows - 1, q), c.schedule(c.rows - 1, q));
        if (HasFatalFailure()) return;
      }
  }
};

}  // namespace hpl::test
