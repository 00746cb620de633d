// Plugins of another interface version, wrong files, missing symbols: refused before any callback
// is called (those of the test plugins abort), with the path and the reason.
#include <gmock/gmock.h>
#include <unistd.h>

#include "loader_support.hpp"
#include "sink/plugin.hpp"

namespace walspout::sink {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::string refusal_of_plugin(const fs::path& path) {
  return refusal_of([&] { Plugin::load(path); });
}
auto NamesFileAnd(const std::string& name, const std::string& reason) {
  return AllOf(HasSubstr(built(name).native()), HasSubstr(reason));
}

TEST(Loader, LoadsAGoodPlugin) {
  const Plugin& plugin = Plugin::load(built("good"), "good");
  EXPECT_STREQ(plugin.descriptor().name, "good");
  EXPECT_EQ(plugin.path(), fs::canonical(built("good")));
}

TEST(Loader, GivesTheSamePluginForTheSameFile) {
  TempFolder folder;
  fs::create_symlink(built("good"), folder.path() / "alias.so");
  EXPECT_EQ(&Plugin::load(built("good")), &Plugin::load(folder.path() / "alias.so"));
}

TEST(Loader, LoadsTwoCopiesOfAPluginSideBySide) {
  TempFolder folder;
  const fs::path copy = folder.write("good.so", content_of(built("good")));
  const Plugin& first = Plugin::load(built("good"));
  const Plugin& second = Plugin::load(copy);
  EXPECT_NE(&first.descriptor(), &second.descriptor());
}

TEST(Loader, TakesAPluginOfANewerMinorVersion) {
  const Plugin& plugin = Plugin::load(built("newer_minor"));
  EXPECT_EQ(plugin.descriptor().abi_minor, 7);
  EXPECT_GT(plugin.descriptor().struct_size, sizeof(walspout_plugin));
}

TEST(Loader, RefusesANewerMajorVersionAndNamesBoth) {
  EXPECT_THAT(refusal_of_plugin(built("newer_major")),
              NamesFileAnd("newer_major", "is built for plugin ABI 2.0; this host supports ABI 1"));
}

TEST(Loader, RefusesAnOlderMajorVersionAndNamesBoth) {
  EXPECT_THAT(refusal_of_plugin(built("older_major")),
              NamesFileAnd("older_major", "is built for plugin ABI 0.0; this host supports ABI 1"));
}

TEST(Loader, RefusesADescriptorThatEndsBeforeARequiredCallback) {
  EXPECT_THAT(refusal_of_plugin(built("small_struct")),
              NamesFileAnd("small_struct", "lacks the required callbacks close"));
}

TEST(Loader, RefusesADescriptorTooSmallForItsVersion) {
  EXPECT_THAT(refusal_of_plugin(built("tiny_struct")),
              NamesFileAnd("tiny_struct", "impossible size (4 bytes)"));
}

TEST(Loader, RefusesAnEntryThatReturnsNull) {
  EXPECT_THAT(refusal_of_plugin(built("null_entry")),
              NamesFileAnd("null_entry", "walspout_plugin_v1 returned NULL"));
}

TEST(Loader, RefusesARequiredCallbackThatIsNull) {
  EXPECT_THAT(refusal_of_plugin(built("null_callback")),
              NamesFileAnd("null_callback", "lacks the required callbacks write"));
}

TEST(Loader, RefusesAnOptionOfAnUnknownType) {
  EXPECT_THAT(refusal_of_plugin(built("bad_option")),
              NamesFileAnd("bad_option", "has the option 'path', which has the type 99"));
}

TEST(Loader, RefusesALibraryWithoutTheEntry) {
  EXPECT_THAT(refusal_of_plugin(built("other_entry")),
              NamesFileAnd("other_entry", "it does not export walspout_plugin_v1"));
}

TEST(Loader, RefusesTheEntryOfAnotherMajorVersion) {
  EXPECT_THAT(refusal_of_plugin(built("abi_2")),
              NamesFileAnd("abi_2", "is built for plugin ABI 2 and has no walspout_plugin_v1"));
}

TEST(Loader, NamesASymbolThatCannotBeResolved) {
  EXPECT_THAT(refusal_of_plugin(built("unresolved")),
              AllOf(NamesFileAnd("unresolved", "cannot be loaded: "),
                    EndsWith("undefined symbol: write_changes")));
}

TEST(Loader, CatchesAnExceptionOutOfTheEntry) {
  EXPECT_THAT(refusal_of_plugin(built("throws_text")),
              NamesFileAnd("throws_text", "threw an exception"));
  EXPECT_THAT(refusal_of_plugin(built("throws_text")), HasSubstr("no licence\\nfound"));
}

TEST(Loader, CatchesAnExceptionThatIsNoStdException) {
  EXPECT_THAT(refusal_of_plugin(built("throws_number")),
              NamesFileAnd("throws_number", "exception of an unknown type"));
}

TEST(Loader, RefusesAPluginAgainThatItRefusedBefore) {
  const std::string first = refusal_of_plugin(built("newer_major"));
  EXPECT_EQ(refusal_of_plugin(built("newer_major")), first);
}

TEST(Loader, RefusesAMissingFile) {
  EXPECT_THAT(refusal_of_plugin("/nowhere/x.so"),
              AllOf(HasSubstr("/nowhere/x.so"), HasSubstr("No such file or directory")));
}

TEST(Loader, RefusesATruncatedPluginInsteadOfDying) {
  TempFolder folder;
  const std::string content = content_of(built("good"));
  const fs::path file = folder.write("good.so", content.substr(0, content.size() / 2));
  EXPECT_THAT(refusal_of_plugin(file), HasSubstr("is truncated"));
}

TEST(Loader, RefusesARelativePathThoughTheFileIsInTheWorkingDirectory) {
  const fs::path before = fs::current_path();
  fs::current_path(LOADER_PLUGINS);
  const std::string text = refusal_of_plugin("good.so");
  fs::current_path(before);
  EXPECT_THAT(text, HasSubstr("has no absolute path"));
}

TEST(Loader, RefusesAPluginUnderAnotherNameThanItsOwn) {
  TempFolder folder;
  folder.write("renamed.so", content_of(built("good")));
  const PluginPath path(nullptr, {folder.path()}, {});
  EXPECT_THAT(refusal_of([&] { load_plugin(path, "renamed"); }),
              HasSubstr("is plugin 'good', not 'renamed'"));
}

TEST(Loader, DoesNotCompareNamesWhenAPathIsGiven) {
  TempFolder folder;
  const fs::path file = folder.write("renamed.so", content_of(built("good")));
  EXPECT_STREQ(load_plugin(PluginPath(nullptr, {}, {}), file.native()).descriptor().name, "good");
}

TEST(Loader, KeepsTheLoadedPluginWhenItsFileIsReplaced) {
  TempFolder folder;
  const fs::path file = folder.write("good.so", content_of(built("good")));
  const Plugin& first = Plugin::load(file);
  fs::rename(folder.write("new.so", content_of(built("good"))), file);
  EXPECT_EQ(&Plugin::load(file), &first);
}

// One open sink of a counter plugin.
class CounterSink {
 public:
  CounterSink(const Plugin& plugin, std::string_view label) : plugin_(plugin.descriptor()) {
    const walspout_setting setting = {
        {"label", 5}, WALSPOUT_STRING, 0, 0, 0, {label.data(), label.size()}};
    walspout_host host{};
    walspout_open_args args{};
    args.struct_size = sizeof args;
    args.setting_count = 1;
    args.settings = &setting;
    args.host = &host;
    args.pipeline = args.sink = args.state_dir = "";
    walspout_open_reply reply{};
    reply.struct_size = sizeof reply;
    walspout_error error{};
    EXPECT_EQ(plugin_.open(&args, &reply, &error), WALSPOUT_OK) << error.message;
    self_ = reply.self;
  }
  ~CounterSink() { plugin_.close(self_); }
  CounterSink(const CounterSink&) = delete;
  CounterSink& operator=(const CounterSink&) = delete;

