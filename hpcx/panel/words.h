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

// A member's mailbox: for either parity the headers of all blocks of all members, then the
// candidate's row and the displaced row of each; one flag for each of the own blocks; and rows
// exchanged outside the active columns.
// Slots of members are kMaxTeamBlocks apart on all of them.
constexpr int team_parity_words(int group_size) {
  return group_size * kMaxTeamBlocks * (kHeaderWords + 2 * kRowWords);
}
/// Rows of L and U on their way to other members, for each column of the panel.
inline constexpr int kTeamRowWords = 2 * (2 * kLeafWidth);
/// Whole pieces of 2 MiB: what processes map of each other's memory comes in such, and should hold
/// nothing else.
constexpr std::size_t team_mailbox_bytes(int group_size, std::int64_t cols) {
  constexpr std::size_t kPiece = std::size_t{2} << 20;
  const std::size_t words = 2 * static_cast<std::size_t>(team_parity_words(group_size)) +
                            kMaxTeamBlocks + static_cast<std::size_t>(cols) * kTeamRowWords;
  return (words * sizeof(std::uint64_t) + kPiece - 1) / kPiece * kPiece;
}

// The outbox, which a member's host carries to members of other groups, holds: for either parity a
// message with the header of the group's best candidate, its row and the row to be displaced; two
// words for each block that has put its rows there, with how many rows there are in all; then the
// moved rows' elements, column by column.
inline constexpr int kMessageWords = kHeaderWords + 2 * kRowWords;
inline constexpr int kMovedRows = 2 * kLeafWidth;
inline constexpr int kOutboxFlagsAt = 2 * kMessageWords;
inline constexpr int kOutboxRowsAt = kOutboxFlagsAt + 2 * kMaxTeamBlocks;
constexpr std::int64_t outbox_words(std::int64_t cols) {
  return kOutboxRowsAt + kMovedRows * cols;
}
// The inbox: for either parity the message of each group; two words for each member whose moved
// rows have arrived; then the rows of each member.
constexpr std::int64_t messages_words(int groups) {
  return std::int64_t{2} * groups * kMessageWords;
}
constexpr std::size_t messages_bytes(int groups) {
  return static_cast<std::size_t>(messages_words(groups)) * sizeof(std::uint64_t);
}
constexpr std::int64_t inbox_message_at(int groups, int group, unsigned step) {
  return (static_cast<std::int64_t>(step & 1u) * groups + group) * kMessageWords;
}
constexpr std::int64_t inbox_flag_at(int groups, int member) {
  return messages_words(groups) + 2 * member;
}
constexpr std::int64_t inbox_rows_at(int groups, int member, std::int64_t cols) {
  return inbox_flag_at(groups, kMaxTeamMembers) + member * kMovedRows * cols;
}
constexpr std::int64_t inbox_words(int groups, int members, std::int64_t cols) {
  return inbox_rows_at(groups, members, cols);
}

/// Bytes of a solver's mailbox; 0 if it joins no team.
constexpr std::size_t mailbox_bytes(const PanelSolverSpec& spec) {
  return spec.members > 1 ? team_mailbox_bytes(spec.group_size, spec.max_cols) : 0;
}

}  // namespace hpcx
