#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <thread>

#include "device_fixture.h"
#include "hpcx/error.h"
#include "panel_reference.h"
#include "support/carried_messages.h"

namespace hpcx::conformance {

/// The distribution of a panel: the diagonal block to its owner, and to each member rows below.
struct Distribution {
  std::int64_t cols = 0;
  int owner = 0;
  std::vector<std::int64_t> below;

  int members() const { return static_cast<int>(below.size()); }
  std::int64_t below_of(int member) const { return below[static_cast<std::size_t>(member)]; }
  std::int64_t rows() const { return std::accumulate(below.begin(), below.end(), cols); }
  PanelPart share() const {
    return {.owner = owner, .most_rows = cols + *std::max_element(below.begin(), below.end())};
  }
  /// The first row of the whole panel that is below the member's top rows.
  std::int64_t first_below(int member) const {
    return std::accumulate(below.begin(), below.begin() + member, cols);
  }
  /// The name of a row of the whole panel in pivots.
  std::int64_t id_of(std::int64_t row) const {
    if (row < cols) return panel_row_id({.member = owner, .row = row}, cols, share());
    int member = 0;
    while (row >= first_below(member) + below_of(member))
      ++member;
    return panel_row_id({.member = member, .row = cols + row - first_below(member)}, cols, share());
  }
  Shape shape_of(int member) const {
    return {cols + below_of(member), cols, Layout::ColumnMajor, 3, 1};
  }
  /// The member's view of the whole panel; its top rows hold `top` where they are not its own.
  HostMatrix part(HostMatrix whole, int member, bool top_is_known, double top) const {
    HostMatrix result(shape_of(member));
    for (std::int64_t j = 0; j < cols; ++j) {
      for (std::int64_t i = 0; i < cols; ++i)
        result(i, j) = top_is_known ? whole(i, j) : top;
      for (std::int64_t i = 0; i < below_of(member); ++i)
        result(cols + i, j) = whole(first_below(member) + i, j);
    }
    return result;
  }
};

class PanelTeamTest : public PanelTest {
 protected:
  /// Panels of several members in flight on this one device.
  struct Team {
    std::vector<Stream> streams;
    std::vector<std::unique_ptr<PanelSolver>> solvers;
  };
  struct InFlight {
    DeviceMatrix panel;
    Buffer pivots, zero;
  };

  Team make_team(const std::vector<int>& groups, const PanelSolverSpec& spec) {
    Team team;
    std::vector<void*> mailboxes;
    const int members = std::accumulate(groups.begin(), groups.end(), 0);
    for (int m = 0; m < members; ++m)
      team.streams.push_back(device_->create_stream(Priority::Normal));
    for (int m = 0; m < members; ++m) {
      team.solvers.push_back(device_->create_panel_solver(spec));
      mailboxes.push_back(team.solvers.back()->mailbox().as<void>());
    }
    int m = 0;
    for (const int size : groups) {
      const auto first = mailboxes.begin() + m;
      for (const int end = m + size; m < end; ++m)
        team.solvers[static_cast<std::size_t>(m)]->connect({m, groups, {first, first + size}});
    }
    return team;
  }
  Team make_team(const Distribution& split, int compute_units) {
    return make_team(groups_.empty() ? std::vector<int>{split.members()} : groups_,
                     spec_of(split, compute_units));
  }
  static PanelSolverSpec spec_of(const Distribution& split, int compute_units) {
    return {.max_rows = split.share().most_rows,
            .max_cols = split.cols,
            .compute_units = compute_units,
            .members = std::max(split.members(), 2),
            .group_size = std::clamp(split.members(), 2, kMaxGroupMembers)};
  }

  /// The code of everything that a member launches is loaded when the team starts: loading may wait
  /// for kernels that are running. Each member goes through the same alone.
  void load_code(const Distribution& split, int compute_units) {
    for (int m = 0; m < split.members(); ++m) {
      const Distribution alone{split.cols, 0, {split.below_of(m)}};
      const Team team = make_team({1}, spec_of(split, compute_units));
      const DeviceMatrix panel =
          upload(random_matrix(alone.shape_of(0), static_cast<std::uint64_t>(m)));
      const Buffer results =
          upload(std::vector<std::int64_t>(static_cast<std::size_t>(split.cols) + 1));
      device_->kernels().fill(team.streams[0], 0.5, panel.view.block(0, 0, 1, 1));
      team.solvers[0]->factorize_shared(
          team.streams[0], {panel.view, results.as<std::int64_t>(8), results.as<std::int64_t>()},
          {.owner = 0, .most_rows = split.share().most_rows});
      team.streams[0].ref().synchronize();
    }
  }

