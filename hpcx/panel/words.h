#pragma once

#include <cstddef>
#include <cstdint>

#include "hpcx/panel.h"

/// Positions of the words by which blocks of the panel kernel, and members of a team, send each
/// other candidates and rows. Pure arithmetic, the same for every GPU.
namespace hpcx {

/// Columns between two applications of all earlier columns; a row of a leaf is at most this long.
inline constexpr int kLeafWidth = 32;

// Words of 8 bytes: for either parity of a step the candidate's header and row of each block and
// the row to be displaced; then one flag a block.
inline constexpr int kHeaderWords = 4;
inline constexpr int kCandidateRowWord = 2;  // of the header; its data are 0 where there is none
inline constexpr int kRowWords = 2 * kLeafWidth;
inline constexpr int kParityWords = kMaxPanelBlocks * (kHeaderWords + kRowWords) + kRowWords;
inline constexpr std::size_t kExchangeBytes =
    (2 * std::size_t{kParityWords} + kMaxPanelBlocks) * sizeof(std::uint64_t);

/// A message of a column: a header, the candidate's row and the row to be displaced.
inline constexpr int kMessageWords = kHeaderWords + 2 * kRowWords;

// A member's mailbox: for either parity the headers of all blocks of all members, then the
// candidate's row and the displaced row of each; one flag for each of the own blocks; for either
// parity the message that groups agreed on; and rows exchanged outside the active columns.
// Slots of members are kMaxTeamBlocks apart on all of them.
constexpr int team_parity_words(int group_size) {
  return group_size * kMaxTeamBlocks * (kHeaderWords + 2 * kRowWords);
}
constexpr int team_message_at(int group_size, unsigned step) {
  return 2 * team_parity_words(group_size) + kMaxTeamBlocks +
         static_cast<int>(step & 1u) * kMessageWords;
}
/// Rows of L and U on their way to other members, for each column of the panel.
inline constexpr int kTeamRowWords = 2 * (2 * kLeafWidth);
constexpr int team_rows_at(int group_size) {
  return 2 * team_parity_words(group_size) + kMaxTeamBlocks + 2 * kMessageWords;
}
/// Whole pieces of 2 MiB: what processes map of each other's memory comes in such, and should hold
/// nothing else.
constexpr std::size_t team_mailbox_bytes(int group_size, std::int64_t cols) {
  constexpr std::size_t kPiece = std::size_t{2} << 20;
  const std::size_t words = static_cast<std::size_t>(team_rows_at(group_size)) +
                            static_cast<std::size_t>(cols) * kTeamRowWords;
  return (words * sizeof(std::uint64_t) + kPiece - 1) / kPiece * kPiece;
}

// The outbox, which a member's host carries to members of other groups, holds: for either parity
// the message of the group; two words for each move of an exchange of rows; two words for each
// block that has put its rows there; then the moved rows' elements, column by column.
inline constexpr int kMovedRows = 2 * kLeafWidth;
inline constexpr int kOutboxMovesAt = 2 * kMessageWords;
inline constexpr int kOutboxFlagsAt = kOutboxMovesAt + 2 * kMovedRows;
inline constexpr int kOutboxRowsAt = kOutboxFlagsAt + 2 * kMaxTeamBlocks;
constexpr std::int64_t outbox_words(std::int64_t cols) {
  return kOutboxRowsAt + kMovedRows * cols;
}
// The inbox: for either parity the message that groups agreed on; two words that say that all
// awaited rows have arrived; then the rows, by the numbers of the members that send them.
inline constexpr int kInboxFlagAt = 2 * kMessageWords;
inline constexpr int kInboxRowsAt = kInboxFlagAt + 2;
constexpr std::int64_t inbox_words(std::int64_t cols) {
  return kInboxRowsAt + kMovedRows * cols;
}

/// A move of an exchange of rows, as far as messages carry it. Its two words in the outbox hold the
/// numbers plus 1.
struct MovedRow {
  int from = -1;  ///< the member that sends the row; negative: the row goes by no message
  int to = -1;    ///< the member that awaits it; negative: every member of other groups does
};
/// The member, by its number in a group of `size`, that receives the moved rows of member `from` of
/// another group and passes them on. Device i of a node sends to device i of other nodes.
constexpr int relay_in_group(int from, int size) {
  return from % size;
}

/// Bytes of a solver's mailbox; 0 if it joins no team.
constexpr std::size_t mailbox_bytes(const PanelSolverSpec& spec) {
  return spec.members > 1 ? team_mailbox_bytes(spec.group_size, spec.max_cols) : 0;
}

}  // namespace hpcx
