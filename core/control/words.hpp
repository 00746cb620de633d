// Words on one line, as requests carry them: each percent-encoded, one blank between two. So a word
// may hold anything, blanks, newlines and NUL included, and may be empty.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace walspout::control {

// Without the newline. Letters, digits and - . _ ~ * ! stay as they are, every other byte is %HH.
std::string encode_words(const std::vector<std::string>& words);

// Nothing when the line does not have that form: a bad %HH, or a byte that should have been
// encoded. Any printable ASCII but % may stand for itself, for those who type a request by hand.
// An empty line is no words.
std::optional<std::vector<std::string>> decode_words(std::string_view line);

}  // namespace walspout::control
