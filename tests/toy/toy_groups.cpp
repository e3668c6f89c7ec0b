#include "toy_groups.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hpcx/error.h"
#include "toy_memory.h"
#include "toy_operations.h"

namespace hpcx::toy {

namespace {

using std::filesystem::path;

/// A message is complete when it has its name.
void send(const path& name, const std::byte* data, std::size_t bytes) {
  const path draft = name.string() + ".draft";
  std::ofstream(draft, std::ios::binary)
      .write(reinterpret_cast<const char*>(real(data)), static_cast<std::streamsize>(bytes));
  std::filesystem::rename(draft, name);
}

void receive(const path& name, std::byte* data, std::size_t bytes) {
  while (!std::filesystem::exists(name))
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  if (std::filesystem::file_size(name) != bytes) throw Error(name.string() + ": another length");
  std::ifstream(name, std::ios::binary)
      .read(reinterpret_cast<char*>(real(data)), static_cast<std::streamsize>(bytes));
  std::filesystem::remove(name);
}

class ToyGroup final : public DeviceGroup {
 public:
  ToyGroup(path name, int rank, int size, std::shared_ptr<void> memory)
      : name_(std::move(name)), rank_(rank), size_(size), memory_(std::move(memory)) {}

  void exchange(StreamRef stream, std::span<const DeviceMessage> messages) override {
    std::vector<DeviceMessage> sends, receives;
    std::vector<path> to, from;
    if (greeted_ && messages.empty()) return;
    const bool greeting = !greeted_;
    if (greeting) greeted_.emplace();
    for (const DeviceMessage& message : messages) {
      if (greeting) greeted_->insert(message.peer);
      if (!greeted_->contains(message.peer))
        throw Error("rank " + std::to_string(rank_) + " of " + std::to_string(size_) +
                    " has no connection with rank " + std::to_string(message.peer));
      const bool is_send = message.direction == DeviceMessage::Direction::Send;
      (is_send ? sends : receives).push_back(message);
      (is_send ? to : from)
          .push_back(is_send ? next(rank_, message.peer) : next(message.peer, rank_));
    }
    enqueue(stream, [=] {
      for (std::size_t i = 0; i < sends.size(); ++i)
        send(to[i], sends[i].data, sends[i].bytes);
      for (std::size_t i = 0; i < receives.size(); ++i)
        receive(from[i], receives[i].data, receives[i].bytes);
    });
  }

  void broadcast(StreamRef stream, void* data, std::size_t bytes, int root) override {
    auto* const memory = static_cast<std::byte*>(data);
    if (rank_ != root) {
      enqueue(stream, [=, from = next(root, rank_)] { receive(from, memory, bytes); });
      return;
    }
    std::vector<path> to;
    for (int peer = 0; peer < size_; ++peer)
      if (peer != rank_) to.push_back(next(rank_, peer));
    enqueue(stream, [=] {
      for (const path& name : to)
        send(name, memory, bytes);
    });
  }

 private:
  /// Messages between two members are numbered as they are enqueued.
  path next(int from, int to) {
    const std::string ends = std::to_string(from) + "-" + std::to_string(to);
    return name_.string() + "-" + ends + "-" + std::to_string(numbers_[ends]++);
  }

  path name_;
  int rank_, size_;
  std::shared_ptr<void> memory_;
  std::map<std::string, int> numbers_;
  std::optional<std::set<int>> greeted_;
};

class FileInterconnect final : public ToyInterconnect {
 public:
  explicit FileInterconnect(path directory) : directory_(std::move(directory)) {
    if (const char* most = std::getenv("TOY_GROUPS_MOST")) left_ = std::atoi(most);
    if (const char* bytes = std::getenv("TOY_GROUP_BYTES")) bytes_of_each_ = std::atoll(bytes);
  }

  std::int64_t bytes() const override { return *taken_; }
  std::string library() const override { return "files"; }
  std::string why_no_groups() const override { return {}; }
  GroupId new_group() override {
    const std::string name = std::to_string(getpid()) + "-" + std::to_string(named_++);
    GroupId id{};
    std::memcpy(id.data(), name.data(), name.size());
    return id;
  }
  std::unique_ptr<DeviceGroup> join(const GroupId& id, int rank, int size) override {
    if (left_-- == 0) throw Error("the toy joins no further group");
    *taken_ += bytes_of_each_;
    const std::shared_ptr<void> memory(
        taken_.get(), [taken = taken_, bytes = bytes_of_each_](void*) { *taken -= bytes; });
    return std::make_unique<ToyGroup>(directory_ / reinterpret_cast<const char*>(id.data()), rank,
                                      size, memory);
  }
  MemoryHandle export_memory(const Buffer&) override { refuse(); }
  Buffer import_memory(const MemoryHandle&) override { refuse(); }
  std::unique_ptr<SharedEvent> create_event(EventHandle&) override { refuse(); }
  std::unique_ptr<SharedEvent> import_event(const EventHandle&) override { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw Error("the toy's memory is its own"); }

  path directory_;
  int left_ = 1000;
  std::int64_t bytes_of_each_ = 0;
  std::shared_ptr<std::int64_t> taken_ = std::make_shared<std::int64_t>(0);
  int named_ = 0;
};

}  // namespace

std::unique_ptr<ToyInterconnect> make_interconnect() {
  const char* const directory = std::getenv("TOY_GROUPS");
  if (directory == nullptr) return nullptr;
  std::filesystem::create_directories(directory);
  return std::make_unique<FileInterconnect>(directory);
}

}  // namespace hpcx::toy
