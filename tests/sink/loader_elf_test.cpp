// The check before dlopen(): whatever the bytes, it answers, and never by a crash.
#include <elf.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <random>

#include "loader_support.hpp"
#include "sink/elf_file.hpp"

namespace walspout::sink {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Optional;
using testing::StartsWith;

class ElfFile : public testing::Test {
 protected:
  // In memory, as rewriting a file thousands of times is slow on a busy disk.
  std::optional<std::string> check(const std::string& content) {
    const int file = ::memfd_create("plugin", MFD_CLOEXEC);
    const auto written = ::write(file, content.data(), content.size());
    EXPECT_EQ(written, static_cast<ssize_t>(content.size()));
    const auto finding = check_elf("/proc/self/fd/" + std::to_string(file));
    ::close(file);
    if (finding) {
      EXPECT_THAT(*finding,
                  testing::AnyOf(StartsWith("is "), StartsWith("has "), StartsWith("was ")));
      EXPECT_EQ(finding->find('\n'), std::string::npos);
    }
    return finding;
  }
  // The good plugin with one header field changed.
  template <class T>
  std::string with(std::size_t offset, T value) {
    std::string content = good_;
    std::memcpy(content.data() + offset, &value, sizeof value);
    return content;
  }
  // Where the program header of this type starts.
  std::size_t segment(std::uint32_t type) {
    Elf64_Ehdr header;
    std::memcpy(&header, good_.data(), sizeof header);
    for (std::size_t i = 0; i < header.e_phnum; ++i) {
      const std::size_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
      Elf64_Phdr found;
      std::memcpy(&found, good_.data() + at, sizeof found);
      if (found.p_type == type) return at;
    }
    throw std::runtime_error("no such segment");
  }
  // Where the entry of this tag in the dynamic section starts.
  std::size_t dynamic(std::int64_t tag) {
    Elf64_Phdr found;
    std::memcpy(&found, good_.data() + segment(PT_DYNAMIC), sizeof found);
    for (std::size_t at = found.p_offset;; at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      std::memcpy(&entry, good_.data() + at, sizeof entry);
      if (entry.d_tag == tag) return at;
      if (entry.d_tag == DT_NULL) throw std::runtime_error("no such entry");
    }
  }

