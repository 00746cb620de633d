// The file sink: JSON lines, exactly once. README.md has the promises and the format of its record.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <walspout/json.hpp>
#include <walspout/sink.hpp>

#include "output.hpp"
#include "position_store.hpp"
#include "recovery.hpp"

namespace walspout::file {

class FileSink : public Sink {
 public:
  explicit FileSink(const Context& context);
  static void check(const Context& context);

  void write(const Batch& batch) override;
  void flush() override;
  void abort() override;
  Lsn position() override { return position_; }
  std::string_view host_state() override { return host_state_; }

 private:
  void take(const Batch& batch);
  void drain();  // Output::drain(), after a look at the file's size
  void notice_other_size(std::uint64_t size);
  void make_durable();  // everything up to border_, and the record of what is settled
  void rotate_if_due();
  void reopen();  // path is another file by now: go on in that

  Log log_;
  std::string path_;
  std::uint64_t rotate_size_;  // bytes; 0 = never
  std::uint64_t rotate_keep_;  // files; 0 = all
  PositionStore store_;
  Output output_;
  EventWriter events_;

  // Rows of a copy were taken which neither a position nor a state of the host covers yet. They
  // will be read again if the copy breaks off, so that what was written of them must be cut off:
  // the record stays at what is settled.
  bool copying_ = false;

  // As of the last whole transaction taken:
  std::uint64_t border_;   // the file's offset behind it; an unfinished one starts here
  std::uint64_t settled_;  // the same, but for rows of a copy that are not covered: before them
  Lsn position_;
  std::string host_state_;
  std::uint64_t call_start_ = 0;  // the end of the file when write() was called
};

}  // namespace walspout::file
