#include "hang_diagnosis.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/comm/mpi/environment.h"
#include "hpl/job/failure/at_the_end.h"

namespace hpl {

namespace {

using namespace std::chrono_literals;

/// Number of reporters, spread over the job. More of them need more messages, but are less likely
/// to be all lost.
constexpr int kReporters = 8;
constexpr auto kPoll = 5ms;
/// Time for the ranks to answer. Each looks for messages every 100 ms, perhaps on a busy machine.
constexpr auto kAnswerTime = 2000ms;
/// Launchers send SIGKILL a second after SIGTERM.
constexpr auto kAnswerTimeAfterSignal = 350ms;
/// Time for the last messages and for the abort, which talks to daemons that may be gone.
constexpr auto kFarewell = 100ms;
/// Lengths of the message for all and of its lists of ranks, as far as others receive them.
constexpr std::size_t kLongestList = 300;
constexpr std::size_t kLongestMessage = mpi::SideChannel::kLongestText - 2 * kLongestList - 40;
/// Answers to a call: the rank waits for others, or has work.
constexpr const char* kRests = "rests";
constexpr const char* kWorks = "works";
constexpr unsigned kHardEndSeconds = 10;

/// Ends the process after a while, whatever its threads and MPI do. By a signal, not by a thread:
/// that no thread can be started may be the reason for the end.
void set_hard_deadline() {
  struct sigaction action {};
  action.sa_handler = [](int) { _exit(static_cast<int>(ExitCode::Broken)); };
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  sigaction(SIGALRM, &action, nullptr);
  pthread_sigmask(SIG_UNBLOCK, &alarms, nullptr);
  alarm(kHardEndSeconds);
}

std::string list_line(const std::vector<int>& ranks) {
  std::string line;
  for (const int rank : ranks)
    if (line.size() < kLongestList) line += fmt::format("{} ", rank);
  return line + "\n";
}

std::vector<int> ranks_in(std::string_view line) {
  std::vector<int> ranks;
  for (const std::string_view word : split_words(line))
    ranks.push_back(static_cast<int>(parse_integer(word).value_or(0)));
  return ranks;
}

/// An end as a text, and back: a line of silent ranks, one of busy ranks, the message.
std::string to_text(const BadEnd& end) {
  return list_line(end.silent) + list_line(end.busy) + end.message.substr(0, kLongestMessage);
}

BadEnd bad_end(AbortCause cause, std::string_view text) {
  const auto [silent, rest] = split_pair(text, '\n');
  const auto [busy, message] = split_pair(rest, '\n');
  return {cause, std::string(message), ranks_in(silent), ranks_in(busy)};
}

}  // namespace

HangDiagnosis::HangDiagnosis(Context context)
    : context_(std::move(context)),
      size_(context_.channel != nullptr ? context_.channel->size() : 1),
      states_(static_cast<std::size_t>(size_)),
      roll_call_(context_.rank, size_, context_.limit_seconds) {}

bool HangDiagnosis::is_reporter(int rank) const {
  const int step = std::max(1, (size_ + kReporters - 1) / kReporters);
  return rank % step == 0;
}

void HangDiagnosis::send(int to, Kind kind, AbortCause cause, const std::string& text) {
  context_.channel->send(
      to, std::string{static_cast<char>(kind), static_cast<char>('0' + static_cast<int>(cause))} +
              text);
}

std::optional<AbortCause> HangDiagnosis::heard() {
  if (context_.channel == nullptr) return std::nullopt;
  while (const auto message = context_.channel->receive()) {
    if (message->text.size() < 2) continue;
    const auto kind = static_cast<Kind>(message->text[0]);
    const auto cause = static_cast<AbortCause>(message->text[1] - '0');
    if (kind == Kind::Call)
      send(message->from, Kind::Here, cause, context_.rests() ? kRests : kWorks);
    if (kind == Kind::Here) roll_call_.answered(message->from, message->text.substr(2) == kRests);
    if (kind == Kind::Call || kind == Kind::Here) continue;
    if (kind == Kind::Spoken && !spoken_) {
      spoken_ = true;
      // This rank may be the one that writes the report.
      context_.on_end(bad_end(cause, std::string_view(message->text).substr(2)));
    }
    if (kind == Kind::Notice || kind == Kind::Answer)
      states_[message->from] = rank_state(message->text.substr(2));
    if (kind == Kind::Question) send(message->from, Kind::Answer, cause, to_text(context_.state()));
    if (!cause_) cause_ = cause;
  }
  return cause_;
}

bool HangDiagnosis::waits_in_vain(bool settled) {
  if (context_.channel == nullptr || !is_reporter(context_.rank)) return false;
  if (!settled || !context_.rests()) {
    roll_call_.cancel();
    return false;
  }
  const auto now = Clock::now();
  if (roll_call_.is_due(now)) {
    for (int rank = 0; rank < size_; ++rank)
      if (rank != context_.rank) send(rank, Kind::Call, AbortCause::Stall);
    roll_call_.asked(now);
  }
  return !roll_call_.missing(now).empty();
}

void HangDiagnosis::listen(Clock::time_point deadline, const std::function<bool()>& done) {
  for (heard(); !done() && !spoken_; heard()) {
    if (context_.signalled()) latest_ = std::min(latest_, Clock::now() + kAnswerTimeAfterSignal);
    if (Clock::now() >= std::min(deadline, latest_)) return;
    std::this_thread::sleep_for(kPoll);
  }
}

void HangDiagnosis::tell_reporters(AbortCause cause) {
  for (int rank = 0; rank < size_; ++rank)
    if (rank != context_.rank && is_reporter(rank))
      send(rank, Kind::Notice, cause, to_text(context_.state()));
}

void HangDiagnosis::ask_all(AbortCause cause) {
  for (int rank = 0; rank < size_; ++rank)
    if (rank != context_.rank) send(rank, Kind::Question, cause);
}

void HangDiagnosis::end_job(AbortCause cause) {
  set_hard_deadline();
  const auto start = Clock::now();
  const auto answer_time = cause == AbortCause::Signal ? kAnswerTimeAfterSignal : kAnswerTime;
  try {
    if (context_.channel == nullptr) speak(cause, false);
    heard();
    if (!spoken_) tell_reporters(cause);
    const auto first_reporter_here = [this] {
      for (int rank = 0; rank < context_.rank; ++rank)
        if (is_reporter(rank) && states_[rank]) return false;
      return is_reporter(context_.rank);
    };
    if (is_reporter(context_.rank) && !spoken_) {
      ask_all(cause);
      listen(start + answer_time, [this] {
        const auto answered = std::count_if(states_.begin(), states_.end(),
                                            [](const auto& state) { return state.has_value(); });
        return answered + 1 >= size_;
      });
      if (!spoken_ && first_reporter_here()) speak(cause);
    }
    // Another rank prints the message. A rank cut off from all reporters gets no signal either.
    listen(start + 2 * answer_time, [] { return false; });
    const bool signalled = cause == AbortCause::Signal || latest_ != Clock::time_point::max();
    if (!spoken_ && !signalled) speak(cause);
    // The rank that prints also aborts. Ending earlier would make the launcher report another
    // cause.
    const auto until = Clock::now() + kAnswerTime;
    while (Clock::now() < until && !context_.signalled())
      std::this_thread::sleep_for(kPoll);
  } catch (const std::exception&) {  // this rank cannot hear the others
    if (!spoken_) speak(cause, false);
  }
  std::_Exit(static_cast<int>(ExitCode::Broken));
}

void HangDiagnosis::speak(AbortCause cause, bool asked) {
  AbortReport end{.cause = cause,
                  .limit_seconds = context_.limit_seconds,
                  .asked = asked,
                  .places = context_.places(),
                  .states = states_};
  end.states.resize(end.places.size());
  end.states[context_.rank] = context_.state();
  const BadEnd told = bad_end(end);
  write_at_end("xhpl: " + told.message + "\n");
  context_.on_end(told);
  if (context_.channel != nullptr) {
    try {
      for (int rank = 0; rank < size_; ++rank)
        if (rank != context_.rank) send(rank, Kind::Spoken, told.cause, to_text(told));
      const auto until = Clock::now() + kFarewell;
      while (Clock::now() < until) {
        heard();
        std::this_thread::sleep_for(kPoll);
      }
    } catch (const std::exception&) {  // they will hear it from the launcher
    }
  }
  mpi::abort_job(ExitCode::Broken);
}

}  // namespace hpl
