#include "hpl/job/ranks/agreement.h"

#include <fmt/format.h>

#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/comm/mpi/failure.h"

namespace hpl {

namespace {

/// FNV-1a: equal texts make equal digests, and one number a rank tells that nothing differs.
std::int64_t digest_of(const std::vector<std::string>& words) {
  std::uint64_t digest = 0xcbf29ce484222325;
  for (const std::string& word : words)
    for (const char c : word + '\0')
      digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<std::int64_t>(digest);
}

std::string argument_text(const std::vector<std::string>& words, std::size_t index) {
  return index < words.size() ? quote_printable(words[index]) : "none";
}

}  // namespace

void refuse_together(const mpi::Communicator& world, const std::optional<std::string>& complaint) {
  const std::int64_t none = world.size();
  const std::int64_t lowest =
      world.all_reduce(complaint ? std::int64_t{world.rank()} : none, mpi::Reduce::Min);
  if (lowest == none) return;
  throw ConfigError(world.broadcast(complaint.value_or(""), static_cast<int>(lowest)));
}

void require_same_arguments(const mpi::Communicator& world, int argc, const char* const* argv) {
  std::vector<std::string> mine(argv + std::min(argc, 1), argv + argc);
  const std::int64_t digest = digest_of(mine);
  if (world.all_reduce(digest, mpi::Reduce::Min) == world.all_reduce(digest, mpi::Reduce::Max))
    return;
  const std::string host = world.broadcast(mpi::host_name(), 0);
  std::vector<std::string> first(world.broadcast_value(mine.size(), 0));
  for (std::size_t i = 0; i < first.size(); ++i)
    first[i] = world.broadcast(i < mine.size() ? mine[i] : "", 0);

  std::optional<std::string> complaint;
  if (mine != first) {
    std::size_t i = 0;
    while (i < mine.size() && i < first.size() && mine[i] == first[i])
      ++i;
    complaint = fmt::format(
        "argument {} of the command line must be the same on every rank, found {} on rank {} on {} "
        "and {} on rank 0 on {}",
        i + 1, argument_text(mine, i), world.rank(), mpi::host_name(), argument_text(first, i),
        host);
  }
  refuse_together(world, complaint);
}

void require_same_file(const mpi::Communicator& world, const HplDat& dat,
                       const std::filesystem::path& path) {
  if (world.size() == 1) return;
  const std::string host = world.broadcast(mpi::host_name(), 0);
  std::optional<std::string> complaint;
  std::error_code none;
  // Standard input has text for rank 0 alone.
  const auto kind = std::filesystem::status(path, none).type();
  const bool is_shared =
      kind == std::filesystem::file_type::regular || kind == std::filesystem::file_type::directory;
  if (world.rank() != 0 && is_shared) {
    const auto complain = [&](const std::string& what) {
      complaint = fmt::format("{}; rank 0 on {} reads another file of that name", what, host);
    };
    try {
      if (const auto found = first_difference(dat, read_hpl_dat(path)))
        complaint = fmt::format(
            "{} line {}: {} must be the same on every rank, found \"{}\" on rank {} on {} and "
            "\"{}\" on rank 0 on {}",
            shown_name(path), found->line, found->field, found->other, world.rank(),
            mpi::host_name(), found->one, host);
    } catch (const ConfigError& e) {
      complain(fmt::format("rank {} on {}: {}", world.rank(), mpi::host_name(), e.what()));
    }
  }
  refuse_together(world, complaint);
}

}  // namespace hpl
