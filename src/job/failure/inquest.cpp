#include "inquest.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/environment.h"
#include "last_words.h"

namespace hpl {

namespace {

using namespace std::chrono_literals;

/// So many ranks, spread over the job, may speak for all: the letters grow with it, and with more
/// of them it takes more to lose them all.
constexpr int kSpeakers = 8;
constexpr auto kPoll = 5ms;
/// For the ranks to answer; each looks for letters every 100 ms, on a machine that may be crowded.
constexpr auto kAnswerTime = 2000ms;
/// Launchers kill a second after the signal.
constexpr auto kAnswerTimeAfterSignal = 350ms;
/// For the last letters and the abort itself, which talks to daemons that may be gone.
constexpr auto kFarewell = 100ms;
/// Of what is said for all, as the others hear it.
constexpr std::size_t kLongestMessage = mpi::SideChannel::kLongestText - 2;
constexpr unsigned kHardEndSeconds = 10;

/// Ends the process whatever becomes of its threads and of MPI. A signal, since the reason for the
/// end may be that there are no more threads to be had.
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

}  // namespace

Inquest::Inquest(Context context)
    : context_(std::move(context)),
      size_(context_.channel != nullptr ? context_.channel->size() : 1),
      states_(static_cast<std::size_t>(size_)) {}

bool Inquest::is_speaker(int rank) const {
  const int step = std::max(1, (size_ + kSpeakers - 1) / kSpeakers);
  return rank % step == 0;
}

void Inquest::send(int to, Kind kind, EndCause cause, const std::string& text) {
  context_.channel->send(
      to, std::string{static_cast<char>(kind), static_cast<char>('0' + static_cast<int>(cause))} +
              text);
}

std::optional<EndCause> Inquest::heard() {
  if (context_.channel == nullptr) return std::nullopt;
  while (const auto letter = context_.channel->receive()) {
    if (letter->text.size() < 2) continue;
    const auto kind = static_cast<Kind>(letter->text[0]);
    const auto cause = static_cast<EndCause>(letter->text[1] - '0');
    if (kind == Kind::Spoken && !spoken_) {
      spoken_ = true;
      context_.told(letter->text.substr(2));  // this rank may be the one that writes the report
    }
    if (kind == Kind::Notice || kind == Kind::Answer)
      states_[static_cast<std::size_t>(letter->from)] = rank_state(letter->text.substr(2));
    if (kind == Kind::Question) send(letter->from, Kind::Answer, cause, to_text(context_.state()));
    if (!cause_) cause_ = cause;
  }
  return cause_;
}

void Inquest::listen(Clock::time_point deadline, const std::function<bool()>& done) {
  for (heard(); !done() && !spoken_; heard()) {
    if (context_.signalled()) latest_ = std::min(latest_, Clock::now() + kAnswerTimeAfterSignal);
    if (Clock::now() >= std::min(deadline, latest_)) return;
    std::this_thread::sleep_for(kPoll);
  }
}

void Inquest::tell_speakers(EndCause cause) {
  for (int rank = 0; rank < size_; ++rank)
    if (rank != context_.rank && is_speaker(rank))
      send(rank, Kind::Notice, cause, to_text(context_.state()));
}

void Inquest::ask_all(EndCause cause) {
  for (int rank = 0; rank < size_; ++rank)
    if (rank != context_.rank) send(rank, Kind::Question, cause);
}

void Inquest::end_job(EndCause cause) {
  set_hard_deadline();
  const auto start = Clock::now();
  const auto answer_time = cause == EndCause::Signal ? kAnswerTimeAfterSignal : kAnswerTime;
  try {
    if (context_.channel == nullptr) speak(cause);
    heard();
    if (!spoken_) tell_speakers(cause);
    const auto first_speaker_here = [this] {
      for (int rank = 0; rank < context_.rank; ++rank)
        if (is_speaker(rank) && states_[static_cast<std::size_t>(rank)]) return false;
      return is_speaker(context_.rank);
    };
    if (is_speaker(context_.rank) && !spoken_) {
      ask_all(cause);
      listen(start + answer_time, [this] {
        const auto answered = std::count_if(states_.begin(), states_.end(),
                                            [](const auto& state) { return state.has_value(); });
        return answered + 1 >= size_;
      });
      if (!spoken_ && first_speaker_here()) speak(cause);
    }
    // Somebody else has the word. Who is cut off from all speakers is not signalled either.
    listen(start + 2 * answer_time, [] { return false; });
    const bool signalled = cause == EndCause::Signal || latest_ != Clock::time_point::max();
    if (!spoken_ && !signalled) speak(cause);
    // Who speaks also aborts; ending before that would make the launcher tell another story.
    const auto until = Clock::now() + kAnswerTime;
    while (Clock::now() < until && !context_.signalled())
      std::this_thread::sleep_for(kPoll);
  } catch (const std::exception&) {  // MPI is of no use any more
    if (!spoken_) {
      context_.channel = nullptr;
      speak(cause);
    }
  }
  std::_Exit(static_cast<int>(ExitCode::Broken));
}

void Inquest::speak(EndCause cause) {
  JobEnd end{.cause = cause,
             .limit_seconds = context_.limit_seconds,
             .asked = context_.channel != nullptr,
             .places = context_.places(),
             .states = states_};
  end.states.resize(end.places.size());
  end.states[static_cast<std::size_t>(context_.rank)] = context_.state();
  const std::string message = describe_end(end);
  write_last_words("xhpl: " + message + "\n");
  context_.told(message);
  if (context_.channel != nullptr) {
    try {
      for (int rank = 0; rank < size_; ++rank)
        if (rank != context_.rank)
          send(rank, Kind::Spoken, cause, message.substr(0, kLongestMessage));
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
