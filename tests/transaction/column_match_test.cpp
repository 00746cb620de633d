#include "transaction/column_match.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace walspout::transaction {

namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr std::uint32_t kInt = 23;

// A table of the source: its attributes as pg_attribute has them, each with the number of the last
// statement that touched it.
struct Model {
  struct Attribute {
    std::string name;
    std::uint32_t type = kInt;
    bool dropped = false;
    bool listed = true;  // in the column list
    int touched = 0;
  };
  std::vector<Attribute> attributes;  // attnum - 1 is the place
  bool has_list = false;
  int lists = 0;  // how often the column list was changed
  int clock = 0;

  static Model of(const std::vector<std::string>& names) {
    Model model;
    for (const auto& name : names) model.attributes.push_back({name});
    return model;
  }
  Attribute* find(const std::string& name) {
    for (auto& one : attributes)
      if (!one.dropped && one.name == name) return &one;
    return nullptr;
  }
  Model add(const std::string& name, std::uint32_t type = kInt) const {
    Model after = *this;
    after.attributes.push_back({name, type, false, !has_list, ++after.clock});
    return after;
  }
  Model drop(const std::string& name) const {
    Model after = *this;
    auto* one = after.find(name);
    one->dropped = true;
    one->name.clear();
    one->touched = ++after.clock;
    return after;
  }
  Model rename(const std::string& name, const std::string& to) const {
    Model after = *this;
    auto* one = after.find(name);
    one->name = to;
    one->touched = ++after.clock;
    return after;
  }
  Model retype(const std::string& name, std::uint32_t type) const {
    Model after = *this;
    auto* one = after.find(name);
    one->type = type;
    one->touched = ++after.clock;
    return after;
  }
  Model list(const std::vector<std::string>& names) const {
    Model after = *this;
    after.has_list = !names.empty();
    ++after.lists;
    for (auto& one : after.attributes)
      one.listed = names.empty() || std::find(names.begin(), names.end(), one.name) != names.end();
    return after;
  }

  std::vector<std::int16_t> sent() const {
    std::vector<std::int16_t> numbers;
    for (std::size_t i = 0; i < attributes.size(); ++i)
      if (!attributes[i].dropped && attributes[i].listed)
        numbers.push_back(static_cast<std::int16_t>(i + 1));
    return numbers;
  }
  TableShape shape(bool with_attnums = true) const {
    TableShape shape;
    shape.oid = 7;
    for (const std::int16_t attnum : sent()) {
      const Attribute& one = attributes[static_cast<std::size_t>(attnum - 1)];
      ColumnShape column;
      column.name = one.name;
      column.type_oid = one.type;
      column.attnum = with_attnums ? attnum : std::int16_t{0};
      shape.columns.push_back(std::move(column));
    }
    return shape;
  }
};

// The catalogue as `now`, with what was the same in `earlier`.
TableNow look(const Model& now, const Model& earlier, bool current = true) {
  TableNow table;
  table.current = current;
  for (std::size_t i = 0; i < now.attributes.size(); ++i) {
    const auto& one = now.attributes[i];
    AttributeNow row{static_cast<std::int16_t>(i + 1), one.name, one.type, one.dropped};
    row.always_sent = !now.has_list && !earlier.has_list && now.lists == earlier.lists;
    row.unchanged = i < earlier.attributes.size() && earlier.attributes[i].touched == one.touched;
    table.attributes.push_back(std::move(row));
  }
  return table;
}

std::vector<std::int32_t> truth(const Model& before, const Model& after) {
  const auto old_numbers = before.sent();
  std::vector<std::int32_t> places;
  for (const std::int16_t attnum : after.sent()) {
    const auto at = std::find(old_numbers.begin(), old_numbers.end(), attnum);
    places.push_back(at == old_numbers.end() ? -1
                                             : static_cast<std::int32_t>(at - old_numbers.begin()));
  }
  return places;
}

// The stream goes from `before` to `after`; the catalogue was read then, and now.
ColumnMatch match(const Model& before, const Model& after, const Model& now) {
  return match_columns(before.shape(), after.shape(), look(now, before));
}
ColumnMatch match(const Model& before, const Model& after) { return match(before, after, after); }

void expect_certain(const Model& before, const Model& after) {
  const ColumnMatch found = match(before, after);
  EXPECT_TRUE(found.certain);
  EXPECT_EQ(found.old_index, truth(before, after));
  EXPECT_EQ(found.attnum, after.sent());
}

const Model kAbc = Model::of({"a", "b", "c"});

TEST(ColumnMatch, ARenamedColumnIsFoundWhereverItStands) {
  expect_certain(kAbc, kAbc.rename("a", "x"));
  expect_certain(kAbc, kAbc.rename("b", "x"));
  expect_certain(kAbc, kAbc.rename("c", "x"));
}

