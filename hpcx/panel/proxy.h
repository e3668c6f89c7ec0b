#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "hpcx/device.h"
#include "hpcx/panel.h"
#include "panel/plan.h"
#include "panel/words.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// The messages of one member: its outbox and inbox, and the order in which the panel kernel uses
/// them.
class GpuPanelProxy final : public PanelProxy {
 public:
  /// For panels of at most `max_cols` columns.
  GpuPanelProxy(Device& device, const PanelConnection& connection, std::int64_t max_cols);

  /// A launch of the panel kernel for groups, the one after those told of before.
  void expect(const PanelWindow& window, const RowSplit& split, int owner);

  std::uint64_t* outbox() const { return outbox_.as<std::uint64_t>(); }
  std::uint64_t* inbox() const { return inbox_.as<std::uint64_t>(); }

  std::optional<Exchange> next() override;
  int members() const override { return static_cast<int>(group_of_.size()); }
  int group_of(int member) const override { return group_of_[static_cast<std::size_t>(member)]; }
  bool leads(int member) const override {
    return member == 0 || group_of(member) != group_of(member - 1);
  }
  int me() const override { return me_; }
  bool rows_known() override;
  bool moves_rows(int from, int to) const override;
  bool ready() override;
  std::span<const std::byte> message() const override;
  std::span<std::byte> message_from(int member) override;
  void arrived(int member) override;
  void finish() override;

 private:
  struct Step {
    Exchange exchange = Exchange::Pivot;
    unsigned stamp = 0;
    int columns = 0;         // of the panel
    int width = 0;           // elements of a candidate's row
    bool displaces = false;  // the own group has the row to be displaced
    int blocks = 0;
  };

  bool pivot_ready() const;
  std::span<const std::uint64_t> own_words(std::int64_t at, std::int64_t count) const;
  std::span<std::uint64_t> message_of_group(int group);
  /// Rows that `member` sends to other groups, and those of members with lower numbers.
  struct RowCount {
    std::int64_t own = 0, before = 0;
  };
  RowCount rows_of(int member) const;

  Buffer outbox_, inbox_;
  std::vector<int> group_of_;
  int me_ = 0;
  std::deque<Step> steps_;
  Step now_;
  bool ready_ = false;
  std::vector<MovedRow> rows_;          // of the exchange, once they are known
  std::vector<std::uint64_t> best_;     // the message of the best candidate so far, once ready
  std::vector<std::uint64_t> leaving_;  // that of the last ready(), which messages carry
  std::vector<std::uint64_t> theirs_;   // messages of the groups, as they arrive
};

}  // namespace hpcx::HPCX_GPU_NAMESPACE
