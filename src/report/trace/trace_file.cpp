#include "hpl/report/trace/trace_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpl {
namespace {

using Json = nlohmann::ordered_json;

// Rows of a rank: the run itself, then the tracks. Numbers of threads begin with 1, because 0 is
// the idle thread to some readers.
constexpr int kRunRow = 1;
int row_of(Track track) {
  return kRunRow + 1 + static_cast<int>(track);
}

std::string line(const Json& event) {
  return event.dump(-1, ' ', false, Json::error_handler_t::replace) + ",\n";
}

std::string metadata(const char* what, int rank, int row, const Json& arguments) {
  return line({{"ph", "M"}, {"name", what}, {"pid", rank}, {"tid", row}, {"args", arguments}});
}

std::string row_metadata(int rank, int row, std::string_view name) {
  return metadata("thread_name", rank, row, {{"name", name}}) +
         metadata("thread_sort_index", rank, row, {{"sort_index", row}});
}

std::string rank_metadata(const RankTimeline& timeline) {
  const int rank = timeline.rank;
  std::string text = metadata("process_name", rank, 0,
                              {{"name", fmt::format("rank {} on {}", rank, timeline.host)}}) +
                     metadata("process_labels", rank, 0, {{"labels", timeline.device}}) +
                     metadata("process_sort_index", rank, 0, {{"sort_index", rank}});
  std::array<bool, kTrackCount> used{};
  for (const Span& span : timeline.spans)
    used[static_cast<std::size_t>(span.track)] = true;
  text += row_metadata(rank, kRunRow, "run");
  for (int t = 0; t < kTrackCount; ++t)
    if (used[static_cast<std::size_t>(t)])
      text += row_metadata(rank, row_of(static_cast<Track>(t)), to_string(static_cast<Track>(t)));
  return text;
}

/// Begin and length in whole nanoseconds: rounded apart, neighbours could overlap.
struct Extent {
  std::int64_t begin, length;
};
Extent extent_of(double begin, double end) {
  const auto nanoseconds = [](double seconds) { return std::llround(seconds * 1e9); };
  return {nanoseconds(begin), std::max(0LL, nanoseconds(end) - nanoseconds(begin))};
}

double microseconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-3;
}

void append_spans(std::string& text, const RankTimeline& timeline, double offset) {
  struct Slice {
    Extent extent;
    const Span* span;
  };
  std::vector<Slice> slices;
  slices.reserve(timeline.spans.size());
  for (const Span& span : timeline.spans)
    slices.push_back({extent_of(offset + span.begin, offset + span.end), &span});
  std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return std::tuple(a.span->track, a.extent.begin, -a.extent.length) <
           std::tuple(b.span->track, b.extent.begin, -b.extent.length);
  });
  // Not through a JSON object: there are millions of these, and nothing in them needs escaping.
  for (const auto& [extent, span] : slices)
    fmt::format_to(
        std::back_inserter(text),
        R"({{"ph":"X","name":"{}","cat":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},)"
        R"("args":{{"step":{},"chunk":{}}}}},)"
        "\n",
        to_string(span->phase), is_stream(span->track) ? "stream" : "worker", timeline.rank,
        row_of(span->track), microseconds(extent.begin), microseconds(extent.length), span->step,
        span->chunk);
}

}  // namespace

void TraceEvents::add(const TracedRun& run) {
  double length = run.seconds;
  for (const RankTimeline& timeline : run.ranks) {
    text_ += rank_metadata(timeline);
    const Extent whole = extent_of(begin_, begin_ + run.seconds);
    text_ += line({{"ph", "X"},
                   {"name", run.name},
                   {"cat", "run"},
                   {"pid", timeline.rank},
                   {"tid", kRunRow},
                   {"ts", microseconds(whole.begin)},
                   {"dur", microseconds(whole.length)},
                   {"args", Json::object()}});
    append_spans(text_, timeline, begin_);
    for (const Span& span : timeline.spans)
      length = std::max(length, span.end);
  }
  constexpr double kGap = 0.05;
  begin_ += (1 + kGap) * length;
}

std::string TraceEvents::document() const {
  std::string document = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  document.reserve(document.size() + text_.size() + 8);
  document.append(text_, 0, text_.empty() ? 0 : text_.size() - 2);  // the last comma
  return document + "\n]}\n";
}

std::string to_trace_json(std::span<const TracedRun> runs) {
  TraceEvents events;
  for (const TracedRun& run : runs)
    events.add(run);
  return events.document();
}

TraceFile::TraceFile(const std::filesystem::path& target) : file_(target, "the trace") {}

void TraceFile::add(const TracedRun& run) {
  events_.add(run);
  if (!file_.in_place() && events_.size() >= 2 * written_) finish();
}

void TraceFile::finish() {
  if (events_.size() == written_ && written_ > 0) return;
  file_.write(events_.document());
  written_ = events_.size();
}

}  // namespace hpl
