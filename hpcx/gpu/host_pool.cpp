#include "gpu/host_pool.h"

#include <algorithm>

#include "hpcx/thread.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

HostPool::HostPool(int helpers, const std::function<void(int)>& on_start) {
  threads_ = start_threads(helpers, "a thread that helps the host", [this, on_start](int number) {
    if (on_start) on_start(number + 1);
    help();
  });
}

HostPool::~HostPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
}

void HostPool::take_part(Loop& loop) {
  try {
    for (std::int64_t i; (i = loop.next.fetch_add(1)) < loop.count;)
      loop.body(i);
  } catch (...) {
    loop.next.store(loop.count);
    const std::lock_guard lock(mutex_);
    if (!loop.failure) loop.failure = std::current_exception();
  }
}

void HostPool::help() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto open = std::find_if(loops_.begin(), loops_.end(),
                                   [](Loop* loop) { return loop->next.load() < loop->count; });
    if (open != loops_.end()) {
      Loop& loop = **open;
      ++loop.helpers;
      lock.unlock();
      take_part(loop);
      lock.lock();
      if (--loop.helpers == 0) left_.notify_all();
    } else if (stopping_) {
      return;
    } else {
      work_.wait(lock);
    }
  }
}

void HostPool::run(std::int64_t count, const std::function<void(std::int64_t)>& body) {
  if (count <= 1 || threads_.empty()) {
    for (std::int64_t i = 0; i < count; ++i)
      body(i);
    return;
  }
  Loop loop{.count = count, .body = body};
  {
    const std::lock_guard lock(mutex_);
    loops_.push_back(&loop);
  }
  work_.notify_all();
  take_part(loop);
  std::unique_lock lock(mutex_);
  std::erase(loops_, &loop);
  left_.wait(lock, [&] { return loop.helpers == 0; });
  if (loop.failure) std::rethrow_exception(loop.failure);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