  TempFolder folder_;
  std::string good_ = content_of(built("good"));
};

TEST_F(ElfFile, AcceptsAPlugin) { EXPECT_EQ(check(good_), std::nullopt); }

TEST_F(ElfFile, AcceptsAPluginWithTheOldHashTable) {
  EXPECT_EQ(check_elf(built("sysv_hash")), std::nullopt);
}

TEST_F(ElfFile, AcceptsAPluginWithoutASectionTable) {
  EXPECT_EQ(check(with<std::uint64_t>(offsetof(Elf64_Ehdr, e_shoff), 0)), std::nullopt);
}

TEST_F(ElfFile, RefusesAMissingFile) {
  EXPECT_THAT(check_elf("/nowhere/x.so"), Optional(HasSubstr("No such file or directory")));
}

TEST_F(ElfFile, RefusesAnEmptyFile) { EXPECT_THAT(check(""), Optional(HasSubstr("is empty"))); }

TEST_F(ElfFile, RefusesAScript) {
  EXPECT_THAT(check("#!/bin/sh\n" + std::string(1000, ' ')), Optional(HasSubstr("no ELF file")));
}

TEST_F(ElfFile, RefusesADirectory) {
  EXPECT_THAT(check_elf(folder_.path()), Optional(HasSubstr("is a directory")));
}

TEST_F(ElfFile, RefusesAPipeWithoutWaitingForItsWriter) {
  const fs::path pipe = folder_.path() / "pipe.so";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(check_elf(pipe), Optional(HasSubstr("is not a regular file")));
}

TEST_F(ElfFile, RefusesAProgram) {
  EXPECT_THAT(check_elf("/proc/self/exe"), Optional(HasSubstr("is no walspout plugin")));
}

TEST_F(ElfFile, RefusesAnObjectOf32Bit) {
  EXPECT_THAT(check(with<std::uint8_t>(EI_CLASS, ELFCLASS32)), Optional(HasSubstr("32-bit")));
}

TEST_F(ElfFile, RefusesABigEndianObject) {
  EXPECT_THAT(check(with<std::uint8_t>(EI_DATA, ELFDATA2MSB)), Optional(HasSubstr("big-endian")));
}

TEST_F(ElfFile, RefusesAnotherMachineAndNamesIt) {
  EXPECT_THAT(check(with<std::uint16_t>(offsetof(Elf64_Ehdr, e_machine), EM_ARM)),
              Optional(HasSubstr("is built for arm; this host is ")));
}

TEST_F(ElfFile, RefusesAnObjectThatIsNotShared) {
  EXPECT_THAT(check(with<std::uint16_t>(offsetof(Elf64_Ehdr, e_type), ET_REL)),
              Optional(HasSubstr("not a shared object")));
}

TEST_F(ElfFile, RefusesAProgramHeaderTableBehindTheEnd) {
  EXPECT_THAT(check(with<std::uint64_t>(offsetof(Elf64_Ehdr, e_phoff), good_.size())),
              Optional(HasSubstr("is truncated")));
}

TEST_F(ElfFile, RefusesASectionTableThatWrapsAround) {
  EXPECT_THAT(check(with<std::uint64_t>(offsetof(Elf64_Ehdr, e_shoff), ~std::uint64_t{0})),
              Optional(HasSubstr("is damaged")));
}

TEST_F(ElfFile, RefusesASegmentBehindTheEnd) {
  EXPECT_THAT(check(with<std::uint64_t>(segment(PT_LOAD) + offsetof(Elf64_Phdr, p_filesz),
                                        good_.size() + 1)),
              Optional(HasSubstr("is truncated")));
}

TEST_F(ElfFile, RefusesAnObjectWithoutADynamicSection) {
  EXPECT_THAT(check(with<std::uint32_t>(segment(PT_DYNAMIC), PT_NULL)),
              Optional(HasSubstr("no dynamic section")));
}

TEST_F(ElfFile, RefusesADynamicSectionWithoutAnEnd) {
  EXPECT_THAT(check(with<std::uint64_t>(segment(PT_DYNAMIC) + offsetof(Elf64_Phdr, p_filesz),
                                        sizeof(Elf64_Dyn))),
              Optional(HasSubstr("has no end")));
}

TEST_F(ElfFile, RefusesAStringTableOutsideOfWhatIsLoaded) {
  EXPECT_THAT(check(with<std::uint64_t>(dynamic(DT_STRTAB) + offsetof(Elf64_Dyn, d_un),
                                        std::uint64_t{1} << 60)),
              Optional(HasSubstr("points outside of what is loaded")));
}

TEST_F(ElfFile, RefusesSymbolsWithoutAHashTable) {
  EXPECT_THAT(check(with<std::int64_t>(dynamic(DT_GNU_HASH), DT_DEBUG)),
              Optional(HasSubstr("have no hash table")));
}

TEST_F(ElfFile, RefusesEveryTruncation) {
  for (std::size_t size = 0; size < good_.size(); size += size < 200 ? 1 : 100)
    EXPECT_NE(check(good_.substr(0, size)), std::nullopt) << size << " bytes were accepted";
  EXPECT_NE(check(good_.substr(0, good_.size() - 1)), std::nullopt);
}

TEST_F(ElfFile, RefusesATruncationOfASegmentThoughThereIsNoSectionTable) {
  good_ = with<std::uint64_t>(offsetof(Elf64_Ehdr, e_shoff), 0);
  EXPECT_THAT(check(good_.substr(0, dynamic(DT_NULL))), Optional(HasSubstr("is truncated")));
}

// Half of the flips hit the first 4 KiB, where the headers, symbols and hash table lie.
void flip_bytes(std::string& content, std::mt19937& random) {
  const auto count = 1 + random() % 8;
  for (unsigned i = 0; i < count; ++i) {
    const std::size_t range =
        random() % 2 == 0 ? std::min<std::size_t>(4096, content.size()) : content.size();
    content[random() % range] = static_cast<char>(random());
  }
}

TEST_F(ElfFile, AnswersForAnyBytes) {
  std::mt19937 random(1);
  for (const char* name : {"good", "sysv_hash"}) {
    good_ = content_of(built(name));
    int refused = 0;
    for (int i = 0; i < 2000; ++i) {
      std::string content = good_;
      flip_bytes(content, random);
      refused += check(content).has_value() ? 1 : 0;
    }
    EXPECT_GT(refused, 0);
  }
}

TEST_F(ElfFile, AnswersForEveryByteOfItsTablesSetToTheLargestAndTheSmallest) {
  const std::size_t end = dynamic(DT_STRTAB) + 64;
  for (const char value : {'\xff', '\x00', '\x7f'}) {
    for (std::size_t at = 0; at < end; at += at < 2048 ? 1 : 7) {
      std::string content = good_;
      content[at] = value;
      const auto finding = check(content);
      if (at < SELFMAG && value != good_[at]) {
        EXPECT_TRUE(finding.has_value());
      }
    }
  }
}

}  // namespace
}  // namespace walspout::sink
