// Small files in the sink's state folder that must be there after a power failure.
#pragma once

#include <string>
#include <string_view>

namespace walspout::webhook {

// The whole content; empty when there is no such file. All of these throw Retry.
std::string read_file(const std::string& path);
void replace_file(const std::string& path, std::string_view content);
void append_to_file(const std::string& path, std::string_view content);
void remove_file(const std::string& path);

}  // namespace walspout::webhook
