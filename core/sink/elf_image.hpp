// The parts of an ELF shared object that check_elf() asks about, read from the file with every
// bound checked. Internal to elf_file.cpp.
#pragma once

#include <elf.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace walspout::sink {

// Ends a check; the text is the verdict. Never leaves check_elf().
struct BadElf {
  std::string text;
};

// A regular file, read piece by piece. Not mapped: a file that is cut while it is mapped kills the
// reader.
class ElfBytes {
 public:
  explicit ElfBytes(const std::filesystem::path& path);
  ~ElfBytes();
  ElfBytes(const ElfBytes&) = delete;
  ElfBytes& operator=(const ElfBytes&) = delete;

  std::uint64_t size() const { return size_; }
  bool holds(std::uint64_t offset, std::uint64_t count) const {
    return offset <= size_ && count <= size_ - offset;
  }
  void read(std::uint64_t offset, void* to, std::size_t count) const;
  template <class T>
  T read(std::uint64_t offset) const {
    T value;
    read(offset, &value, sizeof value);
    return value;
  }

 private:
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

// All members throw BadElf for what is damaged. Call the three steps in this order.
class ElfImage {
 public:
  explicit ElfImage(const std::filesystem::path& path) : file_(path) {}

  void read_header();    // ELF64, this machine, a shared object, tables complete
  void read_segments();  // all that is to be loaded is in the file
  void read_dynamic();   // where symbols and strings lie

  // True if the object defines this dynamic symbol.
  bool exports(std::string_view name) const;
  // True if the object asks for a library whose name starts so.
  bool needs(std::string_view library) const;

 private:
  // What PT_DYNAMIC says, as addresses in the loaded image; 0 = not there.
  struct Dynamic {
    std::uint64_t symbols = 0;
    std::uint64_t strings = 0;
    std::uint64_t strings_size = 0;
    std::uint64_t hash = 0;
    std::uint64_t gnu_hash = 0;
    std::vector<std::uint64_t> needed;  // offsets into strings
  };

  void require(std::uint64_t offset, std::uint64_t count) const;
  void note(const Elf64_Dyn& entry);
  std::uint64_t offset_of(std::uint64_t address, std::uint64_t count) const;
  template <class T>
  T at(std::uint64_t address, std::uint64_t index) const;
  std::uint32_t word(std::uint64_t address, std::uint64_t index) const;
  bool string_starts(std::uint64_t offset, std::string_view text) const;
  bool is_definition(std::uint64_t index, std::string_view name) const;
  bool exports_by_gnu_hash(std::string_view name) const;
  bool exports_by_hash(std::string_view name) const;

  ElfBytes file_;
  Elf64_Ehdr header_{};
  Elf64_Phdr dynamic_segment_{};
  std::vector<Elf64_Phdr> loads_;
  Dynamic dynamic_;
  std::uint64_t strings_offset_ = 0;
};

}  // namespace walspout::sink
