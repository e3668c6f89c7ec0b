#pragma once

#include <mpi.h>
#include <atomic>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "hpl/comm/mpi/unique_handle.h"

namespace hpl::mpi {

/// Operations that make one value of those of several ranks.
enum class Reduce { Max, Min, Sum };

/// A type that crosses ranks as raw bytes. All ranks run the same executable on the same kind of
/// machine.
template <class T>
concept Transferable = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>;

/// A group of ranks with a message space of its own. Owned, move-only, freed with the object.
/// One thread uses it at a time: a second thread gets a dup(). Every failure throws RunError.
///
/// The collectives are for small data outside the workers. They wait by polling, then sleeping, so
/// that ranks that share cores do not starve each other.
class Communicator {
 public:
  /// All ranks of the job. Collective over all ranks.
  static Communicator world();

  int rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm handle() const { return handle_.get(); }

  /// The tag of the operation with this number (>= 0): numbers wrap at MPI's upper bound, so
  /// operations may be counted for ever as long as those in flight together are closer than that
  /// (at least 32767).
  int tag(std::int64_t operation) const { return static_cast<int>(operation % tag_count_); }

  /// Same ranks, separate messages. Collective.
  Communicator dup() const;
  /// The ranks of the same color (>= 0), ordered by key, then by rank here. Collective.
  Communicator split(int color, int key) const;
  /// The ranks with `member`, ordered by key; empty on the others. Collective over all ranks of
  /// this one.
  std::optional<Communicator> subset(bool member, int key) const;
  /// The ranks on this rank's node, ordered as here. Collective.
  Communicator split_shared() const;

  /// Bytes of point-to-point messages that were to arrive here, on this communicator and on all
  /// that were derived from it by dup() and the splits; a subset() counts its own.
  std::int64_t received_bytes() const { return received_->load(std::memory_order_relaxed); }
  void count_received(std::int64_t bytes) const {
    received_->fetch_add(bytes, std::memory_order_relaxed);
  }

  /// Collective.
  void barrier() const;

  /// Element by element over all ranks, result on every rank. Collective, same length on every
  /// rank.
  void all_reduce(std::span<double> values, Reduce how) const;
  void all_reduce(std::span<std::int64_t> values, Reduce how) const;
  /// One value a rank. Collective.
  double all_reduce(double value, Reduce how) const;
  std::int64_t all_reduce(std::int64_t value, Reduce how) const;
  std::int64_t all_reduce(int value, Reduce how) const {
    return all_reduce(std::int64_t{value}, how);
  }

  /// Values in rank order on root, empty elsewhere. Collective.
  template <Transferable T>
  std::vector<T> gather(const T& value, int root) const {
    std::vector<T> all(rank_ == root ? static_cast<std::size_t>(size_) : 0);
    gather_bytes(std::as_bytes(std::span(&value, 1)), all.data(), root);
    return all;
  }
  /// Texts of any length in rank order on root, empty elsewhere. Collective.
  std::vector<std::string> gather_text(const std::string& text, int root) const;

  /// Values in rank order on every rank. Collective.
  template <Transferable T>
  std::vector<T> all_gather(const T& value) const {
    std::vector<T> all(static_cast<std::size_t>(size_));
    all_gather_bytes(std::as_bytes(std::span(&value, 1)), all.data());
    return all;
  }
  /// Texts of any length in rank order on every rank. Collective.
  std::vector<std::string> all_gather_text(const std::string& text) const;

  /// values[r] goes to rank r; returns the values for this rank, in rank order. One value for each
  /// rank. Collective.
  template <Transferable T>
  std::vector<T> all_to_all(const std::vector<T>& values) const {
    std::vector<T> all(values.size());
    all_to_all_bytes(std::as_bytes(std::span(values)), all.data());
    return all;
  }

  /// Root's bytes to every rank; the same length, of any size, on every rank. Collective.
  void broadcast(std::span<std::byte> bytes, int root) const;
  /// Root's text, whatever the others pass. Collective.
  std::string broadcast(const std::string& text, int root) const;
  /// Root's value. Collective.
  template <Transferable T>
  T broadcast_value(T value, int root) const {
    broadcast(std::as_writable_bytes(std::span(&value, 1)), root);
    return value;
  }

 private:
  struct Traits {
    using Handle = MPI_Comm;
    static Handle null() noexcept { return MPI_COMM_NULL; }
    static void release(Handle handle) noexcept;
  };

  using Counter = std::shared_ptr<std::atomic<std::int64_t>>;

  explicit Communicator(MPI_Comm owned, Counter received = {});
  void gather_bytes(std::span<const std::byte> value, void* all, int root) const;
  void all_gather_bytes(std::span<const std::byte> value, void* all) const;
  void all_to_all_bytes(std::span<const std::byte> values, void* all) const;

  UniqueHandle<Traits> handle_;
  int rank_ = 0;
  int size_ = 0;
  std::int64_t tag_count_ = 0;
  Counter received_;
};

}  // namespace hpl::mpi
