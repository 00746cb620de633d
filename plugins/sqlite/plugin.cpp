#include <walspout/sink.hpp>

#include "reader.hpp"
#include "sink.hpp"

namespace walspout::sqlite {
namespace {

class ReadableMirror : public MirrorSink {
 public:
  using MirrorSink::MirrorSink;
  static constexpr const walspout_reader_calls* reader() {
    return &ReaderEntry<MirrorReader>::calls;
  }
};

}  // namespace
}  // namespace walspout::sqlite

WALSPOUT_PLUGIN(walspout::sqlite::ReadableMirror, "sqlite", "0.1.0",
                "Mirrors tables into a SQLite file, each change exactly once.",
                WALSPOUT_CAP_POSITION | WALSPOUT_CAP_SNAPSHOT | WALSPOUT_CAP_SHADOW |
                    WALSPOUT_CAP_READ_BACK,
                WALSPOUT_TAKES_TRUNCATE | WALSPOUT_TAKES_PARTIAL_ROW | WALSPOUT_TAKES_KEY_CHANGE |
                    WALSPOUT_TAKES_NO_KEY | WALSPOUT_TAKES_SCHEMA,
                {"path", WALSPOUT_PATH, WALSPOUT_REQUIRED, nullptr,
                 "The SQLite file; created, readable by its owner only, when missing."},
                {"numeric", WALSPOUT_STRING, 0, "auto",
                 "numeric columns: auto (numbers where up to 15 digits are declared, else exact "
                 "text), text (always exact text) or real (always numbers, rounded)."},
                {"busy_timeout", WALSPOUT_DURATION_MS, 0, "10s",
                 "How long to wait for another program's lock on the file before the host is told; "
                 "it tries again for ever, nothing is lost."},
                {"cache", WALSPOUT_BYTES, 0, "32MiB", "Memory for pages of the file."},
                {"wal_limit", WALSPOUT_BYTES, 0, "40MiB",
                 "Size of the -wal file after which it is written back into the file."})
