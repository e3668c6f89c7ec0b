#include "hpl/job/live/progress.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpcx/thread.h"
#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/base/text/quantity.h"

namespace hpl {
namespace {

std::string clock_text(double seconds) {
  if (!std::isfinite(seconds) || seconds > 1e9) return "?";
  const auto whole = static_cast<std::int64_t>(std::llround(std::max(seconds, 0.0)));
  return fmt::format("{}:{:02d}:{:02d}", whole / 3600, whole / 60 % 60, whole % 60);
}

/// "96 % of attainable"; empty where that is unknown.
std::string attained(double gflops, double attainable_gflops) {
  if (!(attainable_gflops > 0)) return {};
  return fmt::format("{:.0f} % of attainable", 100 * gflops / attainable_gflops);
}

}  // namespace

ProgressEstimate estimate(std::int64_t order, std::int64_t columns_done, double seconds) {
  if (order <= 0) return {.fraction = 1, .gflops = 0, .seconds_left = 0};
  const double done = factorization_flops(order, columns_done);
  const double fraction = done / factorization_flops(order, order);
  return {.fraction = fraction,
          .gflops = seconds > 0 ? done / seconds / 1e9 : 0,
          .seconds_left = fraction > 0 ? seconds * (1 - fraction) / fraction
                                       : std::numeric_limits<double>::infinity()};
}

std::vector<std::string> drawn_lines(const ProgressOptions& options, const StepRecord& last,
                                     double since, const std::vector<std::string>& ranks) {
  constexpr std::size_t kFrame = 2;
  const std::size_t width = options.view.width;
  const ProgressEstimate now = estimate(options.order, last.columns_done, last.seconds);
  std::vector<std::string> lines;
  lines.push_back(fitted(
      {fmt::format("{:.1f} %", 100 * now.fraction), "left " + clock_text(now.seconds_left - since),
       rate_text(now.gflops), attained(now.gflops, options.attainable_gflops),
       clock_text(last.seconds + since), options.label},
      width));
  if (width > kFrame) {
    const auto done = static_cast<std::size_t>(now.fraction * static_cast<double>(width - kFrame));
    lines.push_back(fmt::format("[{:<{}}]", std::string(done, '#'), width - kFrame));
  }
  // Rates of ranks in a line, sensors in another.
  const std::size_t half = std::min<std::size_t>(ranks.size(), 2);
  for (const auto& [first, end] : {std::pair(ranks.begin(), ranks.begin() + half),
                                   std::pair(ranks.begin() + half, ranks.end())})
    if (const std::string text = fitted({first, end}, width); !text.empty()) lines.push_back(text);
  return lines;
}

Progress::Progress(std::ostream& out, ProgressOptions options)
    : out_(out),
      options_(std::move(options)),
      writer_(hpcx::start_thread("the writer of progress lines", [this] { write(); })) {}

Progress::~Progress() {
  finish();
}

void Progress::update(const StepRecord& record) {
  {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    last_ = record;
    last_came_ = Clock::now();
    if (!due(record)) return;
    queue(record);
  }
  changed_.notify_one();
}

void Progress::show_ranks(std::vector<std::string> fields) {
  const std::lock_guard lock(mutex_);
  ranks_ = std::move(fields);
}

void Progress::finish() {
  {
    const std::lock_guard lock(mutex_);
    if (!finished_ && any_shown_ && last_.columns_done > shown_.columns_done) queue(last_);
    finished_ = true;
  }
  changed_.notify_one();
  if (writer_.joinable()) writer_.join();
}

bool Progress::due(const StepRecord& record) const {
  const LiveForm form = options_.view.form;
  if (form == LiveForm::None || form == LiveForm::Drawn) return false;
  const double waited = record.seconds - shown_.seconds;
  if (!any_shown_) return form == LiveForm::Lines || waited >= options_.first_line_seconds;
  const double advanced = estimate(options_.order, record.columns_done, record.seconds).fraction -
                          estimate(options_.order, shown_.columns_done, shown_.seconds).fraction;
  return waited >= options_.line_seconds && advanced >= options_.line_fraction;
}

void Progress::queue(const StepRecord& record) {
  pending_.push_back(line(record));
  shown_ = record;
  any_shown_ = true;
}

std::string Progress::line(const StepRecord& record) const {
  const ProgressEstimate now = estimate(options_.order, record.columns_done, record.seconds);
  const double interval_flops = factorization_flops(options_.order, record.columns_done) -
                                factorization_flops(options_.order, shown_.columns_done);
  const double interval_seconds = record.seconds - shown_.seconds;
  const double interval_gflops =
      interval_seconds > 0 ? interval_flops / interval_seconds / 1e9 : now.gflops;
  std::string text =
      fmt::format("{}{}{:5.1f} %  {}  left {}  {} (now {})  {} columns left", options_.label,
                  options_.label.empty() ? "" : " ", 100 * now.fraction, clock_text(record.seconds),
                  clock_text(now.seconds_left), rate_text(now.gflops), rate_text(interval_gflops),
                  std::max<std::int64_t>(0, options_.order - record.columns_done));
  if (options_.ranks > 1)
    text += fmt::format("  {} a rank", rate_text(interval_gflops / options_.ranks));
  return ranks_.empty() ? text : fmt::format("{}  {}", text, fmt::join(ranks_, "; "));
}

void Progress::write() {
  const bool drawn = options_.view.form == LiveForm::Drawn;
  StatusLine out(out_, drawn ? options_.view : LiveView{LiveForm::Lines});
  if (drawn)
    draw(out);
  else
    write_lines(out);
}

void Progress::write_lines(StatusLine& out) {
  for (bool finished = false; !finished;) {
    std::vector<std::string> lines;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return finished_ || !pending_.empty(); });
      lines.swap(pending_);
      finished = finished_;
    }
    for (const std::string& text : lines)
      out.show(text);
  }
}

void Progress::draw(StatusLine& out) {
  for (;;) {
    std::vector<std::string> lines;
    {
      std::unique_lock lock(mutex_);
      if (changed_.wait_for(lock, std::chrono::seconds(1), [this] { return finished_; })) return;
      const std::chrono::duration<double> since = Clock::now() - last_came_;
      lines = drawn_lines(options_, last_, since.count(), ranks_);
    }
    out.draw(lines);
  }
}

EarlyStop project(std::int64_t order, std::span<const StepRecord> steps, double seconds) {
  EarlyStop stop;
  if (steps.empty()) return stop;
  stop.columns_done = steps.back().columns_done;
  const ProgressEstimate part = estimate(order, stop.columns_done, seconds);
  stop.fraction = part.fraction;
  stop.gflops = part.gflops;
  stop.projected_seconds = seconds + part.seconds_left;
  stop.projected_gflops = benchmark_gflops(order, stop.projected_seconds);
  return stop;
}

}  // namespace hpl
