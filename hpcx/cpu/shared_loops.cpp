#include "cpu/shared_loops.h"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "hpcx/thread.h"

namespace hpcx::cpu {

namespace {

constexpr std::int64_t kBits = 64;  // of a word
thread_local int number_of_thread = 0;

}  // namespace

std::int64_t SharedLoops::runs_of(std::int64_t count) {
  return std::min(count, static_cast<std::int64_t>(kWords) * kBits);
}

void SharedLoops::set_own_number(int number) {
  number_of_thread = number;
}

int SharedLoops::own_number() const {
  return number_of_thread % threads_;
}

bool SharedLoops::Slot::open() const {
  return phase.load() % 2 == 1 &&  // not before what the caller has just said of itself
         std::ranges::any_of(
             left, [](const auto& word) { return word.load(std::memory_order_relaxed) != 0; });
}

std::int64_t SharedLoops::Slot::take_run(std::int64_t begin) {
  for (std::size_t w = 0; w < kWords; ++w) {
    const std::size_t at = (static_cast<std::size_t>(begin / kBits) + w) % kWords;
    const auto first = static_cast<int>(w == 0 ? begin % kBits : 0);
    std::atomic<std::uint64_t>& word = left[at];
    while (const std::uint64_t free = word.load(std::memory_order_relaxed)) {
      const std::int64_t number = (std::countr_zero(std::rotr(free, first)) + first) % kBits;
      const std::uint64_t bit = std::uint64_t{1} << number;
      if ((word.fetch_and(~bit, std::memory_order_relaxed) & bit) != 0)
        return static_cast<std::int64_t>(at) * kBits + number;
    }
  }
  return -1;
}

std::int64_t SharedLoops::distance(int owner, int number) const {
  return (number - owner + threads_) % threads_;
}

bool SharedLoops::has_part(int number, std::int64_t count) const {
  return distance(own_number(), number) < count;
}

bool SharedLoops::open(const Slot& slot) const {
  return slot.open() && distance(slot.owner, own_number()) < slot.count;
}

bool SharedLoops::help(Slot& slot) {
  const std::uint64_t seen = slot.phase.load(std::memory_order_acquire);
  if (!open(slot)) return false;
  slot.inside.fetch_add(1);
  const bool same = seen % 2 == 1 && slot.phase.load() == seen;
  if (same) take_part(slot);
  slot.inside.fetch_sub(1, std::memory_order_release);
  return same;
}

void SharedLoops::take_part(Slot& slot) {
  const std::int64_t iterations = slot.count, runs = runs_of(iterations);
  const std::int64_t own =
      distance(slot.owner, own_number()) * runs / std::min<std::int64_t>(threads_, runs);
  try {
    for (std::int64_t run; (run = slot.take_run(own)) >= 0;)
      for (std::int64_t i = run * iterations / runs; i < (run + 1) * iterations / runs; ++i)
        (*slot.body)(i);
  } catch (...) {
    for (auto& word : slot.left)
      word.store(0, std::memory_order_relaxed);
    if (!slot.failed.exchange(true)) slot.failure = std::current_exception();
  }
}

SharedLoops::Slot* SharedLoops::take_slot() {
  const auto free = std::ranges::find_if(slots_, [](Slot& slot) {
    return !slot.taken.load(std::memory_order_relaxed) &&
           !slot.taken.exchange(true, std::memory_order_acquire);
  });
  return free == slots_.end() ? nullptr : &*free;
}

void SharedLoops::run(std::int64_t count, const Body& body,
                      const std::function<void()>& published) {
  Slot* const slot = count < 2 ? nullptr : take_slot();
  if (slot == nullptr) {
    for (std::int64_t i = 0; i < count; ++i)
      body(i);
    return;
  }
  slot->body = &body;
  slot->count.store(count, std::memory_order_relaxed);
  slot->owner.store(own_number(), std::memory_order_relaxed);
  for (std::size_t w = 0; w < kWords; ++w) {
    const std::int64_t runs =
        std::clamp<std::int64_t>(runs_of(count) - static_cast<std::int64_t>(w) * kBits, 0, kBits);
    slot->left[w].store(runs == 0 ? 0 : ~std::uint64_t{0} >> (kBits - runs),
                        std::memory_order_relaxed);
  }
  slot->phase.fetch_add(1);
  published();
  take_part(*slot);
  slot->phase.fetch_add(1);
  constexpr int kPauses = 4096;  // then whoever is inside may be waiting for this core
  for (int i = 0; slot->inside.load() != 0; ++i)
    if (i < kPauses)
      pause_core();
    else
      sched_yield();
  slot->failed.store(false, std::memory_order_relaxed);
  const std::exception_ptr failure = std::exchange(slot->failure, nullptr);
  slot->taken.store(false, std::memory_order_release);
  if (failure) std::rethrow_exception(failure);
}

bool SharedLoops::open() const {
  return std::ranges::any_of(slots_, [this](const Slot& slot) { return open(slot); });
}

bool SharedLoops::help() {
  bool helped = false;
  for (Slot& slot : slots_)
    helped |= help(slot);
  return helped;
}

}  // namespace hpcx::cpu
