#include "hpl/comm/mpi/communicator.h"

#include <numeric>
#include <utility>

#include "check.h"
#include "collective_wait.h"
#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/request.h"

namespace hpl::mpi {
namespace {

void finish(MPI_Request request) {
  wait_until(kCollectiveWait, [&] {
    int done = 0;
    HPL_MPI_CHECK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    return done != 0;
  });
}

MPI_Op to_mpi(Reduce how) {
  switch (how) {
    case Reduce::Max:
      return MPI_MAX;
    case Reduce::Min:
      return MPI_MIN;
    case Reduce::Sum:
      return MPI_SUM;
  }
  return MPI_OP_NULL;
}

template <class T>
void reduce_in_place(MPI_Comm comm, std::span<T> values, MPI_Datatype type, Reduce how) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int count = narrow_to_int(std::ssize(values));
  HPL_MPI_CHECK(
      MPI_Iallreduce(MPI_IN_PLACE, values.data(), count, type, to_mpi(how), comm, &request));
  finish(request);
}

// The bound belongs to the world communicator; derived ones need not answer.
std::int64_t query_tag_count() {
  void* bound = nullptr;
  int found = 0;
  HPL_MPI_CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found));
  constexpr std::int64_t kGuaranteed = 32767;
  return found != 0 ? std::int64_t{*static_cast<int*>(bound)} : kGuaranteed;
}

std::vector<std::string> cut(const std::string& joined, const std::vector<int>& lengths) {
  std::vector<std::string> texts;
  std::size_t begin = 0;
  for (const int length : lengths) {
    texts.push_back(joined.substr(begin, static_cast<std::size_t>(length)));
    begin += static_cast<std::size_t>(length);
  }
  return texts;
}

}  // namespace

void Communicator::Traits::release(MPI_Comm handle) noexcept {
  int finalized = 0;
  if (MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0) MPI_Comm_free(&handle);
}

Communicator::Communicator(MPI_Comm owned, Counter received)
    : handle_(owned),
      tag_count_(query_tag_count()),
      received_(received ? std::move(received) : std::make_shared<std::atomic<std::int64_t>>(0)) {
  HPL_MPI_CHECK(MPI_Comm_rank(owned, &rank_));
  HPL_MPI_CHECK(MPI_Comm_size(owned, &size_));
}

Communicator Communicator::world() {
  MPI_Comm copy = MPI_COMM_NULL;
  HPL_MPI_CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  return Communicator(copy);
}

Communicator Communicator::dup() const {
  MPI_Comm copy = MPI_COMM_NULL;
  HPL_MPI_CHECK(MPI_Comm_dup(handle(), &copy));
  return Communicator(copy, received_);
}

Communicator Communicator::split(int color, int key) const {
  MPI_Comm part = MPI_COMM_NULL;
  HPL_MPI_CHECK(MPI_Comm_split(handle(), color, key, &part));
  return Communicator(part, received_);
}

std::optional<Communicator> Communicator::subset(bool member, int key) const {
  MPI_Comm part = MPI_COMM_NULL;
  HPL_MPI_CHECK(MPI_Comm_split(handle(), member ? 0 : MPI_UNDEFINED, key, &part));
  if (part == MPI_COMM_NULL) return std::nullopt;
  return Communicator(part);
}

Communicator Communicator::split_shared() const {
  MPI_Comm node = MPI_COMM_NULL;
  HPL_MPI_CHECK(MPI_Comm_split_type(handle(), MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node));
  return Communicator(node, received_);
}

void Communicator::barrier() const {
  MPI_Request request = MPI_REQUEST_NULL;
  HPL_MPI_CHECK(MPI_Ibarrier(handle(), &request));
  finish(request);
}

void Communicator::all_reduce(std::span<double> values, Reduce how) const {
  reduce_in_place(handle(), values, MPI_DOUBLE, how);
}

void Communicator::all_reduce(std::span<std::int64_t> values, Reduce how) const {
  reduce_in_place(handle(), values, MPI_INT64_T, how);
}

double Communicator::all_reduce(double value, Reduce how) const {
  all_reduce(std::span(&value, 1), how);
  return value;
}

std::int64_t Communicator::all_reduce(std::int64_t value, Reduce how) const {
  all_reduce(std::span(&value, 1), how);
  return value;
}

void Communicator::gather_bytes(std::span<const std::byte> value, void* all, int root) const {
  const int length = narrow_to_int(std::ssize(value));
  MPI_Request request = MPI_REQUEST_NULL;
  HPL_MPI_CHECK(
      MPI_Igather(value.data(), length, MPI_BYTE, all, length, MPI_BYTE, root, handle(), &request));
  finish(request);
}

// MPI_Iallgather of Open MPI 4.1 sends size - 1 messages on every rank. A gather and a broadcast
// send at most 1 + log2(size).
void Communicator::all_gather_bytes(std::span<const std::byte> value, void* all) const {
  constexpr int kRoot = 0;
  gather_bytes(value, all, kRoot);
  broadcast({static_cast<std::byte*>(all), value.size() * static_cast<std::size_t>(size_)}, kRoot);
}

void Communicator::all_to_all_bytes(std::span<const std::byte> values, void* all) const {
  HPL_ASSERT(std::ssize(values) % size_ == 0);
  const int length = narrow_to_int(std::ssize(values) / size_);
  MPI_Request request = MPI_REQUEST_NULL;
  HPL_MPI_CHECK(
      MPI_Ialltoall(values.data(), length, MPI_BYTE, all, length, MPI_BYTE, handle(), &request));
  finish(request);
}

std::vector<std::string> Communicator::gather_text(const std::string& text, int root) const {
  // Every rank checks, so that a refusal is collective.
  narrow_to_int(all_reduce(std::int64_t{std::ssize(text)}, Reduce::Sum));
  const int length = static_cast<int>(text.size());
  const std::vector<int> lengths = gather(length, root);
  std::vector<int> starts(lengths.size(), 0);
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
  std::string joined(lengths.empty() ? 0 : static_cast<std::size_t>(starts.back() + lengths.back()),
                     '\0');

  MPI_Request request = MPI_REQUEST_NULL;
  HPL_MPI_CHECK(MPI_Igatherv(text.data(), length, MPI_CHAR, joined.data(), lengths.data(),
                             starts.data(), MPI_CHAR, root, handle(), &request));
  finish(request);
  return cut(joined, lengths);
}

std::vector<std::string> Communicator::all_gather_text(const std::string& text) const {
  constexpr int kRoot = 0;
  std::vector<int> lengths(static_cast<std::size_t>(size_));
  std::string joined;
  const std::vector<std::string> gathered = gather_text(text, kRoot);
  for (std::size_t rank = 0; rank < gathered.size(); ++rank) {
    lengths[rank] = static_cast<int>(gathered[rank].size());
    joined += gathered[rank];
  }
  broadcast(std::as_writable_bytes(std::span(lengths)), kRoot);
  return cut(broadcast(joined, kRoot), lengths);
}

void Communicator::broadcast(std::span<std::byte> bytes, int root) const {
  std::byte* at = bytes.data();
  for (const int length : message_pieces(std::ssize(bytes))) {
    MPI_Request request = MPI_REQUEST_NULL;
    HPL_MPI_CHECK(MPI_Ibcast(at, length, MPI_BYTE, root, handle(), &request));
    finish(request);
    at += length;
  }
}

std::string Communicator::broadcast(const std::string& text, int root) const {
  const auto length = broadcast_value(text.size(), root);
  std::string result = text;
  result.resize(length);
  broadcast(std::as_writable_bytes(std::span(result)), root);
  return result;
}

}  // namespace hpl::mpi
