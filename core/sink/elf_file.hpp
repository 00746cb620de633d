// A look at a shared object before the dynamic linker gets it. dlopen() maps what the program
// headers promise: a truncated file kills the process with SIGBUS, and for a file of another
// machine the error text is wrong ("No such file or directory"). Source: elf(5); System V gABI,
// chapters 4 and 5.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace walspout::sink {

// Nothing if the file can be given to dlopen(): a regular file, a complete ELF shared object for
// the machine of this host, that exports the entry symbol. Otherwise what is wrong, as the rest of
// a sentence that starts with the file ("is truncated: ..."). Reads the file and runs none of it;
// any bytes whatever are safe to give.
std::optional<std::string> check_elf(const std::filesystem::path& path);

}  // namespace walspout::sink
