// The mirror read back through the plugin's reader, as `walspout verify` does it.
#include <walspout/abi_reader.h>

#include <map>
#include <set>

#include "mirror_test.hpp"

namespace walspout::sqlite {

// One open reader of the test's mirror.
class BackReader {
 public:
  explicit BackReader(const std::string& path, const std::string& numeric = "auto",
                      const std::string& sink = "sink") {
    const auto setting = [](const char* name, const std::string& value) {
      walspout_setting s{};
      s.name = {name, std::string_view(name).size()};
      s.type = WALSPOUT_STRING;
      s.string = {value.data(), value.size()};
      return s;
    };
    const walspout_setting settings[] = {setting("path", path), setting("numeric", numeric)};
    walspout_open_args args{};
    args.struct_size = sizeof args;
    args.setting_count = 2;
    args.host = host_.get();
    args.pipeline = "test";
    args.sink = sink.c_str();
    args.state_dir = ".";
    args.settings = settings;
    error_.struct_size = sizeof error_;
    status = calls().open(&args, &reader_, &position, &error_);
  }
  ~BackReader() {
    if (reader_ != nullptr) calls().close(reader_);
  }
  BackReader(const BackReader&) = delete;
  BackReader& operator=(const BackReader&) = delete;

  // Chooses the table; what is printed of a row later is in its columns' order.
  int table(const Relation& r) {
    width_ = r.width();
    forms.assign(width_, 99);
    int32_t present = 99;
    error_.message[0] = '\0';
    EXPECT_EQ(calls().table(reader_, r.get(), forms.data(), &present, &error_), WALSPOUT_OK);
    return present;
  }
  std::multiset<std::string> scan() {
    std::multiset<std::string> rows;
    Ctx ctx{this, &rows};
    EXPECT_EQ(calls().scan(reader_, take, &ctx, &error_), WALSPOUT_OK) << message();
    return rows;
  }
  std::multiset<std::string> find(const Row& key) {
    std::vector<walspout_value> values;
    for (const testing::Cell& cell : key) values.push_back(cell.value());
    std::multiset<std::string> rows;
    Ctx ctx{this, &rows};
    EXPECT_EQ(calls().find(reader_, values.data(), take, &ctx, &error_), WALSPOUT_OK) << message();
    return rows;
  }
  std::string message() const { return error_.message; }

  walspout_status status = WALSPOUT_FATAL;
  Lsn position = 0;
  std::vector<uint8_t> forms;

 private:
  struct Ctx {
    BackReader* self;
    std::multiset<std::string>* rows;
  };
  static const walspout_reader_calls& calls() { return *plugin().reader; }
  static int32_t take(void* ctx, const walspout_value* row) {
    const auto& c = *static_cast<Ctx*>(ctx);
    std::string text;
    for (uint32_t i = 0; i < c.self->width_; ++i) {
      text += i == 0 ? "" : "|";
      if (row[i].state == WALSPOUT_NULL) {
        text += "null";
      } else {
        EXPECT_EQ(row[i].state, WALSPOUT_TEXT);
        text.append(static_cast<const char*>(row[i].data), row[i].size);
      }
    }
    c.rows->insert(text);
    return 0;
  }

