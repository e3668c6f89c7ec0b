#include "hpl/job/failure/watchdog.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <iostream>
#include <utility>

#include "hang_diagnosis.h"
#include "hpcx/thread.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/job/failure/at_the_end.h"

namespace hpl {

namespace {

/// A rank looks for questions this often. Costs two system calls each time.
constexpr std::chrono::milliseconds kPause{100};
/// A rank listens this long for another one's message: as long as launchers allow.
constexpr std::chrono::milliseconds kListenPause{5}, kListenTime{350};

/// Added to the limit while MPI starts. Launchers start some ten ranks a second where programs come
/// over a network, and the first rank waits for the last.
double start_allowance(int ranks) {
  return 10 + 0.1 * ranks;
}
/// Added while MPI ends: all ranks come from the same last message.
double end_allowance(int ranks) {
  return 5 + 0.1 * ranks;
}

/// If SIGTERM comes just before the ranks can ask each other, they wait this long for it.
constexpr std::chrono::milliseconds kUntilTheyCanAsk{1000};
/// A rank that dies shows as trouble of the network too: its launcher knows more, and acts within
/// this time.
constexpr std::chrono::seconds kUntilTheLauncherActs{3};
/// Time for another rank to print its message, before the kernel kills a rank that does not end.
constexpr std::chrono::seconds kUntilTheKernelActs{10};

/// While ranks cannot exchange messages, later ranks wait for an earlier one to print, upon which
/// the launcher ends them within a second: rank 1 first, then 2 and 3, then 4 to 7.
double courtesy(int rank) {
  return 2.0 * std::bit_width(static_cast<unsigned>(rank));
}

/// Makes the kernel kill this process (SIGKILL) after `time` if it still exists then, even where it
/// is stopped and no other rank is left to notice. Cannot be taken back. Does nothing where the
/// system has no timers left.
void kill_this_process_after(std::chrono::duration<double> time) noexcept {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGKILL;
  timer_t timer{};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(time - seconds);
  const itimerspec once{.it_interval = {},
                        .it_value = {.tv_sec = seconds.count(), .tv_nsec = rest.count()}};
  timer_settime(timer, 0, &once, nullptr);
}

}  // namespace

Watchdog::Watchdog(const TerminationSignal& signal, double limit_seconds, const Launch& launch)
    : limit_seconds_(limit_seconds),
      signal_(signal),
      launch_(launch),
      host_(machine_name()),
      activity_(activity::kStartsMpi),
      allowance_seconds_(start_allowance(launch.ranks)),
      wake_descriptor_(eventfd(0, EFD_CLOEXEC)),
      thread_(hpcx::start_thread("the watchdog",
                                 [this](const std::stop_token& stop) { watch(stop); })) {}

Watchdog::~Watchdog() {
  thread_.request_stop();
  wake();
  thread_.join();
  close(wake_descriptor_);
}

Watchdog::Ranks::Ranks(Watchdog& watchdog, const mpi::Communicator& world,
                       mpi::ThreadLevel thread_level)
    : watchdog_(watchdog), world_(world) {
  {
    // An end that this rank has begun alone goes on: the others would wait for its answer.
    const std::lock_guard asking(watchdog.asking_);
    watchdog.soon_asking_ = true;
  }
  watchdog.enter("prepares the job", kSetUpAllowance);
  const std::string host = mpi::host_name();
  std::array<char, 64> name{};
  host.copy(name.data(), name.size() - 1);
  std::vector<RankLocation> places;
  for (const auto& each : world.all_gather(name))
    places.push_back({each.data(), {}});
  std::optional<mpi::SideChannel> channel;
  if (thread_level == mpi::ThreadLevel::Multiple) channel.emplace(world);

  const std::lock_guard asking(watchdog.asking_);
  {
    const std::lock_guard lock(watchdog.mutex_);
    watchdog.launch_ = {.rank = world.rank(), .ranks = world.size()};
    watchdog.host_ = host;
    watchdog.places_ = std::move(places);
  }
  watchdog.channel_ = std::move(channel);
  watchdog.hang_diagnosis_ = std::make_unique<HangDiagnosis>(
      HangDiagnosis::Context{.rank = world.rank(),
                             .limit_seconds = watchdog.limit_seconds_,
                             .channel = watchdog.channel_ ? &*watchdog.channel_ : nullptr,
                             .state = [&watchdog] { return watchdog.state(); },
                             .rests =
                                 [&watchdog] {
                                   const std::lock_guard lock(watchdog.mutex_);
                                   return watchdog.resting_;
                                 },
                             .places =
                                 [&watchdog] {
                                   const std::lock_guard lock(watchdog.mutex_);
                                   return watchdog.places_;
                                 },
                             .signalled = [&watchdog] { return watchdog.take_signal(); },
                             .on_end = [&watchdog](const BadEnd& end) { watchdog.report(end); }});
}

Watchdog::Ranks::~Ranks() {
  std::cout.flush();  // a rank that waits in vain ends without flushing
  std::fflush(nullptr);
  const double allowance = end_allowance(watchdog_.launch_.ranks);
  watchdog_.enter("waits for the end of the job", allowance);
  try {
    world_.barrier();
  } catch (const std::exception& e) {
    watchdog_.fail(e.what());
  }
  // All ranks have come this far. Nobody is left to notice one that stops from here on.
  if (const double limit = watchdog_.limit_seconds_; limit > 0)
    kill_this_process_after(std::chrono::duration<double>(limit + allowance) +
                            std::chrono::duration<double>(courtesy(world_.rank())) +
                            kUntilTheKernelActs);
  std::optional<mpi::SideChannel> channel;
  const std::lock_guard asking(watchdog_.asking_);
  watchdog_.enter(activity::kEndsMpi, allowance);
  watchdog_.hang_diagnosis_.reset();
  channel.swap(watchdog_.channel_);
  // MPI frees it when the thread is at large again, watching.
}

void Watchdog::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_descriptor_, &one, sizeof one);
}

