#include "fleet_messages.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "hpl/base/error/error.h"

namespace hpl {

namespace {

constexpr int kTag = 0;

}  // namespace

FleetMessages::FleetMessages(const mpi::Communicator& world) : comm_(world.dup()) {}

void FleetMessages::send(int member, const std::string& text) {
  HPL_ASSERT(!text.empty());
  for (std::string_view rest = text; !rest.empty();) {
    Piece piece{.member = member};
    const std::size_t length = std::min(rest.size(), piece.text.size());
    std::copy_n(rest.begin(), length, piece.text.begin());
    rest.remove_prefix(length);
    piece.length = static_cast<std::int32_t>(length);
    piece.is_last = rest.empty() ? 1 : 0;
    send(piece);
  }
  while (!sending_.empty() && sending_.front().request.test())
    sending_.pop_front();
}

void FleetMessages::end(int member) {
  send({.member = member});
  for (; !sending_.empty(); sending_.pop_front())
    sending_.front().request.wait(mpi::WaitPolicy::sleeping());
}

void FleetMessages::send(const Piece& piece) {
  Sending& sending = sending_.emplace_back(Sending{.piece = piece});
  sending.request.isend(comm_, std::as_bytes(std::span(&sending.piece, 1)), 0, kTag);
}

std::vector<FleetMessages::Message> FleetMessages::receive() {
  std::vector<Message> messages;
  for (Piece piece;
       mpi::receive_arrived(comm_, std::as_writable_bytes(std::span(&piece, 1)), kTag);) {
    if (piece.length == 0) {
      messages.push_back({.member = piece.member, .ends = true, .text = {}});
      continue;
    }
    std::string& text = parts_[piece.member];
    text.append(piece.text.data(), static_cast<std::size_t>(piece.length));
    if (piece.is_last != 0)
      messages.push_back({.member = piece.member, .text = std::exchange(text, {})});
  }
  return messages;
}

}  // namespace hpl
