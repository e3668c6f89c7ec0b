#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hpl/comm/mpi/side_channel.h"
#include "hpl/job/failure/abort_report.h"
#include "roll_call.h"

namespace hpl {

/// The messages between ranks when a job must end, and the choice of the rank that prints.
///
/// A few ranks, the reporters, ask all others what they do; a rank that finds the job stuck tells
/// the reporters. The lowest reporter that answers the others prints the one message, tells all
/// ranks that it has, and aborts the job. Everybody else waits for that end, for a while: a rank
/// that is cut off from all reporters speaks for itself.
///
/// Reporters that wait for the work of others, which has no limit, call the roll.
class HangDiagnosis {
 public:
  struct Context {
    int rank = 0;
    double limit_seconds = 0;                           ///< the watchdog's
    mpi::SideChannel* channel = nullptr;                ///< null: this rank speaks for itself
    std::function<RankState()> state;                   ///< of this rank, now
    std::function<bool()> rests;                        ///< it waits for the work of others
    std::function<std::vector<RankLocation>()> places;  ///< of all ranks
    std::function<bool()> signalled;                    ///< SIGTERM has come
    std::function<void(const BadEnd&)> on_end;          ///< gets the message that was for all
  };

  explicit HangDiagnosis(Context context);

  /// Answers messages that have arrived. Returns the cause where another rank says that the job
  /// must end.
  std::optional<AbortCause> heard();
  /// Called again and again while this rank waits for the work of others: whether it waits in vain,
  /// for ranks that do not answer. `settled`: this process was not stopped itself meanwhile.
  bool waits_in_vain(bool settled);
  /// Ends the job. Does not return.
  [[noreturn]] void end_job(AbortCause cause);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Kind : char {
    Notice = 'N',
    Question = 'Q',
    Answer = 'A',
    Spoken = 'S',
    Call = 'C',
    Here = 'H'
  };

  bool is_reporter(int rank) const;
  void send(int to, Kind kind, AbortCause cause, const std::string& text = "");
  void tell_reporters(AbortCause cause);
  void ask_all(AbortCause cause);
  /// Receives messages until `done` or the deadline.
  void listen(Clock::time_point deadline, const std::function<bool()>& done);
  /// `asked`: the other ranks were asked, so those without an answer are named.
  [[noreturn]] void speak(AbortCause cause, bool asked = true);

  Context context_;
  int size_;
  std::vector<std::optional<RankState>> states_;
  RollCall roll_call_;
  std::optional<AbortCause> cause_;  // as another rank told it
  bool spoken_ = false;
  Clock::time_point latest_ = Clock::time_point::max();  // earlier once a signal has come
};

}  // namespace hpl
