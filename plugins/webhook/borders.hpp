// Where batches of several transactions begin and end. Such a border comes of timing, so it is
// written down before the batch is sent for the first time, and a batch that is sent again after a
// crash is cut as it was. README.md has the format.
#pragma once

#include <walspout/abi.h>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace walspout::webhook {

struct Span {
  walspout_lsn first = 0;  // commit LSN of the first transaction, and of the last
  walspout_lsn last = 0;
  bool operator==(const Span&) const = default;
};

class Borders {
 public:
  explicit Borders(std::string path);  // reads what is there; throws Retry

  // The span that this transaction belongs to.
  std::optional<Span> find(walspout_lsn commit) const;
  // Known to find() at once, durable with save(). One that overlaps older ones replaces them.
  void add(const Span& span);
  void save();  // throws Retry, after which it may be called again
  // Spans that end below it are not needed any more.
  void forget(walspout_lsn position);

 private:
  std::string path_;
  std::map<walspout_lsn, walspout_lsn> spans_;  // first to last; they do not overlap
  std::string unsaved_;
  std::size_t lines_ = 0;  // in the file
  bool torn_ = false;      // the file may end within a line
};

}  // namespace walspout::webhook