  std::vector<InFlight> upload_parts(const Distribution& split, const HostMatrix& whole) {
    std::vector<InFlight> result;
    for (int m = 0; m < split.members(); ++m)
      result.push_back(
          {upload(split.part(whole, m, m == split.owner, std::numeric_limits<double>::quiet_NaN())),
           upload(std::vector<std::int64_t>(static_cast<std::size_t>(split.cols), -7)),
           upload(std::vector<std::int64_t>{-7})});
    return result;
  }
  static void start(const Team& team, const Distribution& split,
                    const std::vector<InFlight>& parts) {
    for (std::size_t m = 0; m < parts.size(); ++m)
      team.solvers[m]->factorize_shared(team.streams[m],
                                        {parts[m].panel.view, parts[m].pivots.as<std::int64_t>(),
                                         parts[m].zero.as<std::int64_t>()},
                                        split.share());
  }
  static void carry_messages(const Team& team) {
    std::vector<PanelProxy*> proxies;
    for (const auto& solver : team.solvers)
      if (solver->proxy() != nullptr) proxies.push_back(solver->proxy());
    hpcx::carry_messages(proxies, [] { std::this_thread::yield(); });
  }

  std::vector<Factors> finish(const Team& team, const Distribution& split,
                              const std::vector<InFlight>& parts) {
    std::vector<Factors> result;
    carry_messages(team);
    for (std::size_t m = 0; m < parts.size(); ++m)
      team.streams[m].ref().synchronize();
    for (std::size_t m = 0; m < parts.size(); ++m)
      result.push_back(
          {download(parts[m].panel, split.shape_of(static_cast<int>(m))),
           download<std::int64_t>(parts[m].pivots, static_cast<std::size_t>(split.cols)),
           download<std::int64_t>(parts[m].zero, 1)[0]});
    return result;
  }
  std::vector<Factors> factorize(const Distribution& split, const HostMatrix& whole,
                                 int compute_units) {
    load_code(split, compute_units);
    const Team team = make_team(split, compute_units);
    const std::vector<InFlight> parts = upload_parts(split, whole);
    start(team, split, parts);
    return finish(team, split, parts);
  }

  static HostMatrix random_panel(const Distribution& split, std::uint64_t seed) {
    return random_matrix({split.rows(), split.cols, Layout::ColumnMajor, 0, 0}, seed);
  }
  /// All members have the same pivots, and their rows of the expected factors.
  static void expect_same(const Distribution& split, const std::vector<Factors>& actual,
                          const Factors& expected) {
    std::vector<std::int64_t> ids;
    for (const std::int64_t row : expected.pivots)
      ids.push_back(split.id_of(row));
    for (int m = 0; m < split.members(); ++m) {
      SCOPED_TRACE(testing::Message() << "member " << m);
      const Factors& of_member = actual[static_cast<std::size_t>(m)];
      EXPECT_EQ(of_member.zero_column, expected.zero_column);
      EXPECT_EQ(of_member.pivots, ids);
      expect_near(of_member.panel, split.part(expected.panel, m, true, 0), 1e-9);
    }
  }
  /// All members found that column without a pivot first, and agree on all they chose.
  static void expect_no_pivot_in(std::int64_t column, const std::vector<Factors>& actual) {
    for (const Factors& of_member : actual) {
      EXPECT_EQ(of_member.zero_column, column);
      EXPECT_EQ(of_member.pivots, actual[0].pivots);
    }
  }
  void expect_reference(const Distribution& split, std::uint64_t seed, int compute_units) {
    SCOPED_TRACE(testing::Message() << split.rows() << " x " << split.cols << " over "
                                    << split.members() << ", owner " << split.owner);
    const HostMatrix whole = random_panel(split, seed);
    expect_same(split, factorize(split, whole, compute_units), panel_reference(whole));
  }

  std::vector<int> groups_;  // sizes; empty: all members reach each other's memory
};

}  // namespace hpcx::conformance