TEST(ColumnMatch, ADroppedColumnIsGoneWhereverItStood) {
  for (const char* name : {"a", "b", "c"}) expect_certain(kAbc, kAbc.drop(name));
}

TEST(ColumnMatch, AnAddedColumnIsNew) { expect_certain(kAbc, kAbc.add("d")); }

TEST(ColumnMatch, AnotherTypeIsTheSameColumn) { expect_certain(kAbc, kAbc.retype("b", 25)); }

TEST(ColumnMatch, EachSimpleChangeIsCertainOnATableThatLostColumnsBefore) {
  const Model worn = kAbc.drop("b").add("d").drop("d").add("e");
  expect_certain(worn, worn.rename("c", "b"));
  expect_certain(worn, worn.drop("a"));
  expect_certain(worn, worn.drop("e"));
  expect_certain(worn, worn.add("b"));
}

TEST(ColumnMatch, TwoColumnsThatSwapNamesSwapPlacesInTheMirror) {
  const Model swapped = kAbc.rename("a", "t").rename("b", "a").rename("t", "b");
  EXPECT_THAT(truth(kAbc, swapped), ElementsAre(0, 1, 2));
  expect_certain(kAbc, swapped);
}

TEST(ColumnMatch, DropAndAddTogetherAreCertainWhenTheOthersWereLeftAlone) {
  expect_certain(kAbc, kAbc.drop("a").add("d"));
  expect_certain(kAbc, kAbc.drop("b").add("d"));
  EXPECT_THAT(truth(kAbc, kAbc.drop("b").add("d")), ElementsAre(0, 2, -1));
}

TEST(ColumnMatch, DropAndAddOfTheLastColumnMayBeARename) {
  const Model after = kAbc.drop("c").add("d");
  const ColumnMatch found = match(kAbc, after);
  EXPECT_FALSE(found.certain);  // or c became d, and was dropped when another d was added
  EXPECT_EQ(found.old_index, truth(kAbc, after));
}

TEST(ColumnMatch, AColumnAddedAnewUnderItsNameIsNotCertain) {
  EXPECT_FALSE(match(kAbc, kAbc.drop("c").add("c")).certain);
  EXPECT_FALSE(match(kAbc, kAbc.drop("c").add("c", 25)).certain);
}

TEST(ColumnMatch, DroppedAndItsNameTakenByAnotherIsCertain) {
  const Model after = kAbc.drop("a").rename("b", "a");
  EXPECT_THAT(truth(kAbc, after), ElementsAre(1, 2));
  expect_certain(kAbc, after);
}

TEST(ColumnMatch, ACatalogueAheadByARenameDoesNotMislead) {
  const Model after = kAbc.rename("b", "x");
  const Model now = after.rename("x", "y").rename("a", "x");
  const ColumnMatch found = match(kAbc, after, now);
  EXPECT_TRUE(found.certain);
  EXPECT_EQ(found.old_index, truth(kAbc, after));
}

TEST(ColumnMatch, AnAddedColumnThatIsRenamedLaterIsNew) {
  const Model after = kAbc.add("x");
  const ColumnMatch found = match(kAbc, after, after.rename("x", "y"));
  EXPECT_TRUE(found.certain);
  EXPECT_THAT(found.old_index, ElementsAre(0, 1, 2, -1));
}

TEST(ColumnMatch, AColumnThatTheCatalogueHasDroppedAlreadyIsKeptIfNothingElseFits) {
  const Model after = kAbc.rename("b", "x");
  const ColumnMatch found = match(kAbc, after, after.drop("x"));
  EXPECT_TRUE(found.certain);
  EXPECT_THAT(found.old_index, ElementsAre(0, 1, 2));
}

TEST(ColumnMatch, AColumnListThatBecomesSmallerDropsColumns) {
  expect_certain(kAbc, kAbc.list({"a", "c"}));
}

TEST(ColumnMatch, AColumnListThatGrowsAddsColumnsInTheMiddle) {
  const Model listed = kAbc.list({"a", "c"});
  EXPECT_THAT(truth(listed, kAbc), ElementsAre(0, -1, 1));
  expect_certain(listed, listed.list({"a", "b", "c"}));
}

TEST(ColumnMatch, ARenameUnderAColumnListIsCertainWhenNothingElseFits) {
  const Model listed = kAbc.list({"a", "b", "c"});
  expect_certain(listed, listed.rename("b", "x"));
}

TEST(ColumnMatch, AnOlderCatalogueMakesNothingCertain) {
  const Model after = kAbc.rename("b", "x");
  const ColumnMatch found = match_columns(kAbc.shape(), after.shape(), look(kAbc, kAbc, false));
  EXPECT_FALSE(found.certain);
  EXPECT_THAT(found.old_index, ElementsAre(0, -1, 2));
  EXPECT_THAT(found.attnum, Each(0));
}

