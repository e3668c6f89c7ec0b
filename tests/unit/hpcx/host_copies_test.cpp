#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/known_memory.h"
#include "memory/cut_copy.h"
#include "memory/line_blocks.h"

namespace hpcx {
namespace {

using Memory = CopyCounter::Memory;

/// Host memory of `kBytes` in pieces, and a copy of lines of it, carried out part by part.
class CutCopies : public testing::Test {
 protected:
  static constexpr std::size_t kBytes = 3000;

  /// Number of parts.
  int expect_right(StridedCopy lines, std::size_t lead, std::size_t piece, std::size_t most,
                   HostSide side) {
    std::vector<unsigned char> host(kBytes), other(kBytes), expected;
    for (std::size_t i = 0; i < kBytes; ++i) {
      host[i] = static_cast<unsigned char>(i * 7 % 251);
      other[i] = static_cast<unsigned char>(i * 11 % 241);
    }
    const bool from_host = side == HostSide::Source;
    std::vector<unsigned char>&source = from_host ? host : other,
                         &target = from_host ? other : host;
    expected = target;
    const std::size_t source_lead = from_host ? lead : 0, target_lead = from_host ? 0 : lead;
    for (std::size_t line = 0; line < lines.height; ++line)
      for (std::size_t i = 0; i < lines.width; ++i)
        expected[target_lead + line * lines.destination_pitch + i] =
            source[source_lead + line * lines.source_pitch + i];
    lines.source = source.data() + source_lead;
    lines.destination = target.data() + target_lead;
    int parts = 0;
    const auto* const begin = reinterpret_cast<const std::byte*>(host.data());
    cut_copy(lines, side, {begin, piece, [&](std::size_t) { return most; }},
             [&](const StridedCopy& part, std::size_t number) {
               ++parts;
               EXPECT_LE(part.width * part.height, most);
               const auto* const first =
                   static_cast<const std::byte*>(from_host ? part.source : part.destination);
               const std::size_t pitch = from_host ? part.source_pitch : part.destination_pitch;
               const std::size_t at = static_cast<std::size_t>(first - begin);
               EXPECT_EQ(at / piece, number);
               EXPECT_EQ((at + (part.height - 1) * pitch + part.width - 1) / piece, number);
               const LineBlocks blocks(part);
               for (std::int64_t block = 0; block < blocks.count(); ++block)
                 blocks.copy(block);
             });
    EXPECT_EQ(target, expected);
    return parts;
  }
};

TEST_F(CutCopies, StayWholeInsideAPiece) {
  for (const HostSide side : {HostSide::Source, HostSide::Destination})
    EXPECT_EQ(expect_right({.destination_pitch = 60, .source_pitch = 60, .width = 40, .height = 20},
                           10, 3000, 3000, side),
              1);
}

TEST_F(CutCopies, EndAtTheBordersOfPieces) {
  // Lines of 40 bytes, 60 apart, from byte 10 on: the border at 500 lies in the ninth.
  for (const HostSide side : {HostSide::Source, HostSide::Destination})
    EXPECT_EQ(expect_right({.destination_pitch = 60, .source_pitch = 60, .width = 40, .height = 16},
                           10, 500, 3000, side),
              4);
}

TEST_F(CutCopies, OfAnySizesMoveEveryByteOnce) {
  std::mt19937 random(7);
  const auto pick = [&](std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    const std::size_t height = pick(0, 9), width = pick(0, 150);
    const StridedCopy lines{.destination_pitch = width + pick(0, 90),
                            .source_pitch = width + pick(0, 90),
                            .width = width,
                            .height = height};
    const int parts = expect_right(lines, pick(0, 700), pick(1, 900), pick(1, 400),
                                   round % 2 == 0 ? HostSide::Source : HostSide::Destination);
    EXPECT_EQ(parts == 0, height == 0 || width == 0);
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(KnownMemory, TellsTheSideOfWhatItKnowsAndWhereKernelsFindIt) {
  KnownMemory known;
  std::vector<std::byte> memory(100), seen_by_device(20);
  const auto at = [&](std::size_t i) { return static_cast<void*>(memory.data() + i); };
  const auto side = [&](std::size_t i) {
    const auto found = known.of(at(i), 1);
    return found ? std::optional(found->memory) : std::nullopt;
  };
  EXPECT_EQ(side(0), std::nullopt);
  known.add(at(10), 20, Memory::Device, at(10));
  known.add(at(30), 20, Memory::Host, seen_by_device.data());
  EXPECT_EQ(side(9), std::nullopt);
  EXPECT_EQ(known.of(at(10), 1), (KnownMemory::Known{Memory::Device, at(10)}));
  EXPECT_EQ(known.of(at(29), 1), (KnownMemory::Known{Memory::Device, at(29)}));
  EXPECT_EQ(known.of(at(30), 1), (KnownMemory::Known{Memory::Host, seen_by_device.data()}));
  EXPECT_EQ(known.of(at(49), 1), (KnownMemory::Known{Memory::Host, seen_by_device.data() + 19}));
  EXPECT_EQ(side(50), std::nullopt);
  known.remove(at(10));
  EXPECT_EQ(side(29), std::nullopt);
  EXPECT_EQ(side(30), Memory::Host);
  known.add(at(5), 15, Memory::Host, nullptr);
  EXPECT_EQ(known.of(at(10), 1), (KnownMemory::Known{Memory::Host, nullptr}));
}

TEST(KnownMemory, KnowsNoBytesThatReachOverTheEndOfARange) {
  KnownMemory known;
  std::vector<std::byte> memory(100);
  known.add(memory.data(), 20, Memory::Host, memory.data());
  known.add(memory.data() + 20, 20, Memory::Host, memory.data() + 20);
  EXPECT_TRUE(known.of(memory.data(), 20));
  EXPECT_TRUE(known.of(memory.data() + 13, 7));
  EXPECT_FALSE(known.of(memory.data() + 13, 8));
  EXPECT_TRUE(known.of(memory.data() + 20, 20));
  EXPECT_FALSE(known.of(memory.data() + 21, 20));
}

}  // namespace
}  // namespace hpcx