void Watchdog::enter(const std::string& what, double allowance_seconds) {
  const std::lock_guard lock(mutex_);
  activity_ = what;
  since_ = Clock::now();
  allowance_seconds_ = allowance_seconds;
  resting_ = false;
}

void Watchdog::rest(const std::string& what) {
  enter(what);
  const std::lock_guard lock(mutex_);
  resting_ = true;
}

void Watchdog::on_bad_end(std::function<void(const BadEnd&)> receiver) {
  const std::lock_guard asking(asking_);  // an end that has begun is reported
  const std::lock_guard lock(reporting_);
  receiver_ = std::move(receiver);
}

void Watchdog::fail(const std::string& what) {
  {
    const std::lock_guard lock(mutex_);
    failure_ = what;
  }
  wake();
  thread_.join();  // it ends the process
  std::_Exit(static_cast<int>(ExitCode::Broken));
}

std::string Watchdog::activity() const {
  const std::lock_guard lock(mutex_);
  return activity_;
}

double Watchdog::silent_seconds(Clock::time_point now) const {
  auto silent = now - since_;
  if (control_ != nullptr) silent = std::min<Clock::duration>(silent, control_->since_last_beat());
  return std::chrono::duration<double>(stops_.counted(silent, now)).count();
}

RankState Watchdog::state() const {
  const std::lock_guard lock(mutex_);
  RankState state{.rank = launch_.rank,
                  .host = host_,
                  .activity = activity_,
                  .run = run_,
                  .rests = resting_,
                  .silent_seconds = silent_seconds(Clock::now()),
                  .allowance_seconds = allowance_seconds_,
                  .failure = failure_,
                  .workers = last_workers_};
  if (control_ != nullptr && activity_ == kFactorizes) state.workers = control_->workers();
  return state;
}

void Watchdog::report(const BadEnd& end) {
  const std::lock_guard lock(reporting_);
  if (receiver_ && !reported_) receiver_(end);
  reported_ = true;
}

bool Watchdog::take_signal() {
  const std::optional<SignalSender> sender = signal_.take();
  if (sender) sender_ = sender;
  return sender.has_value();
}

bool Watchdog::signal_is_due(Clock::time_point now) {
  if (take_signal()) signalled_ = now;
  if (!signalled_) return false;
  const bool soon = soon_asking_ && !hang_diagnosis_ && sender_ != SignalSender::Launcher;
  return !soon || now >= *signalled_ + kUntilTheyCanAsk;
}

std::optional<AbortCause> Watchdog::cause_elsewhere(Clock::time_point now) {
  try {
    if (const auto cause = hang_diagnosis_->heard()) return cause;
    const bool in_vain =
        limit_seconds_ > 0 && hang_diagnosis_->waits_in_vain(!stops_.just_let_go(now));
    return in_vain ? std::optional(AbortCause::Stall) : std::nullopt;
  } catch (const std::exception& e) {
    const std::lock_guard lock(mutex_);
    failure_ = e.what();
    return AbortCause::Failure;
  }
}

std::string Watchdog::lasting_trouble(Clock::time_point now) {
  const std::string what = trouble_ ? trouble_() : std::string();
  if (what.empty()) {
    troubled_.reset();
    return {};
  }
  if (!troubled_) troubled_ = now;
  return now - *troubled_ >= kUntilTheLauncherActs ? what : std::string();
}

