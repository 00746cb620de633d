#include "sink/elf_image.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>

namespace walspout::sink {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr std::uint16_t kMachine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr std::uint16_t kMachine = EM_PPC64;
#else
#error "name this machine's e_machine here"
#endif
static_assert(std::endian::native == std::endian::little, "headers are read as they lie");
static_assert(sizeof(void*) == 8, "only 64-bit hosts");

// Symbols of one hash bucket. Real ones have a handful; a hostile file must not keep us busy.
constexpr std::uint64_t kLongestChain = 100'000;

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "aarch64";
    case EM_386:
      return "i386";
    case EM_ARM:
      return "arm";
    case EM_RISCV:
      return "riscv";
    case EM_PPC64:
      return "ppc64";
    default:
      return fmt::format("machine {}", machine);
  }
}

}  // namespace

ElfBytes::ElfBytes(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO must not wait for its writer.
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) {
    const int error = errno;
    throw BadElf{"cannot be opened: " + std::generic_category().message(error)};
  }
  struct stat info {};
  const bool regular = ::fstat(fd_, &info) == 0 && S_ISREG(info.st_mode);
  if (!regular) {
    ::close(fd_);
    throw BadElf{S_ISDIR(info.st_mode) ? "is a directory, not a shared object"
                                       : "is not a regular file"};
  }
  size_ = static_cast<std::uint64_t>(info.st_size);
}

ElfBytes::~ElfBytes() { ::close(fd_); }