TEST(ColumnMatch, UnknownAttnumsAreMatchedByNameAndNotCertain) {
  const ColumnMatch found =
      match_columns(kAbc.shape(false), kAbc.add("d").shape(), look(kAbc.add("d"), kAbc));
  EXPECT_FALSE(found.certain);
  EXPECT_THAT(found.old_index, ElementsAre(0, 1, 2, -1));
}

TEST(ColumnMatch, AnotherTableUnderTheNameIsNotCertain) {
  TableShape other = kAbc.shape();
  other.oid = 8;
  EXPECT_FALSE(match_columns(kAbc.shape(), other, look(kAbc, kAbc)).certain);
}

TEST(ColumnMatch, ACatalogueThatLacksAnOldColumnIsNotCertain) {
  EXPECT_FALSE(match_columns(kAbc.shape(), kAbc.shape(), look(Model::of({"a"}), kAbc)).certain);
}

TEST(ColumnMatch, ATableThatLosesAllColumnsIsCertain) {
  const Model one = Model::of({"a"});
  const ColumnMatch found = match(one, one.drop("a"));
  EXPECT_TRUE(found.certain);
  EXPECT_TRUE(found.old_index.empty());
}

// One random statement; few names, so that they are used again and again.
Model step(const Model& model, std::mt19937& random) {
  const auto pick = [&](std::size_t n) { return random() % n; };
  const std::string name(1, static_cast<char>('a' + pick(5)));
  Model copy = model;
  std::vector<std::string> live;
  for (const auto& one : model.attributes)
    if (!one.dropped) live.push_back(one.name);
  const bool taken = copy.find(name) != nullptr;
  const std::uint32_t type = pick(2) == 0 ? kInt : 25;
  if (live.empty()) return model.add(name, type);
  const std::string& one = live[pick(live.size())];
  switch (pick(12)) {
    case 0:
    case 1:
    case 2:
      return taken ? model : model.add(name, type);
    case 3:
    case 4:
    case 5:
      return model.drop(one);
    case 6:
    case 7:
    case 8:
      return taken ? model : model.rename(one, name);
    case 9:
      return model.retype(one, type);
    case 10:
      return model.list({});
    default:
      return model.list({one, live[pick(live.size())], live[pick(live.size())]});
  }
}

TEST(ColumnMatch, WhatIsCertainIsTrueInAnyHistory) {
  int certain = 0;
  constexpr int kHistories = 40'000;
  for (int seed = 0; seed < kHistories; ++seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    std::vector<Model> history = {Model::of({"a", "b", "c"})};
    for (int i = 0; i < 7; ++i) history.push_back(step(history.back(), random));
    // The earlier look is not later than the new shape, the later one not earlier.
    const std::size_t after = 1 + random() % 7;
    const std::size_t before = random() % after;
    const std::size_t earlier = random() % (after + 1);
    const std::size_t now = after + random() % (8 - after);
    const ColumnMatch found = match_columns(history[before].shape(), history[after].shape(),
                                            look(history[now], history[earlier]));
    ASSERT_EQ(found.old_index.size(), history[after].sent().size());
    if (!found.certain) continue;
    ++certain;
    ASSERT_EQ(found.old_index, truth(history[before], history[after])) << "seed " << seed;
    const auto numbers = history[after].sent();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (found.attnum[i] == 0) continue;
      ASSERT_EQ(found.attnum[i], numbers[i]) << "seed " << seed;
    }
  }
  EXPECT_GT(certain, kHistories / 10);
}

TEST(ColumnMatch, EachSingleStatementIsCertainWhenTheCatalogueIsUpToDate) {
  for (int seed = 0; seed < 10'000; ++seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    Model before = Model::of({"a", "b", "c"});
    for (int i = 0; i < 6; ++i) {
      Model after = step(before, random);
      if (after.has_list) after = after.list({});
      if (before.lists == after.lists) expect_certain(before, after);
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
      before = after;
    }
  }
}

TEST(ColumnMatch, AnOlderCatalogueIsNeverCertainInAnyHistory) {
  for (int seed = 0; seed < 5'000; ++seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    std::vector<Model> history = {kAbc};
    for (int i = 0; i < 6; ++i) history.push_back(step(history.back(), random));
    ASSERT_FALSE(match_columns(history[2].shape(), history[6].shape(),
                               look(history[random() % 6], kAbc, false))
                     .certain);
  }
}

TEST(ColumnMatch, AThousandColumnsAreMatchedAtOnce) {
  std::vector<std::string> names;
  names.reserve(1'000);
  for (int i = 0; i < 1'000; ++i) names.push_back("c" + std::to_string(i));
  const Model wide = Model::of(names);
  expect_certain(wide, wide.drop("c500").rename("c7", "x"));
}

}  // namespace

}  // namespace walspout::transaction
