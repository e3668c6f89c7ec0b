#include "hpl/report/trace/trace_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hpl/base/error/error.h"

namespace hpl {
namespace {

using Json = nlohmann::ordered_json;

// Rows of a rank: the run itself, then the tracks, each above what was expected of it. Numbers of
// threads begin with 1, because 0 is the idle thread to some readers.
constexpr int kRunRow = 1;
int row_of(Track track) {
  return kRunRow + 1 + 2 * static_cast<int>(track);
}
int expected_row_of(Track track) {
  return row_of(track) + 1;
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

std::string process_metadata(int number, const std::string& name, const std::string& label) {
  return metadata("process_name", number, 0, {{"name", name}}) +
         metadata("process_labels", number, 0, {{"labels", label}}) +
         metadata("process_sort_index", number, 0, {{"sort_index", number}});
}

std::array<bool, kTrackCount> tracks_of(const std::vector<Span>& spans) {
  std::array<bool, kTrackCount> used{};
  for (const Span& span : spans)
    used[static_cast<std::size_t>(span.track)] = true;
  return used;
}

std::string rank_metadata(const RankTimeline& timeline) {
  const int rank = timeline.rank;
  std::string text =
      process_metadata(rank, fmt::format("rank {} on {}", rank, timeline.host), timeline.device);
  text += row_metadata(rank, kRunRow, "run");
  const auto used = tracks_of(timeline.spans), expected = tracks_of(timeline.expected);
  for (int t = 0; t < kTrackCount; ++t) {
    const auto track = static_cast<Track>(t);
    if (used[t]) text += row_metadata(rank, row_of(track), to_string(track));
    if (expected[t])
      text +=
          row_metadata(rank, expected_row_of(track), fmt::format("{}, expected", to_string(track)));
  }
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

/// One event of a row.
struct Slice {
  Extent extent;
  int row;
  std::string_view name, category;
  std::int64_t step, chunk;
};

void append_slices(std::string& text, int process, std::vector<Slice> slices) {
  std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return std::tuple(a.row, a.extent.begin, -a.extent.length) <
           std::tuple(b.row, b.extent.begin, -b.extent.length);
  });
  // Not through a JSON object: there are millions of these, and nothing in them needs escaping.
  for (const Slice& slice : slices)
    fmt::format_to(
        std::back_inserter(text),
        R"({{"ph":"X","name":"{}","cat":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},)"
        R"("args":{{"step":{},"chunk":{}}}}},)"
        "\n",
        slice.name, slice.category, process, slice.row, microseconds(slice.extent.begin),
        microseconds(slice.extent.length), slice.step, slice.chunk);
}

void append_spans(std::string& text, const RankTimeline& timeline, double offset) {
  std::vector<Slice> slices;
  slices.reserve(timeline.spans.size() + timeline.expected.size());
  const auto append = [&](const Span& span, int row, std::string_view category) {
    slices.push_back({extent_of(offset + span.begin, offset + span.end), row, to_string(span.phase),
                      category, span.step, span.chunk});
  };
  for (const Span& span : timeline.spans)
    append(span, row_of(span.track), is_stream(span.track) ? "stream" : "worker");
  for (const Span& span : timeline.expected)
    append(span, expected_row_of(span.track), "expected");
  append_slices(text, timeline.rank, std::move(slices));
}

/// The run itself, above what was done in it.
std::string run_event(const std::string& name, int process, double begin, double seconds) {
  const Extent whole = extent_of(begin, begin + seconds);
  return line({{"ph", "X"},
               {"name", name},
               {"cat", "run"},
               {"pid", process},
               {"tid", kRunRow},
               {"ts", microseconds(whole.begin)},
               {"dur", microseconds(whole.length)},
               {"args", Json::object()}});
}

constexpr double kGap = 0.05;  // between runs, in parts of the run before

/// The document around the events. The last event has no separator behind it.
constexpr std::string_view kHead = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
constexpr std::string_view kSeparator = ",\n";
constexpr std::string_view kTail = "\n]}\n";

}  // namespace

void TraceEvents::begin(std::string name, double seconds) {
  name_ = std::move(name);
  seconds_ = length_ = seconds;
}

void TraceEvents::add(const RankTimeline& rank) {
  text_ += rank_metadata(rank);
  text_ += run_event(name_, rank.rank, begin_, seconds_);
  append_spans(text_, rank, begin_);
  for (const auto* spans : {&rank.spans, &rank.expected})
    for (const Span& span : *spans)
      length_ = std::max(length_, span.end);
}

void TraceEvents::end() {
  begin_ += (1 + kGap) * length_;
}

void TraceEvents::add(const TracedStages& run) {
  double length = run.seconds;
  for (const TracedProcess& process : run.processes) {
    text_ += process_metadata(process.number, process.name, process.label) +
             row_metadata(process.number, kRunRow, "run");
    std::vector<Slice> slices;
    for (std::size_t r = 0; r < process.rows.size(); ++r) {
      const int row = kRunRow + 1 + static_cast<int>(r);
      text_ += row_metadata(process.number, row, process.rows[r].name);
      for (const TracedSlice& slice : process.rows[r].slices) {
        slices.push_back({extent_of(begin_ + slice.begin, begin_ + slice.end), row, slice.name,
                          "stage", slice.step, slice.chunk});
        length = std::max(length, slice.end);
      }
    }
    text_ += run_event(run.name, process.number, begin_, run.seconds);
    append_slices(text_, process.number, std::move(slices));
  }
  begin_ += (1 + kGap) * length;
}

std::string TraceEvents::document() const {
  const std::size_t length = text_.size() - std::min(text_.size(), kSeparator.size());
  return fmt::format("{}{}{}", kHead, std::string_view(text_).substr(0, length), kTail);
}

TraceFile::TraceFile(const std::filesystem::path& target) : file_(target, "the trace") {}

void TraceFile::begin(std::string name, double seconds) {
  events_.begin(std::move(name), seconds);
}

void TraceFile::add(const RankTimeline& rank) {
  events_.add(rank);
  keep_events();
}

void TraceFile::end() {
  events_.end();
  write_when_grown();
}

void TraceFile::add(const TracedStages& run) {
  events_.add(run);
  keep_events();
  write_when_grown();
}

void TraceFile::keep_events() {
  try {
    if (!spool_)
      spool_.emplace(file_.in_place() ? std::filesystem::temp_directory_path() / "xhpl-trace"
                                      : file_.target());
    spool_->append(events_.take());
  } catch (const std::system_error& failure) {
    throw RunError(file_.message(failure.code().value()));
  }
}

void TraceFile::write_when_grown() {
  if (!file_.in_place() && size() >= 2 * written_.value_or(0)) finish();
}

void TraceFile::finish() {
  if (written_ == size()) return;
  file_.write_pieces([this](const AtomicFile::Piece& piece) {
    piece(kHead);
    if (spool_) spool_->read(size() - kSeparator.size(), piece);
    piece(kTail);
  });
  written_ = size();
}

}  // namespace hpl