void ElfBytes::read(std::uint64_t offset, void* to, std::size_t count) const {
  if (!holds(offset, count)) throw BadElf{"is damaged: a header points behind its end"};
  auto* at = static_cast<char*>(to);
  while (count > 0) {
    const ssize_t got = ::pread(fd_, at, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int error = errno;
      throw BadElf{"cannot be read: " + std::generic_category().message(error)};
    }
    if (got == 0) throw BadElf{"was cut short while it was read"};
    at += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

void ElfImage::read_header() {
  unsigned char ident[EI_NIDENT] = {};
  if (file_.size() == 0) throw BadElf{"is empty"};
  file_.read(0, ident, std::min<std::uint64_t>(EI_NIDENT, file_.size()));
  if (std::memcmp(ident, ELFMAG, SELFMAG) != 0)
    throw BadElf{"is not a shared object (no ELF file)"};
  if (file_.size() < sizeof header_) throw BadElf{"is truncated: its ELF header is not complete"};
  if (ident[EI_CLASS] != ELFCLASS64) throw BadElf{"is a 32-bit object; this host is 64-bit"};
  if (ident[EI_DATA] != ELFDATA2LSB) throw BadElf{"is big-endian; this host is little-endian"};
  header_ = file_.read<Elf64_Ehdr>(0);
  if (header_.e_machine != kMachine) {
    throw BadElf{fmt::format("is built for {}; this host is {}", machine_name(header_.e_machine),
                             machine_name(kMachine))};
  }
  if (header_.e_type != ET_DYN) {
    throw BadElf{"is an ELF file but not a shared object; link it with -shared"};
  }
  if (header_.e_phentsize != sizeof(Elf64_Phdr) || header_.e_phnum == 0)
    throw BadElf{"is damaged: its program header table has an impossible shape"};
  require(header_.e_phoff, std::uint64_t{header_.e_phnum} * sizeof(Elf64_Phdr));
  // Nobody loads by sections, but their table is the last thing a linker writes: with it the file
  // is whole. A file that was stripped of it has none.
  if (header_.e_shoff != 0)
    require(header_.e_shoff, std::uint64_t{header_.e_shnum} * header_.e_shentsize);
}

void ElfImage::require(std::uint64_t offset, std::uint64_t count) const {
  if (file_.holds(offset, count)) return;
  const bool overflows = offset > std::numeric_limits<std::uint64_t>::max() - count;
  throw BadElf{overflows ? std::string("is damaged: a header points behind any file's end")
                         : fmt::format("is truncated: it has {} bytes of at least {}; copy it anew",
                                       file_.size(), offset + count)};
}

void ElfImage::read_segments() {
  bool dynamic = false;
  for (std::uint64_t i = 0; i < header_.e_phnum; ++i) {
    const auto segment = file_.read<Elf64_Phdr>(header_.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) continue;
    require(segment.p_offset, segment.p_filesz);
    if (segment.p_type == PT_DYNAMIC) {
      dynamic_segment_ = segment;
      dynamic = true;
      continue;
    }
    if (segment.p_memsz < segment.p_filesz) {
      throw BadElf{"is damaged: a segment is smaller in memory than in the file"};
    }
    loads_.push_back(segment);
  }
  if (loads_.empty()) throw BadElf{"is damaged: nothing in it is to be loaded"};
  if (!dynamic) throw BadElf{"is not a shared object: it has no dynamic section"};
}

void ElfImage::read_dynamic() {
  const std::uint64_t count = dynamic_segment_.p_filesz / sizeof(Elf64_Dyn);
  for (std::uint64_t i = 0;; ++i) {
    if (i == count) throw BadElf{"is damaged: its dynamic section has no end"};
    const auto entry = file_.read<Elf64_Dyn>(dynamic_segment_.p_offset + i * sizeof(Elf64_Dyn));
    if (entry.d_tag == DT_NULL) break;
    note(entry);
  }
  if (dynamic_.symbols == 0 || dynamic_.strings == 0 || dynamic_.strings_size == 0)
    throw BadElf{"is damaged: it has no dynamic symbol table"};
  strings_offset_ = offset_of(dynamic_.strings, dynamic_.strings_size);
}

void ElfImage::note(const Elf64_Dyn& entry) {
  switch (entry.d_tag) {
    case DT_SYMTAB:
      dynamic_.symbols = entry.d_un.d_ptr;
      break;
    case DT_STRTAB:
      dynamic_.strings = entry.d_un.d_ptr;
      break;
    case DT_STRSZ:
      dynamic_.strings_size = entry.d_un.d_val;
      break;
    case DT_HASH:
      dynamic_.hash = entry.d_un.d_ptr;
      break;
    case DT_GNU_HASH:
      dynamic_.gnu_hash = entry.d_un.d_ptr;
      break;
    case DT_NEEDED:
      dynamic_.needed.push_back(entry.d_un.d_val);
      break;
    default:
      break;
  }
}

// Where the bytes of an address lie in the file.
std::uint64_t ElfImage::offset_of(std::uint64_t address, std::uint64_t count) const {
  for (const Elf64_Phdr& load : loads_) {
    if (address < load.p_vaddr) continue;
    const std::uint64_t inside = address - load.p_vaddr;
    if (inside <= load.p_filesz && count <= load.p_filesz - inside) return load.p_offset + inside;
  }
  throw BadElf{"is damaged: its dynamic section points outside of what is loaded"};
}

template <class T>
T ElfImage::at(std::uint64_t address, std::uint64_t index) const {
  // Bounded by the file's size, so that the product cannot wrap.
  if (index > file_.size()) throw BadElf{"is damaged: a table index is beyond the file"};
  if (address > std::numeric_limits<std::uint64_t>::max() - index * sizeof(T))
    throw BadElf{"is damaged: an address wraps around"};
  return file_.read<T>(offset_of(address + index * sizeof(T), sizeof(T)));
}

std::uint32_t ElfImage::word(std::uint64_t address, std::uint64_t index) const {
  return at<std::uint32_t>(address, index);
}

bool ElfImage::string_starts(std::uint64_t offset, std::string_view text) const {
  if (offset > dynamic_.strings_size || text.size() > dynamic_.strings_size - offset) return false;
  std::string found(text.size(), '\0');
  file_.read(strings_offset_ + offset, found.data(), found.size());
  return found == text;
}

bool ElfImage::needs(std::string_view library) const {
  return std::any_of(dynamic_.needed.begin(), dynamic_.needed.end(),
                     [&](std::uint64_t name) { return string_starts(name, library); });
}

bool ElfImage::exports(std::string_view name) const {
  if (dynamic_.gnu_hash != 0) return exports_by_gnu_hash(name);
  if (dynamic_.hash != 0) return exports_by_hash(name);
  throw BadElf{"is damaged: its dynamic symbols have no hash table"};
}

bool ElfImage::is_definition(std::uint64_t index, std::string_view name) const {
  const auto symbol = at<Elf64_Sym>(dynamic_.symbols, index);
  const unsigned bind = ELF64_ST_BIND(symbol.st_info);
  return symbol.st_shndx != SHN_UNDEF && (bind == STB_GLOBAL || bind == STB_WEAK) &&
         string_starts(symbol.st_name, std::string(name) + '\0');
}

// The layout is binutils': bucket count, first hashed symbol, Bloom filter words and shift; the
// filter; the buckets; one hash a symbol, its low bit set at the end of a chain.
bool ElfImage::exports_by_gnu_hash(std::string_view name) const {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  const auto bucket_count = word(dynamic_.gnu_hash, 0);
  const auto first = word(dynamic_.gnu_hash, 1);
  const auto filter_words = word(dynamic_.gnu_hash, 2);
  if (bucket_count == 0) return false;
  const std::uint64_t buckets = 4 + std::uint64_t{filter_words} * 2;  // in 4-byte words
  std::uint64_t symbol = word(dynamic_.gnu_hash, buckets + hash % bucket_count);
  if (symbol < first) return false;
  for (std::uint64_t steps = 0; steps < kLongestChain; ++steps, ++symbol) {
    const auto found = word(dynamic_.gnu_hash, buckets + bucket_count + symbol - first);
    if ((found | 1) == (hash | 1) && is_definition(symbol, name)) return true;
    if ((found & 1) != 0) return false;
  }
  throw BadElf{"is damaged: its symbol hash table has no end"};
}

// System V gABI, "Hash Table": bucket count, chain count, buckets, chains.
bool ElfImage::exports_by_hash(std::string_view name) const {
  std::uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    const std::uint32_t high = hash & 0xf0000000;
    hash = (hash ^ (high >> 24)) & ~high;
  }
  const auto bucket_count = word(dynamic_.hash, 0);
  if (bucket_count == 0) return false;
  std::uint64_t symbol = word(dynamic_.hash, 2 + std::uint64_t{hash % bucket_count});
  for (std::uint64_t steps = 0; symbol != STN_UNDEF; ++steps) {
    if (steps == kLongestChain) throw BadElf{"is damaged: its symbol hash table has no end"};
    if (is_definition(symbol, name)) return true;
    symbol = word(dynamic_.hash, 2 + std::uint64_t{bucket_count} + symbol);
  }
  return false;
}

}  // namespace walspout::sink
