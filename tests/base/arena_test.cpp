#include "base/arena.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace walspout::base {
namespace {

TEST(Arena, PiecesAreAlignedAndDoNotOverlap) {
  Arena arena;
  std::vector<std::pair<unsigned char*, std::size_t>> pieces;
  for (std::size_t i = 0; i < 2000; ++i) {
    const std::size_t size = (i * 37) % 300;
    auto* piece = static_cast<unsigned char*>(arena.allocate(size, 8));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(piece) % 8, 0u);
    std::memset(piece, static_cast<int>(i & 0xff), size);
    pieces.emplace_back(piece, size);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (std::size_t b = 0; b < pieces[i].second; ++b)
      ASSERT_EQ(pieces[i].first[b], static_cast<unsigned char>(i & 0xff)) << "piece " << i;
}

TEST(Arena, LargePieceGetsItsOwnBlockAndTheCurrentOneGoesOn) {
  Arena arena;
  char* before = static_cast<char*>(arena.allocate(16, 1));
  arena.allocate(Arena::kBlockSize * 3, 1);
  char* after = static_cast<char*>(arena.allocate(16, 1));
  EXPECT_EQ(after, before + 16);
  EXPECT_EQ(arena.footprint(), Arena::kBlockSize * 4);
}

TEST(Arena, LargeFirstPieceIsWhole) {
  Arena arena;
  const std::string text(Arena::kBlockSize * 2, 'x');
  EXPECT_EQ(arena.copy(std::string_view(text)), text);
  const std::string_view more = arena.copy(std::string_view("more"));
  EXPECT_EQ(more, "more");
}

TEST(Arena, EmptyPiecesAreNoNullPointers) {
  Arena arena;
  EXPECT_NE(arena.copy(std::string_view()).data(), nullptr);
  EXPECT_NE(arena.array<std::uint64_t>(0).data(), nullptr);
}

TEST(Arena, NothingIsHeldBeforeTheFirstPiece) { EXPECT_EQ(Arena().footprint(), 0u); }

TEST(Arena, CopyIsIndependentOfItsSource) {
  Arena arena;
  std::string text = "one";
  const std::string_view copy = arena.copy(std::string_view(text));
  text = "two";
  EXPECT_EQ(copy, "one");
}

TEST(Arena, MovedFromArenaCanBeUsedAgain) {
  Arena arena;
  const std::string_view kept = arena.copy(std::string_view("kept"));
  const Arena moved = std::move(arena);
  arena = Arena();
  EXPECT_EQ(arena.copy(std::string_view("new")), "new");
  EXPECT_EQ(kept, "kept");
}

}  // namespace
}  // namespace walspout::base
