#include "hpl/app/watchdog.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <utility>

#include "hpl/mpi/failure.h"
#include "inquest.h"

namespace hpl {

namespace {

/// How soon a rank answers another one. Two system calls each time.
constexpr std::chrono::milliseconds kPause{100};

}  // namespace

Watchdog::Watchdog(const mpi::Communicator& world, const TerminationSignal& signal,
                   const WatchdogSettings& settings)
    : limit_seconds_(settings.limit_seconds),
      signal_(signal),
      rank_(world.rank()),
      host_(mpi::host_name()),
      places_(static_cast<std::size_t>(world.size())),
      activity_("prepares the job"),
      wake_descriptor_(eventfd(0, EFD_CLOEXEC)) {
  std::array<char, 64> name{};
  host_.copy(name.data(), name.size() - 1);
  const auto names = world.all_gather(name);
  for (std::size_t rank = 0; rank < names.size(); ++rank)
    places_[rank].host = names[rank].data();
  if (settings.thread_level == mpi::ThreadLevel::Multiple) channel_.emplace(world);
  thread_ = std::jthread([this] { watch(); });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  wake();
  thread_.join();
  close(wake_descriptor_);
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

void Watchdog::on_bad_end(std::function<void(const std::string&)> tell) {
  const std::lock_guard lock(telling_);
  tell_ = std::move(tell);
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

double Watchdog::silent_seconds() const {
  auto silent = Clock::now() - since_;
  if (control_ != nullptr) silent = std::min<Clock::duration>(silent, control_->since_last_beat());
  return std::chrono::duration<double>(silent).count();
}

RankState Watchdog::state() const {
  const std::lock_guard lock(mutex_);
  RankState state{.rank = rank_,
                  .host = host_,
                  .activity = activity_,
                  .run = run_,
                  .silent_seconds = silent_seconds(),
                  .failure = failure_,
                  .workers = last_workers_};
  if (control_ != nullptr && activity_ == kFactorizes) state.workers = control_->workers();
  return state;
}

std::optional<EndCause> Watchdog::own_cause() const {
  const std::lock_guard lock(mutex_);
  if (!failure_.empty()) return EndCause::Failure;
  if (signal_.take()) return EndCause::Signal;
  const bool watched = limit_seconds_ > 0 && !resting_;
  if (watched && silent_seconds() >= limit_seconds_ + allowance_seconds_) return EndCause::Stall;
  return std::nullopt;
}

bool Watchdog::sleep(std::chrono::milliseconds pause) const {
  std::array<pollfd, 2> ends{pollfd{wake_descriptor_, POLLIN, 0},
                             pollfd{signal_.descriptor(), POLLIN, 0}};
  poll(ends.data(), ends.size(), static_cast<int>(pause.count()));
  const std::lock_guard lock(mutex_);
  return finished_;
}

void Watchdog::watch() {
  // A short limit is watched closely.
  const auto pause = std::min(
      kPause, std::chrono::milliseconds(std::max<std::int64_t>(
                  1, static_cast<std::int64_t>(limit_seconds_ > 0 ? 250 * limit_seconds_ : 1000))));
  const auto places = [this] {
    const std::lock_guard lock(mutex_);
    return places_;
  };
  Inquest inquest({.rank = rank_,
                   .limit_seconds = limit_seconds_,
                   .channel = channel_ ? &*channel_ : nullptr,
                   .state = [this] { return state(); },
                   .places = places,
                   .signalled = [this] { return signal_.take(); },
                   .told =
                       [this](const std::string& message) {
                         const std::lock_guard lock(telling_);
                         if (tell_) tell_(message);
                       }});
  while (!sleep(pause)) {
    std::optional<EndCause> cause = own_cause();
    if (!cause) cause = inquest.heard();
    if (cause) inquest.end_job(*cause);
  }
}

Watchdog::Run::Run(Watchdog& watchdog, const JobControl& control, const mpi::Communicator& ranks,
                   const GridPosition& position, const std::string& label)
    : watchdog_(watchdog) {
  struct Member {
    int rank;
    GridPosition position;
  };
  const auto members = ranks.all_gather(Member{watchdog.rank_, position});
  const std::lock_guard lock(watchdog.mutex_);
  for (const Member& member : members)
    watchdog.places_[static_cast<std::size_t>(member.rank)].position = member.position;
  watchdog.control_ = &control;
  watchdog.run_ = label;
}

Watchdog::Run::~Run() {
  const std::lock_guard lock(watchdog_.mutex_);
  if (std::uncaught_exceptions() > 0) {
    watchdog_.last_workers_ = watchdog_.control_->workers();
    watchdog_.control_ = nullptr;
    return;
  }
  for (RankPlace& place : watchdog_.places_)
    place.position.reset();
  watchdog_.control_ = nullptr;
  watchdog_.run_.clear();
}

}  // namespace hpl
