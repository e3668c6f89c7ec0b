#pragma once

#include <list>
#include <optional>
#include <string>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/request.h"

namespace hpl::mpi {

/// Short texts between any two ranks, beside whatever the job does: no call blocks, and none needs
/// others to take part, so that the ranks that are left can talk when one has gone. Needs
/// ThreadLevel::Multiple where other threads use MPI. Used by one thread at a time.
class SideChannel {
 public:
  /// Of a text, in bytes: what is as short travels without the receiver's help.
  static constexpr std::size_t kLongestText = 3000;

  struct Message {
    int from = 0;
    std::string text;
  };

  /// Collective over comm.
  explicit SideChannel(const Communicator& comm) : comm_(comm.dup()) {}

  int rank() const { return comm_.rank(); }
  int size() const { return comm_.size(); }

  /// Posts a text to another rank. Nothing tells whether it arrives.
  void send(int to, std::string text);
  /// The next text that has arrived, if any. Drives what was sent.
  std::optional<Message> receive();

 private:
  struct Sent {
    std::string text;
    RequestSet request;
  };

  Communicator comm_;
  std::list<Sent> sent_;  // elements must not move: MPI reads from them
};

}  // namespace hpl::mpi
