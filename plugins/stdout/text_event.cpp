#include "text_event.hpp"

#include <algorithm>
#include <string_view>
#include <walspout/change.hpp>
#include <walspout/event_fields.hpp>
#include <walspout/json_text.hpp>

namespace walspout::stdout_sink {
namespace {

constexpr std::size_t kLongest = 200;  // bytes of one value

// Letters, digits and harmless signs of ASCII stand as they are.
bool is_plain(std::string_view text) {
  if (text.empty() || text == "null") return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7F && c != '"' && c != '\\' && c != '=';
  });
}

// As a JSON string, with DEL and the control characters of C1 escaped as well: some terminals
// obey the latter (U+009B begins a sequence).
void append_quoted(std::string& out, std::string_view text) {
  const std::size_t start = out.size();
  append_string(out, text);
  for (std::size_t i = start; i < out.size(); ++i) {
    const auto c = static_cast<unsigned char>(out[i]);
    const auto next = static_cast<unsigned char>(i + 1 < out.size() ? out[i + 1] : '\0');
    if (c == 0x7F) out.replace(i, 1, "\\u007f");
    if (c != 0xC2 || next < 0x80 || next > 0x9F) continue;
    constexpr char kHex[] = "0123456789abcdef";
    const char escaped[] = {'\\', 'u', '0', '0', kHex[next >> 4], kHex[next & 15]};
    out.replace(i, 2, escaped, sizeof escaped);
  }
}

