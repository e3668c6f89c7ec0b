#include "hpl/lu/panel/pivot_exchange.h"

#include <bit>
#include <cstring>

#include "hpl/comm/mpi/request.h"

namespace hpl {

PivotExchange::PivotExchange(const mpi::Communicator& column, mpi::WaitPolicy policy)
    : column_(column), policy_(policy) {}

void PivotExchange::resize(std::int64_t width) {
  width_ = width;
  mine_.resize(sizeof(Header) + 2 * sizeof(double) * static_cast<std::size_t>(width));
  theirs_.resize(mine_.size());
}

void PivotExchange::combine() {
  Header a, b;
  std::memcpy(&a, mine_.data(), sizeof a);
  std::memcpy(&b, theirs_.data(), sizeof b);
  const std::size_t row_bytes = sizeof(double) * static_cast<std::size_t>(width_);
  std::byte* const rows = mine_.data() + sizeof(Header);
  const std::byte* const their_rows = theirs_.data() + sizeof(Header);
  if (b.magnitude > a.magnitude || (b.magnitude == a.magnitude && b.row < a.row)) {
    a.magnitude = b.magnitude;
    a.row = b.row;
    std::memcpy(rows, their_rows, row_bytes);
  }
  if (b.has_current && !a.has_current) {
    a.has_current = 1;
    std::memcpy(rows + row_bytes, their_rows + row_bytes, row_bytes);
  }
  std::memcpy(mine_.data(), &a, sizeof a);
}

void PivotExchange::send_to(int peer) {
  mpi::isend(column_, mine_, peer, column_.tag(count_)).wait(policy_);
}

void PivotExchange::receive_from(int peer, std::vector<std::byte>& into) {
  mpi::irecv(column_, into, peer, column_.tag(count_)).wait(policy_);
}

void PivotExchange::swap_with(int peer) {
  mpi::RequestSet both;
  both.irecv(column_, theirs_, peer, column_.tag(count_));
  both.isend(column_, mine_, peer, column_.tag(count_));
  both.wait(policy_);
  combine();
}

PivotExchange::Winner PivotExchange::exchange(Winner proposal, bool owns_current) {
  const Header header{proposal.magnitude, proposal.row, owns_current};
  std::memcpy(mine_.data(), &header, sizeof header);

  // Recursive doubling over the largest power of two; the processes beyond it are represented by
  // their partner below.
  const int size = column_.size(), rank = column_.rank();
  const int doubled = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
  if (rank >= doubled) {
    send_to(rank - doubled);
    receive_from(rank - doubled, mine_);
  } else {
    const bool represents = rank + doubled < size;
    if (represents) {
      receive_from(rank + doubled, theirs_);
      combine();
    }
    for (int distance = 1; distance < doubled; distance *= 2)
      swap_with(rank ^ distance);
    if (represents) send_to(rank + doubled);
  }
  ++count_;

  Header winner;
  std::memcpy(&winner, mine_.data(), sizeof winner);
  return {winner.magnitude, winner.row};
}

}  // namespace hpl
