#include "gzip.hpp"

#include <zlib.h>

#include <walspout/error.hpp>

namespace walspout::webhook {

std::string gzip(std::string_view bytes) {
  constexpr int kGzipFormat = 16, kWindowBits = 15, kMemory = 8;
  z_stream stream = {};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipFormat + kWindowBits, kMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw Retry("zlib cannot begin to compress: no memory");
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  // zlib does not write to its input, it only lacks the const
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // NOLINT
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  const std::size_t size = stream.total_out;
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw Fatal("zlib did not finish a batch");
  out.resize(size);
  return out;
}

}  // namespace walspout::webhook