  void write_message() {
    walspout_change change{};
    change.op = WALSPOUT_MESSAGE;
    const walspout_change* changes[] = {&change};
    walspout_txn txn{};
    const walspout_batch batch = {sizeof batch, WALSPOUT_FIRST | WALSPOUT_LAST, &txn, 1, changes};
    walspout_error error{};
    EXPECT_EQ(plugin_.write(self_, &batch, &error), WALSPOUT_OK) << error.message;
  }
  std::string state() {
    walspout_error error{};
    EXPECT_EQ(plugin_.abort(self_, &error), WALSPOUT_CONFIG);
    return error.message;
  }

 private:
  const walspout_plugin& plugin_;
  walspout_instance* self_ = nullptr;
};

TEST(Loader, TwoSinksOfOnePluginShareNothing) {
  const Plugin& plugin = Plugin::load(built("counter"));
  CounterSink first(plugin, "first");
  CounterSink second(plugin, "second");
  second.write_message();
  EXPECT_EQ(first.state(), "first");
  EXPECT_EQ(second.state(), "second+6");
}

TEST(Loader, APluginOfAnotherStandardLibrarySettingWorks) {
  CounterSink sink(Plugin::load(built("counter_old_abi")), "old");
  sink.write_message();
  EXPECT_EQ(sink.state(), "old+6");
}

}  // namespace
}  // namespace walspout::sink
