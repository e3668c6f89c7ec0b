#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/request.h"

namespace hpl {

/// Runs of a fleet on their way to rank 0 as each is made: a job that dies keeps what arrived.
class FleetMessages {
 public:
  /// Collective over world.
  explicit FleetMessages(const mpi::Communicator& world);

  /// Text of a member on its way to rank 0. Called on another rank, always the same of a member.
  /// Never waits.
  void send(int member, const std::string& text);
  /// The member has no more until the next call of send(). Returns when all texts are on their way
  /// or received: their memory is free.
  void end(int member);

  struct Message {
    int member = 0;
    bool ends = false;  ///< by end(), without a text
    std::string text;
  };
  /// On rank 0: what has arrived; of each member in the order in which it was sent. Never waits.
  std::vector<Message> receive();

 private:
  /// Short enough for any MPI to send without the help of a receiver that computes.
  struct Piece {
    std::int32_t member = 0;
    std::int32_t length = 0;   ///< of the text in this piece; 0: the end
    std::int32_t is_last = 1;  ///< of its text
    std::array<char, 1012> text{};
  };

  /// A piece on its way.
  struct Sending {
    Piece piece;  // untouched until the request is through
    mpi::RequestSet request{};
  };

  void send(const Piece& piece);

  mpi::Communicator comm_;
  std::deque<Sending> sending_;
  std::map<int, std::string> parts_;  // on rank 0, by member: pieces of a text without its last
};

}  // namespace hpl
