#include "residency.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hpl/machine/decide/run_memory.h"

namespace hpl {

namespace {

/// Chunks of what is resident stand between visits, which are one block column wide at most.
constexpr std::int64_t kChunkBetweenVisits = 4096;

/// Copies that take more of the products' time are not hidden everywhere.
constexpr double kHidden = 0.9;

/// Of the run, placed in this memory.
struct PlannedCopies {
  double share = 0;
  int steps = 1;
};

/// Looks for a run like this one whose copies hide.
class Advisor {
 public:
  Advisor(const RunSpec& spec, const Facts& facts, const Wishes& wishes,
          const RunSettings& settings)
      : spec_(spec), facts_(facts), wishes_(wishes), settings_(settings) {}

  std::string text() const {
    const auto now = copies(spec_, facts_);
    if (!now || now->share <= kHidden) return {};
    std::vector<std::string> ways;
    if (auto way = by_block_size()) ways.push_back(std::move(*way));
    if (auto way = by_memory()) ways.push_back(std::move(*way));
    return fmt::format(
        "matrix in host memory: its copies take about {:.0f} % of the time of the products{}",
        100 * now->share,
        ways.empty() ? "" : fmt::format("; less with {}", fmt::join(ways, ", or with ")));
  }

 private:
  /// Empty where the run does not fit.
  std::optional<PlannedCopies> copies(const RunSpec& spec, const Facts& facts) const {
    RunSettings settings = settings_;
    place_matrix(spec, facts, wishes_, settings);
    if (!fits(spec, settings, facts)) return std::nullopt;
    const SchedulePolicy& schedule = settings.stages.schedule;
    return PlannedCopies{
        copy_share(largest_local_shape(spec), schedule.visits, schedule.look_ahead),
        schedule.visits.steps};
  }

  std::optional<std::string> by_block_size() const {
    constexpr std::int64_t kStep = 256, kLeast = 512;
    if (wishes_.visit_columns) return std::nullopt;
    RunSpec other = spec_;
    for (other.block_size = (spec_.block_size - 1) / kStep * kStep; other.block_size >= kLeast;
         other.block_size -= kStep) {
      const auto found = copies(other, facts_);
      if (found && found->share <= kHidden)
        return fmt::format("NB = {} (visits of {} steps)", other.block_size, found->steps);
    }
    return std::nullopt;
  }

  std::optional<std::string> by_memory() const {
    constexpr int kMostTries = 400;
    constexpr std::int64_t kStep = std::int64_t{1} << 28;
    Facts more = facts_;
    std::int64_t& bytes = more.memory.device.bytes;
    for (int i = 0; i < kMostTries; ++i) {
      bytes += std::max(kStep, bytes / 50);
      const auto found = copies(spec_, more);
      if (found && found->share <= kHidden)
        return fmt::format("{} of device memory", bytes_text(bytes));
    }
    return std::nullopt;
  }

  const RunSpec& spec_;
  const Facts& facts_;
  const Wishes& wishes_;
  const RunSettings& settings_;
};

}  // namespace

void place_matrix(const RunSpec& spec, const Facts& facts, const Wishes& wishes,
                  RunSettings& settings) {
  SchedulePolicy& schedule = settings.stages.schedule;
  const bool host_takes_part = std::exchange(schedule.host_takes_part, false);
  schedule.visits = {};
  if (wishes.matrix == MatrixRequest::Device || spec.order == 0) return;
  const bool three_stage = wishes.host_schedule == HostSchedule::ThreeStage;
  const auto device_bytes = [&](const RunSettings& with) {
    return memory_account(spec, with, facts).total().device;
  };
  if (!three_stage && device_bytes(settings) <= facts.memory.device.bytes) return;
  const LocalShape shape = largest_local_shape(spec);
  if (is_beyond_any_memory(shape)) return;
  if (!wishes.chunk)
    schedule.chunk_columns =
        std::min(schedule.chunk_columns, std::max(kChunkBetweenVisits, 2 * spec.block_size));
  schedule.host_takes_part = host_takes_part;
  const auto needs = [&, settings](const VisitPolicy& visits) mutable {
    settings.stages.schedule.visits = visits;
    return device_bytes(settings);
  };
  std::optional<int> steps;
  if (wishes.visit_steps) steps = static_cast<int>(*wishes.visit_steps);
  schedule.visits = choose_visits(shape, {.look_ahead = schedule.look_ahead,
                                          .device_bytes = facts.memory.device.bytes,
                                          .needs = needs,
                                          .steps = steps,
                                          .columns = wishes.visit_columns,
                                          .three_stage = three_stage});
}

std::string advice_on_copies(const RunSpec& spec, const Facts& facts, const Wishes& wishes,
                             const RunSettings& settings) {
  if (facts.shares_host_memory || spec.order == 0 ||
      wishes.host_schedule == HostSchedule::ThreeStage)
    return {};
  return Advisor(spec, facts, wishes, settings).text();
}

}  // namespace hpl
