#include "hpcx/host_memory.h"

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "cpu/cpu_device.h"
#include "hpcx/copy.h"
#include "hpcx/error.h"
#include "memory/cut_copy.h"

namespace hpcx {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

/// The way of what is not pinned: a copy between the memory and a pinned piece, by host threads, in
/// a stream of its own, one between the piece and the device in the caller's stream.
class HostMemory::Staging {
 public:
  Staging(Device& device, Device& threads, std::size_t piece_bytes)
      : threads_(threads),
        in_(device.create_copy_stream()),
        out_(device.create_copy_stream()),
        ring_in_(device, 2, piece_bytes),
        ring_out_(device, 2, piece_bytes) {}

  std::size_t piece_bytes() const { return ring_in_.piece_bytes(); }
  std::size_t bytes() const { return ring_in_.bytes() + ring_out_.bytes(); }

  /// A load reads bytes that were stored before, as far as the stream has waited for them.
  void begin_load(StreamRef stream) { in_.ref().wait(stream.record()); }
  void load(StreamRef stream, const StridedCopy& lines) {
    StagingRing::Piece& piece = ring_in_.next();
    const StridedCopy to_piece = through(lines, piece.memory, HostSide::Destination);
    const StridedCopy from_piece = through(lines, piece.memory, HostSide::Source);
    in_.ref().wait(piece.free);
    copy_on_host(in_, threads_, to_piece);
    stream.wait(in_.ref().record());
    stream.copy_2d(from_piece);
    piece.free = stream.record();
  }

  void store(StreamRef stream, const StridedCopy& lines) {
    StagingRing::Piece& piece = ring_out_.next();
    const StridedCopy to_piece = through(lines, piece.memory, HostSide::Destination);
    const StridedCopy from_piece = through(lines, piece.memory, HostSide::Source);
    stream.wait(piece.free);
    stream.copy_2d(to_piece);
    out_.ref().wait(stream.record());
    copy_on_host(out_, threads_, from_piece);
    piece.free = out_.ref().record();
  }
  /// Whoever waits for the stream waits for the memory.
  void end_store(StreamRef stream) { stream.wait(out_.ref().record()); }

 private:
  /// The copy with a piece in the place of one side, in which lines lie without gaps.
  static StridedCopy through(StridedCopy lines, const Buffer& piece, HostSide side) {
    if (side == HostSide::Source) {
      lines.source = piece.as<void>();
      lines.source_pitch = lines.width;
    } else {
      lines.destination = piece.as<void>();
      lines.destination_pitch = lines.width;
    }
    return lines;
  }

  Device& threads_;
  Stream in_, out_;
  StagingRing ring_in_, ring_out_;  // behind the streams: what uses them is waited for first
};

/// Its pieces, as far as they are pinned. Drivers let go page by page, as they take hold.
struct HostMemory::Pins {
  Device& threads;
  std::vector<HostRegistration> pieces;