  testing::FakeHost host_;
  walspout_error error_ = {};
  walspout_reader* reader_ = nullptr;
  uint32_t width_ = 0;
};

class SqliteReader : public MirrorTest {
 protected:
  // How one value of a type comes back.
  std::string back(uint32_t type, const testing::Cell& cell, int32_t type_mod = -1,
                   const std::string& numeric = "auto") {
    if (numeric != numeric_) restart({{"numeric", numeric_ = numeric}});
    Relation r = relation("public", "v" + std::to_string(++count_));
    r.column("id", oid::kInt4, primary).column("v", type).type_mod(type_mod);
    insert(r, {"1", cell});
    BackReader reader(path(), numeric);
    EXPECT_EQ(reader.table(r), 1);
    form_ = reader.forms[1];
    return reader.scan().begin()->substr(2);
  }
  static int32_t numeric(int precision, int scale) {
    return (precision << 16 | (scale & 0x7ff)) + 4;
  }
  uint8_t form_ = 99;
  std::string numeric_ = "auto";
  int count_ = 0;
};

TEST_F(SqliteReader, TextComesBackAsItWasPrinted) {
  const std::string odd = "a'\"\\\n\t \xC3\xA4\xE2\x80\xA8|";
  EXPECT_EQ(back(oid::kText, odd), odd);
  EXPECT_EQ(form_, WALSPOUT_FORM_TEXT);
  EXPECT_EQ(back(oid::kText, ""), "");
  EXPECT_EQ(back(oid::kText, nullopt), "null");
  EXPECT_EQ(back(oid::kInt8, "-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(back(oid::kBool, "t"), "t");
  EXPECT_EQ(back(oid::kBool, "f"), "f");
  EXPECT_EQ(back(oid::kBytea, "\\x00ff10"), "\\x00ff10");
  EXPECT_EQ(back(oid::kBytea, "\\x"), "\\x");
  EXPECT_EQ(back(oid::kJsonb, "{\"a\": [1, 2]}"), "{\"a\": [1, 2]}");
  EXPECT_EQ(back(oid::kNumeric, "12345678901234567890.500"), "12345678901234567890.500");
  EXPECT_EQ(form_, WALSPOUT_FORM_TEXT);
}

TEST_F(SqliteReader, TimesWithZoneComeBackWithTheShortOffset) {
  EXPECT_EQ(back(oid::kTimestamptz, "2026-01-31 12:00:00.5+00"), "2026-01-31 12:00:00.5+00");
  EXPECT_EQ(back(oid::kTimestamptz, "0044-03-15 12:00:00+00 BC"), "0044-03-15 12:00:00+00 BC");
  EXPECT_EQ(back(oid::kTimestamptz, "infinity"), "infinity");
  EXPECT_EQ(back(oid::kTimetz, "12:00:00+05:30"), "12:00:00+05:30");
  EXPECT_EQ(back(oid::kTimestamp, "2026-01-31 12:00:00"), "2026-01-31 12:00:00");
}

TEST_F(SqliteReader, NumbersComeBackAsDoubles) {
  EXPECT_EQ(back(oid::kFloat8, "0.30000000000000004"), "0.30000000000000004");
  EXPECT_EQ(form_, WALSPOUT_FORM_FLOAT8);
  EXPECT_EQ(back(oid::kFloat4, "0.1"), "0.1");
  EXPECT_EQ(back(oid::kFloat8, "NaN"), "NaN");
  EXPECT_EQ(back(oid::kFloat8, "-Infinity"), "-Infinity");
  EXPECT_EQ(back(oid::kNumeric, "12.50", numeric(12, 2)), "12.5");
  EXPECT_EQ(form_, WALSPOUT_FORM_FLOAT8);
  EXPECT_EQ(back(oid::kNumeric, "100.00", numeric(12, 2)), "100");
  EXPECT_EQ(back(oid::kNumeric, "NaN", numeric(12, 2)), "NaN");
}

TEST_F(SqliteReader, OptionNumericDecidesOnTheForm) {
  EXPECT_EQ(back(oid::kNumeric, "12.50", numeric(12, 2), "text"), "12.50");
  EXPECT_EQ(form_, WALSPOUT_FORM_TEXT);
  EXPECT_EQ(back(oid::kNumeric, "0.1000", -1, "real"), "0.1");
  EXPECT_EQ(form_, WALSPOUT_FORM_FLOAT8);
}

TEST_F(SqliteReader, ArraysComeBackAsJsonOfTheirElementsText) {
  EXPECT_EQ(back(oid::kInt4Array, "{1,NULL,3}"), "[1,null,3]");
  EXPECT_EQ(form_, WALSPOUT_FORM_ELEMENTS);
  EXPECT_EQ(back(oid::kInt4Array, "[5:6]={1,2}"), "[1,2]");
  EXPECT_EQ(back(oid::kInt4Array, "{{1,2},{3,4}}"), "[[1,2],[3,4]]");
  EXPECT_EQ(back(oid::kTextArray, "{}"), "[]");
  EXPECT_EQ(back(oid::kTextArray, "{\"a\\\"b\\\\c\",\"NULL\"}"), "[\"a\\\"b\\\\c\",\"NULL\"]");
  EXPECT_EQ(back(oid::kBoolArray, "{t,f}"), "[true,false]");
  EXPECT_EQ(back(oid::kFloat8Array, "{NaN,1e+20}"), "[\"NaN\",1e+20]");
  EXPECT_EQ(back(oid::kByteaArray, "{\"\\\\x616263\",\"\\\\x\",NULL,\"\\\\xff\"}"),
            "[\"\\\\x616263\",\"\\\\x\",null,\"\\\\xff\"]");
}

TEST_F(SqliteReader, LineEndsOfUnicodeInArraysComeBackAsThemselves) {
  const std::string ends = "\xC2\x85\xE2\x80\xA8\xE2\x80\xA9";
  EXPECT_EQ(back(oid::kTextArray, "{" + ends + "}"), "[\"" + ends + "\"]");
  EXPECT_EQ(back(oid::kTextArray, "{\"\\\\u2028\"}"), "[\"\\\\u2028\"]") << "a text, no escape";
  EXPECT_EQ(back(oid::kJsonArray, "{\"\\\"\\\\u2028\\\"\"}"), "[\"\\u2028\"]")
      << "an escape of the source's";
}

TEST_F(SqliteReader, ValuesThatTheSinkNeverStoresAreLikeNoneOfTheSource) {
  Relation r = relation("public", "t").column("id", oid::kInt4, primary);
  r.column("v", oid::kText).column("b", oid::kBytea).column("ok", oid::kBool);
  insert(r, {"1", "x", "\\x61", "t"});
  rows("UPDATE t SET v = x'78', b = 'a', ok = 2 WHERE id = 1");
  BackReader reader(path());
  ASSERT_EQ(reader.table(r), 1);
  constexpr char kExpected[] = "1|\0blob:\\x78|\0text:a|\0integer:2";
  EXPECT_EQ(*reader.scan().begin(), std::string(kExpected, sizeof kExpected - 1));
}

TEST_F(SqliteReader, SeesTheMirrorAsOfItsOpenWhileTheSinkWrites) {
  Relation r = relation("public", "t").column("id", oid::kInt4, primary);
  insert(r, {"1"});
  BackReader before(path());
  ASSERT_EQ(before.status, WALSPOUT_OK) << before.message();
  insert(r, {"2"});
  BackReader after(path());
  EXPECT_GT(after.position, before.position);
  EXPECT_EQ(before.table(r), 1);
  EXPECT_EQ(before.scan(), std::multiset<std::string>({"1"}));
  EXPECT_EQ(after.table(r), 1);
  EXPECT_EQ(after.scan(), std::multiset<std::string>({"1", "2"}));
}

TEST_F(SqliteReader, OpensAFileThatNobodyWrites) {
  Relation r = relation("public", "t").column("id", oid::kInt4, primary);
  insert(r, {"1"});
  sink().close();
  BackReader reader(path());
  ASSERT_EQ(reader.status, WALSPOUT_OK) << reader.message();
  EXPECT_EQ(reader.table(r), 1);
  EXPECT_EQ(reader.scan().size(), 1U);
}

TEST_F(SqliteReader, WithoutAFileItAsksToComeAgainAndMakesNone) {
  BackReader reader(path());
  EXPECT_EQ(reader.status, WALSPOUT_RETRY);
  EXPECT_NE(reader.message().find(path()), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(SqliteReader, AFileThatIsNoDatabaseIsRefused) {
  FILE* file = std::fopen(path().c_str(), "w");
  std::fputs(std::string(5000, 'x').c_str(), file);
  std::fclose(file);
  EXPECT_EQ(BackReader(path()).status, WALSPOUT_CONFIG);
}

TEST_F(SqliteReader, AnotherSinksPositionDoesNotCount) {
  insert(relation("public", "t").column("id", oid::kInt4, primary), {"1"});
  BackReader other(path(), "auto", "other");
  EXPECT_EQ(other.status, WALSPOUT_OK);
  EXPECT_EQ(other.position, 0U);
}

TEST_F(SqliteReader, FindsRowsByAnyColumns) {
  Relation r = relation("public", "t").column("id", oid::kInt4, primary);
  r.column("n", oid::kNumeric).type_mod(numeric(9, 2)).column("tags", oid::kTextArray);
  insert(r, {"1", "1.50", "{a}"});
  insert(r, {"2", "1.50", "{b}"});
  insert(r, {"3", nullopt, nullopt});
  BackReader reader(path());
  ASSERT_EQ(reader.table(r), 1);
  using Found = std::multiset<std::string>;
  EXPECT_EQ(reader.find({"2", absent, absent}), Found({"2|1.5|[\"b\"]"}));
  EXPECT_EQ(reader.find({absent, "1.50", absent}).size(), 2U);
  EXPECT_EQ(reader.find({absent, "1.5", "[\"a\"]"}), Found({"1|1.5|[\"a\"]"}));
  EXPECT_EQ(reader.find({absent, nullopt, absent}), Found({"3|null|null"}));
  EXPECT_TRUE(reader.find({"4", absent, absent}).empty());
  EXPECT_TRUE(reader.find({"no number", absent, absent}).empty());
}

TEST_F(SqliteReader, SaysWhyATableIsNotThere) {
  Relation r = relation("public", "t").column("id", oid::kInt4, primary);
  insert(r, {"1"});
  Relation wider = relation("public", "t", r.get()->oid).column("id", oid::kInt4, primary);
  wider.column("more", oid::kText);
  BackReader reader(path());
  EXPECT_EQ(reader.table(relation("public", "other").column("id", oid::kInt4, primary)), 0);
  EXPECT_NE(reader.message().find("does not have it"), std::string::npos);
  EXPECT_EQ(reader.table(wider), 0);
  EXPECT_NE(reader.message().find("no column more"), std::string::npos);
}

TEST_F(SqliteReader, ATableThatWasDroppedAndMadeAnewIsAnother) {
  insert(relation("public", "t", 100).column("id", oid::kInt4, primary), {"1"});
  BackReader reader(path());
  EXPECT_EQ(reader.table(relation("public", "t", 100).column("id", oid::kInt4, primary)), 1);
  EXPECT_EQ(reader.table(relation("public", "t", 101).column("id", oid::kInt4, primary)), 0);
  EXPECT_NE(reader.message().find("before"), std::string::npos);
}

TEST_F(SqliteReader, TellsTablesUnderCopyFromThoseThatFailed) {
  Relation r = relation("public", "t").column("id", oid::kInt4, primary);
  insert(r, {"1"});
  rows("UPDATE _walspout_tables SET state = 'copying'");
  {
    BackReader reader(path());
    EXPECT_EQ(reader.table(r), 0);
    EXPECT_NE(reader.message().find("being copied"), std::string::npos);
  }
  rows("UPDATE _walspout_tables SET state = 'failed', reason = 'no rights'");
  BackReader reader(path());
  EXPECT_EQ(reader.table(r), -1);
  EXPECT_NE(reader.message().find("no rights"), std::string::npos);
}

}  // namespace walspout::sqlite
