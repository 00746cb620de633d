#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>

namespace walspout::webhook_test {

// The bytes of a gzip file.
inline std::string gunzip(const std::string& file) {
  z_stream stream = {};
  if (inflateInit2(&stream, 16 + 15) != Z_OK) throw std::runtime_error("inflateInit2");
  std::string in = file, out;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  char block[64 * 1024];
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(block);
    stream.avail_out = sizeof block;
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(block, sizeof block - stream.avail_out);
  }
  inflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("no gzip file");
  return out;
}

}  // namespace walspout::webhook_test
