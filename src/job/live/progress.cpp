#include "hpl/job/live/progress.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "hpcx/thread.h"
#include "hpl/base/number/benchmark_formulas.h"
#include "rate_text.h"

namespace hpl {
namespace {

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds) || seconds > 1e9) return "?";
  const auto whole = static_cast<std::int64_t>(std::llround(std::max(seconds, 0.0)));
  return fmt::format("{}:{:02d}:{:02d}", whole / 3600, whole / 60 % 60, whole % 60);
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

bool standard_error_is_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

StatusLine::~StatusLine() {
  if (on_screen_ > 0) out_ << fmt::format("\r{:<{}}\r", "", on_screen_) << std::flush;
}

void StatusLine::show(std::string_view text) {
  if (!terminal_) {
    out_ << "# " << text << '\n' << std::flush;
    return;
  }
  text = text.substr(0, width_);
  out_ << fmt::format("\r{:<{}}", text, on_screen_) << std::flush;
  on_screen_ = text.size();
}

std::size_t standard_error_width() {
  constexpr std::size_t kUsual = 79;
  struct winsize size {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return kUsual;
  return size.ws_col - 1U;
}

Progress::Progress(std::ostream& out, ProgressOptions options)
    : out_(out),
      options_(std::move(options)),
      writer_(hpcx::start_thread("the writer of progress lines", [this] { write_lines(); })) {}

Progress::~Progress() {
  finish();
}

void Progress::update(const StepRecord& record) {
  {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    last_ = record;
    if (!due(record)) return;
    queue(record);
  }
  changed_.notify_one();
}

void Progress::show_ranks(std::string text) {
  const std::lock_guard lock(mutex_);
  ranks_ = std::move(text);
}

void Progress::finish() {
  {
    const std::lock_guard lock(mutex_);
    if (!finished_ && !options_.terminal && any_shown_ &&
        last_.columns_done > shown_.columns_done) {
      queue(last_);
    }
    finished_ = true;
  }
  changed_.notify_one();
  if (writer_.joinable()) writer_.join();
}

bool Progress::due(const StepRecord& record) const {
  const double waited = record.seconds - shown_.seconds;
  if (options_.terminal) return waited >= options_.terminal_seconds;
  const double advanced = estimate(options_.order, record.columns_done, record.seconds).fraction -
                          estimate(options_.order, shown_.columns_done, shown_.seconds).fraction;
  return waited >= options_.line_seconds && advanced >= options_.line_fraction;
}

void Progress::queue(const StepRecord& record) {
  // Of a terminal's line only the newest state matters.
  if (options_.terminal) pending_.clear();
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
  std::string text = fmt::format(
      "{}{}{:5.1f} %  {}  left {}  {} (now {})  {} columns left", options_.label,
      options_.label.empty() ? "" : " ", 100 * now.fraction, duration_text(record.seconds),
      duration_text(now.seconds_left), rate_text(now.gflops), rate_text(interval_gflops),
      std::max<std::int64_t>(0, options_.order - record.columns_done));
  if (options_.ranks > 1)
    text += fmt::format("  {} a rank", rate_text(interval_gflops / options_.ranks));
  return ranks_.empty() ? text : text + "  " + ranks_;
}

void Progress::write_lines() {
  StatusLine line(out_, options_.terminal, options_.terminal_width);
  for (;;) {
    std::vector<std::string> lines;
    bool finished = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return finished_ || !pending_.empty(); });
      lines.swap(pending_);
      finished = finished_;
    }
    for (const std::string& text : lines)
      line.show(text);
    if (finished) return;
  }
}

}  // namespace hpl