std::optional<AbortCause> Watchdog::own_cause(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) failure_ = lasting_trouble(now);
  if (!failure_.empty()) return AbortCause::Failure;
  if (signal_is_due(now)) return AbortCause::Signal;
  const bool watched = limit_seconds_ > 0 && !resting_;
  const double courtesy_seconds = hang_diagnosis_ ? 0 : courtesy(launch_.rank);
  if (watched && silent_seconds(now) >= limit_seconds_ + allowance_seconds_ + courtesy_seconds)
    return AbortCause::Stall;
  return std::nullopt;
}

bool Watchdog::sleep(std::chrono::milliseconds pause) const {
  std::array<pollfd, 2> ends{pollfd{wake_descriptor_, POLLIN, 0},
                             pollfd{signal_.descriptor(), POLLIN, 0}};
  poll(ends.data(), ends.size(), static_cast<int>(pause.count()));
  return (ends[0].revents & POLLIN) != 0;
}

void Watchdog::watch(const std::stop_token& stop) {
  // Looks often where the limit is short.
  const auto pause = std::min(
      kPause, std::chrono::milliseconds(std::max<std::int64_t>(
                  1, static_cast<std::int64_t>(limit_seconds_ > 0 ? 250 * limit_seconds_ : 1000))));
  while (true) {
    // MPI goes on with old messages when it is looked at, and may not live long.
    const bool closely = signalled_ || stops_.just_let_go(Clock::now());
    sleep(closely ? std::min(pause, kListenPause) : pause);
    if (stop.stop_requested()) return;
    act();
  }
}

void Watchdog::act() {
  const std::lock_guard asking(asking_);
  const auto now = Clock::now();
  stops_.look(now);
  std::optional<AbortCause> cause = own_cause(now);
  if (!cause && hang_diagnosis_) cause = cause_elsewhere(now);
  if (!cause) return;
  // The launcher sends SIGTERM when another rank has ended. A dead rank sends no message. A
  // rank that found this one stopped has reported it already, as has one that could not ask.
  const bool reported = cause == AbortCause::Signal && sender_ == SignalSender::Launcher &&
                        launch_.ranks > 1 && (!hang_diagnosis_ || stops_.just_let_go(now));
  if (hang_diagnosis_ && !reported) hang_diagnosis_->end_job(*cause);
  end_alone(*cause, reported);
}

bool Watchdog::launcher_ends_this_rank() {
  const auto until = Clock::now() + std::chrono::duration<double>(courtesy(launch_.rank));
  bool woken = false;
  while (!woken && Clock::now() < until && sender_ != SignalSender::Launcher) {
    woken = sleep(kPause);
    take_signal();
  }
  return sender_ == SignalSender::Launcher;
}

void Watchdog::end_alone(AbortCause cause, bool reported) {
  const std::string message = describe_lone_abort(cause, state(), limit_seconds_);
  // A batch system may signal all ranks at once.
  if (!reported && cause == AbortCause::Signal && launch_.ranks > 1)
    reported = launcher_ends_this_rank();
  if (!reported) write_at_end("xhpl: " + message + "\n");
  try {
    const auto until = Clock::now() + kListenTime;
    for (; hang_diagnosis_ && !reported_ && Clock::now() < until;
         std::this_thread::sleep_for(kListenPause))
      hang_diagnosis_->heard();
  } catch (const std::exception&) {  // MPI is of no use any more
  }
  report({cause, message});  // unless another rank has reported more
  std::_Exit(static_cast<int>(ExitCode::Broken));
}

Watchdog::Run::Run(Watchdog& watchdog, Watched run) : watchdog_(watchdog) {
  struct Member {
    int rank;
    GridPosition position;
  };
  const auto members = run.ranks.all_gather(Member{watchdog.launch_.rank, run.position});
  const std::lock_guard lock(watchdog.mutex_);
  for (const Member& member : members)
    watchdog.places_[member.rank].position = member.position;
  watchdog.control_ = &run.control;
  watchdog.trouble_ = std::move(run.trouble);
  watchdog.run_ = std::move(run.label);
}

Watchdog::Run::~Run() {
  const std::lock_guard lock(watchdog_.mutex_);
  watchdog_.trouble_ = {};
  if (std::uncaught_exceptions() > 0) {
    watchdog_.last_workers_ = watchdog_.control_->workers();
    watchdog_.control_ = nullptr;
    return;
  }
  for (RankLocation& place : watchdog_.places_)
    place.position.reset();
  watchdog_.control_ = nullptr;
  watchdog_.run_.clear();
}

}  // namespace hpl