  Pins(Device& host_threads, std::size_t count) : threads(host_threads), pieces(count) {}
  ~Pins() {
    threads.parallel_for(static_cast<std::int64_t>(pieces.size()), [this](std::int64_t number) {
      pieces[static_cast<std::size_t>(number)] = HostRegistration();
    });
  }
  Pins(const Pins&) = delete;
  Pins& operator=(const Pins&) = delete;
};

bool HostMemory::is_pinned(std::size_t piece) const {
  return pins_->pieces[piece].bytes() > 0;
}

HostMemory::HostMemory(Device& device, const HostMemorySpec& spec) {
  // The system promises more than it has: the refusal must come before the pages are touched.
  const std::int64_t available = cpu::memory_info().free;
  if (available > 0 && spec.bytes > static_cast<std::size_t>(available))
    throw OutOfMemory("the host has no " + std::to_string(spec.bytes) + " bytes of memory left (" +
                      std::to_string(available) + " are available)");
  memory_ = cpu::allocate(spec.bytes);
  if (spec.bytes == 0) return;
  if (spec.place) spec.place(memory_.as<void>(), memory_.bytes());
  touch(spec.threads != nullptr ? *spec.threads : device);
  pin(device, spec);
  if (!pinned() && spec.staging_bytes > 0) stage(device, spec);
}

std::size_t HostMemory::pinned_bytes() const {
  std::size_t sum = 0;
  if (pins_)
    for (const HostRegistration& piece : pins_->pieces)
      sum += piece.bytes();
  return sum;
}

std::size_t HostMemory::staging_bytes() const {
  return staging_ ? staging_->bytes() : 0;
}

/// A page lies near the core that touches it first, where nothing else was said.
void HostMemory::touch(Device& threads) const {
  constexpr std::size_t kBlock = std::size_t{64} << 20;
  const std::size_t page = page_bytes();
  const std::size_t blocks = (bytes() + kBlock - 1) / kBlock;
  threads.parallel_for(static_cast<std::int64_t>(blocks), [&](std::int64_t block) {
    const std::size_t first = static_cast<std::size_t>(block) * kBlock;
    const std::size_t end = std::min(bytes(), first + kBlock);
    for (std::size_t at = first; at < end; at += page)
      *memory_.as<volatile std::byte>(at) = std::byte{0};
  });
}

/// Drivers take hold of page by page: several threads at once, each with a piece.
void HostMemory::pin(Device& device, const HostMemorySpec& spec) {
  piece_bytes_ = spec.piece_bytes == 0 ? bytes() : std::min(spec.piece_bytes, bytes());
  // Pinned ranges share no page.
  piece_bytes_ = round_up(piece_bytes_, piece_bytes_ < kHugePage ? page_bytes() : kHugePage);
  Device& threads = spec.threads != nullptr ? *spec.threads : device;
  pins_ = std::make_shared<Pins>(threads, (bytes() + piece_bytes_ - 1) / piece_bytes_);
  std::vector<HostRegistration>& all = pins_->pieces;
  std::mutex mutex;
  std::string refusal;
  const auto refused = [&] {
    const std::lock_guard lock(mutex);
    return !refusal.empty();
  };
  const std::size_t pieces =
      spec.most_pinned >= bytes() ? all.size() : spec.most_pinned / piece_bytes_;
  threads.parallel_for(static_cast<std::int64_t>(pieces), [&](std::int64_t number) {
    if (refused()) return;
    const std::size_t first = static_cast<std::size_t>(number) * piece_bytes_;
    try {
      all[static_cast<std::size_t>(number)] =
          device.register_host(as<void>(first), std::min(piece_bytes_, bytes() - first));
    } catch (const Error& error) {
      const std::lock_guard lock(mutex);
      if (refusal.empty()) refusal = error.what();
    }
  });
  why_not_pinned_ = std::move(refusal);
  if (why_not_pinned_.empty() && pieces < all.size())
    why_not_pinned_ = "no more than " + std::to_string(spec.most_pinned) +
                      " bytes of it may be pinned" +
                      (spec.why_not_more.empty() ? "" : " (" + spec.why_not_more + ")");
}

/// As large as can be had. Where a limit is reached it takes what the last pieces of the memory
/// have, since a staging area serves all that is not pinned.
void HostMemory::stage(Device& device, const HostMemorySpec& spec) {
  constexpr std::size_t kLeast = std::size_t{4} << 20;
  std::size_t piece = std::min(spec.staging_bytes, round_up(bytes() / 8 + 1, page_bytes()));
  while (true) {
    try {
      staging_ = std::make_shared<Staging>(device, spec.threads != nullptr ? *spec.threads : device,
                                           piece);
      return;
    } catch (const Error&) {
      if (piece > kLeast) {
        piece = std::max(kLeast, piece / 2);
        continue;
      }
    }
    std::vector<HostRegistration>& pieces = pins_->pieces;
    const auto last = std::find_if(pieces.rbegin(), pieces.rend(),
                                   [](const HostRegistration& p) { return p.bytes() > 0; });
    if (last == pieces.rend()) return;
    *last = HostRegistration();
  }
}

void HostMemory::load(StreamRef stream, ConstMatrixView source, MatrixView destination) const {
  bool begun = false;
  const auto most = [&](std::size_t piece) {
    return staging_ && !is_pinned(piece) ? staging_->piece_bytes() : piece_bytes_;
  };
  cut_copy(lines_of(source, destination), HostSide::Source, {as<std::byte>(), piece_bytes_, most},
           [&](const StridedCopy& part, std::size_t piece) {
             if (!staging_ || is_pinned(piece)) return stream.copy_2d(part);
             if (!begun) staging_->begin_load(stream);
             begun = true;
             staging_->load(stream, part);
           });
}

void HostMemory::store(StreamRef stream, ConstMatrixView source, MatrixView destination) const {
  bool staged = false;
  const auto most = [&](std::size_t piece) {
    return staging_ && !is_pinned(piece) ? staging_->piece_bytes() : piece_bytes_;
  };
  cut_copy(lines_of(source, destination), HostSide::Destination,
           {as<std::byte>(), piece_bytes_, most}, [&](const StridedCopy& part, std::size_t piece) {
             if (!staging_ || is_pinned(piece)) return stream.copy_2d(part);
             staged = true;
             staging_->store(stream, part);
           });
  if (staged) staging_->end_store(stream);
}

}  // namespace hpcx