void append_words(std::string& out, std::string_view text) {
  if (text.size() <= kLongest) {
    if (is_plain(text)) {
      out += text;
    } else {
      append_quoted(out, text);
    }
    return;
  }
  std::size_t cut = kLongest;
  while (cut != 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  append_quoted(out, text.substr(0, cut));
  out += "...(";
  append_decimal(out, text.size());
  out += " bytes)";
}

void append_value(std::string& out, const walspout_column& column, const walspout_value& value) {
  if (value.state == WALSPOUT_NULL) {
    out += "null";
    return;
  }
  const std::string_view text(static_cast<const char*>(value.data), value.size);
  if (value.state == WALSPOUT_TEXT && column.base_type_oid == oid::kBool) {
    out += text == "t" ? "true" : "false";
  } else if (value.state == WALSPOUT_BINARY) {
    out += "(binary)";
  } else {
    append_words(out, text);
  }
}

bool sent(const walspout_value& v) {
  return v.state != WALSPOUT_UNCHANGED && v.state != WALSPOUT_ABSENT;
}

bool same(const walspout_value& a, const walspout_value& b) {
  return a.state == b.state && Value(a).text() == Value(b).text();
}

class Line {
 public:
  Line(std::string& out, const walspout_change& change, bool colours)
      : out_(out), change_(change), colours_(colours) {
    if (change.relation == nullptr) return;
    for (std::uint32_t i = 0; i < change.relation->column_count; ++i)
      has_primary_ |= (column(i).flags & WALSPOUT_COLUMN_PRIMARY) != 0;
  }

  void head(std::int64_t commit_time_us, std::string_view op) {
    std::string time(23, '-');  // a message outside of a transaction has none
    if (commit_time_us != 0) time.clear();
    if (commit_time_us != 0) append_timestamp(time, commit_time_us);
    colour("\033[2m");
    out_.append(time, 11, 12);  // 12:00:00.123
    colour("\033[0m");
    out_ += ' ';
    if (change_.relation != nullptr) {
      append_words(out_, view(change_.relation->schema));
      out_ += '.';
      append_words(out_, view(change_.relation->name));
      out_ += ' ';
    }
    colour(op == "insert" || op == "read" ? "\033[32m" : op == "update" ? "\033[33m" : "\033[31m");
    for (const char c : op) out_ += static_cast<char>(c - 'a' + 'A');
    colour("\033[0m");
  }

  void rows() {
    const walspout_value* const now = change_.new_row;
    const walspout_value* const was = change_.old_row;
    for (std::uint32_t i = 0; i < change_.relation->column_count; ++i) {
      if (!is_key(i)) continue;
      const bool in_new = now != nullptr && sent(now[i]);
      if (in_new && was != nullptr && sent(was[i]) && !same(was[i], now[i])) {
        move(i, " ");
      } else if (in_new || (was != nullptr && sent(was[i]))) {
        assign(i, in_new ? now[i] : was[i], " ");
      }
    }
    std::string_view gap = "  ";
    for (std::uint32_t i = 0; i < change_.relation->column_count; ++i) {
      if (is_key(i)) continue;
      if (rest(i, now, was, gap)) gap = now != nullptr && was != nullptr ? "  " : " ";
    }
  }

  void truncate() {
    if ((change_.flags & WALSPOUT_TRUNCATE_CASCADE) != 0) out_ += " cascade";
    if ((change_.flags & WALSPOUT_TRUNCATE_RESTART_IDENTITY) != 0) out_ += " restart identity";
  }

  void message() {
    out_ += ' ';
    append_words(out_, view(change_.prefix));
    out_ += ": ";
    append_words(out_, view(change_.content));
  }

  void schema() {
    for (std::uint32_t i = 0; i < change_.relation->column_count; ++i) {
      out_ += i == 0 ? " " : ", ";
      append_words(out_, view(column(i).name));
      out_ += ' ';
      out_ += view(column(i).type_name);
    }
  }

 private:
  const walspout_column& column(std::uint32_t i) const { return *change_.relation->columns[i]; }

  bool is_key(std::uint32_t i) const {
    if (has_primary_) return (column(i).flags & WALSPOUT_COLUMN_PRIMARY) != 0;
    return (column(i).flags & WALSPOUT_COLUMN_KEY) != 0 &&
           change_.relation->replica_identity != 'f';
  }

  // A column that is no key. False when there is nothing to say about it.
  bool rest(std::uint32_t i, const walspout_value* now, const walspout_value* was,
            std::string_view gap) {
    const walspout_value& value = now != nullptr ? now[i] : was[i];
    if (value.state == WALSPOUT_UNCHANGED) {
      out_ += gap;
      append_words(out_, view(column(i).name));
      out_ += " (unchanged)";
      return true;
    }
    if (value.state == WALSPOUT_ABSENT) return false;
    if (now == nullptr || was == nullptr || !sent(was[i])) {
      assign(i, value, gap);
      return true;
    }
    if (same(was[i], value)) return false;
    move(i, gap);
    return true;
  }

  void assign(std::uint32_t i, const walspout_value& value, std::string_view gap) {
    out_ += gap;
    append_words(out_, view(column(i).name));
    out_ += '=';
    append_value(out_, column(i), value);
  }

  void move(std::uint32_t i, std::string_view gap) {
    out_ += gap;
    append_words(out_, view(column(i).name));
    out_ += ": ";
    append_value(out_, column(i), change_.old_row[i]);
    out_ += " -> ";
    append_value(out_, column(i), change_.new_row[i]);
  }

  void colour(std::string_view sequence) {
    if (colours_) out_ += sequence;
  }

  std::string& out_;
  const walspout_change& change_;
  bool colours_;
  bool has_primary_ = false;
};

}  // namespace

bool append_text(std::string& out, const walspout_txn& txn, const walspout_change& change,
                 bool colours) {
  const std::string_view op = event_op(txn, change);
  if (op.empty()) return false;
  Line line(out, change, colours);
  line.head(txn.commit_time_us, op);
  if (change.op == WALSPOUT_TRUNCATE) {
    line.truncate();
  } else if (change.op == WALSPOUT_MESSAGE) {
    line.message();
  } else if (change.op == WALSPOUT_SCHEMA) {
    line.schema();
  } else {
    line.rows();
  }
  return true;
}

}  // namespace walspout::stdout_sink
