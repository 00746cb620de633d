#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader_support.hpp"

namespace walspout::sink {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string text_of(const TempFolder& folder) { return folder.path().native(); }

TEST(PluginPath, LooksInTheEnvironmentThenTheConfigurationThenTheInstalledFolder) {
  const PluginPath path("/e1:/e2", {"/c1", "/c2"}, {"/i"});
  EXPECT_THAT(path.folders(), ElementsAre("/e1", "/e2", "/c1", "/c2", "/i"));
}

TEST(PluginPath, SkipsEmptyEntriesOfTheVariable) {
  EXPECT_THAT(PluginPath("::/e1::", {}, {}).folders(), ElementsAre("/e1"));
  EXPECT_THAT(PluginPath("", {}, {}).folders(), IsEmpty());
}

TEST(PluginPath, LooksInEachFolderOnce) {
  EXPECT_THAT(PluginPath("/a:/a/:/b/../a", {"/a"}, {"/a"}).folders(), ElementsAre("/a"));
}

TEST(PluginPath, RefusesARelativeEntryOfTheVariable) {
  EXPECT_THAT(refusal_of([] { PluginPath("/e1:plugins", {}, {}); }),
              AllOf(HasSubstr("WALSPOUT_PLUGIN_PATH"), HasSubstr("'plugins'")));
  EXPECT_THAT(refusal_of([] { PluginPath(".", {}, {}); }), HasSubstr("'.'"));
}

TEST(PluginPath, FindsTheFirstOfTwo) {
  TempFolder first, second;
  first.write("x.so", "");
  second.write("x.so", "");
  second.write("y.so", "");
  const PluginPath path(text_of(first).c_str(), {second.path()}, {});
  EXPECT_EQ(path.find("x"), first.path() / "x.so");
  EXPECT_EQ(path.find("y"), second.path() / "y.so");
}

TEST(PluginPath, SaysWhereItLooked) {
  EXPECT_THAT(refusal_of([] { PluginPath("/e1", {"/c1"}, {"/i"}).find("kafka"); }),
              AllOf(HasSubstr("'kafka'"), HasSubstr("kafka.so in /e1, /c1, /i")));
}

TEST(PluginPath, GivesBackAPathAsItIs) {
  EXPECT_EQ(PluginPath(nullptr, {}, {}).find("/opt/x.so"), "/opt/x.so");
}

TEST(PluginPath, RefusesWhatIsNoName) {
  const PluginPath path("/e1", {}, {});
  EXPECT_THAT(refusal_of([&] { path.find("Kafka.so"); }), HasSubstr("is no plugin name"));
  EXPECT_THAT(refusal_of([&] { path.find(""); }), HasSubstr("is no plugin name"));
  EXPECT_THAT(refusal_of([&] { path.find(".."); }), HasSubstr("is no plugin name"));
  EXPECT_THAT(refusal_of([&] { path.find("a\nb"); }), HasSubstr("'a\\nb'"));
}

TEST(PluginPath, NeverLooksInTheWorkingDirectoryNorInLdLibraryPath) {
  TempFolder folder;
  folder.write("hidden.so", "");
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  ::setenv("LD_LIBRARY_PATH", folder.path().c_str(), 1);
  ::unsetenv("WALSPOUT_PLUGIN_PATH");
  const std::string text = refusal_of([] { PluginPath::of_process({}).find("hidden"); });
  ::unsetenv("LD_LIBRARY_PATH");
  fs::current_path(before);
  EXPECT_THAT(text, HasSubstr("was not found"));
}

TEST(PluginPath, OfTheProcessStartsWithItsEnvironmentAndEndsBesideItsExecutable) {
  ::setenv("WALSPOUT_PLUGIN_PATH", "/e1", 1);
  const PluginPath path = PluginPath::of_process({"/c1"});
  ::unsetenv("WALSPOUT_PLUGIN_PATH");
  ASSERT_EQ(path.folders().size(), 4U);
  EXPECT_EQ(path.folders()[0], "/e1");
  EXPECT_EQ(path.folders()[1], "/c1");
  EXPECT_EQ(path.folders()[2].filename(), "walspout");
  EXPECT_EQ(path.folders()[3], fs::read_symlink("/proc/self/exe").parent_path() / "plugins");
}

TEST(PluginPath, ListsWhatItWouldFind) {
  TempFolder first, second;
  first.write("b.so", "");
  first.write("notes.txt", "");
  first.write("Upper.so", "");
  second.write("b.so", "");
  second.write("a.so", "");
  const auto listing = PluginPath(nullptr, {first.path(), second.path(), "/nowhere"}, {}).list();
  ASSERT_EQ(listing.plugins.size(), 2U);
  EXPECT_EQ(listing.plugins[0].name, "a");
  EXPECT_EQ(listing.plugins[0].path, second.path() / "a.so");
  EXPECT_EQ(listing.plugins[1].path, first.path() / "b.so");
  EXPECT_THAT(listing.problems, IsEmpty());
}

TEST(PluginPath, ListSaysWhichFolderCannotBeRead) {
  TempFolder folder;
  const fs::path file = folder.write("file", "");
  const auto listing = PluginPath(nullptr, {file}, {}).list();
  EXPECT_THAT(listing.problems, ElementsAre(AllOf(HasSubstr(file.native()), HasSubstr("Not a"))));
}

}  // namespace
}  // namespace walspout::sink
