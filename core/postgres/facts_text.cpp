// Facts as text: words with one blank between them, in the order of the structs. A string is "="
// and its bytes, those that could not stand in a line or word as %XX; nothing is "-"; a list is its
// length and then its items.
#include <charconv>

#include "postgres/table_facts.hpp"

namespace walspout::postgres {

namespace {

constexpr std::string_view kFormat = "facts3";

class Writer {
 public:
  explicit Writer(bool all) : all_(all), text_(kFormat) {}

  void operator()(const std::string& value) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    text_ += " =";
    for (const char c : value) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte > 0x20 && byte != 0x7F && c != '%') {
        text_ += c;
      } else {
        text_ += '%';
        text_ += kHex[byte >> 4];
        text_ += kHex[byte & 15];
      }
    }
  }
  void note(const std::string& value) { (*this)(all_ ? value : std::string()); }
  void operator()(char value) {
    text_ += ' ';
    text_ += value;
  }
  void operator()(bool value) { (*this)(value ? 't' : 'f'); }
  void operator()(std::int16_t value) { number(value); }
  void operator()(std::int32_t value) { number(value); }
  void operator()(std::uint32_t value) { number(value); }
  void note(std::uint64_t value) { number(all_ ? value : 0); }
  // The server keeps the lower half, the upper one is our guess.
  void xid(std::uint64_t value) { number(all_ ? value : static_cast<std::uint32_t>(value)); }
  template <class T>
  void operator()(const std::optional<T>& value) {
    if (value) {
      (*this)('+');
      (*this)(*value);
    } else {
      (*this)('-');
    }
  }
  template <class T>
  void operator()(const std::vector<T>& list) {
    list_of(list, *this);
  }
  template <class T, class Item>
  void list_of(const std::vector<T>& list, Item& item) {
    number(list.size());
    for (const T& one : list) item(one);
  }

  std::string take() { return std::move(text_); }

 private:
  template <class T>
  void number(T value) {
    text_ += ' ' + std::to_string(value);
  }

  bool all_;
  std::string text_;
};

// The same calls, the other way. After the first damage it gives nothing more.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {
    damaged_ = text.ends_with(' ') || word() != kFormat;
  }

  void operator()(std::string& value) {
    std::string_view from = word();
    if (from.empty() || from[0] != '=') return fail();
    value.clear();
    for (from.remove_prefix(1); !from.empty(); from.remove_prefix(1)) {
      if (from[0] != '%') {
        value += from[0];
        continue;
      }
      unsigned byte = 0;
      if (from.size() < 3) return fail();
      const auto [end, error] = std::from_chars(from.data() + 1, from.data() + 3, byte, 16);
      if (error != std::errc() || end != from.data() + 3) return fail();
      value += static_cast<char>(byte);
      from.remove_prefix(2);
    }
  }
  void note(std::string& value) { (*this)(value); }
  void operator()(char& value) {
    const std::string_view one = word();
    if (one.size() != 1) return fail();
    value = one[0];
  }
  void operator()(bool& value) {
    char letter = 0;
    (*this)(letter);
    if (letter != 't' && letter != 'f') fail();
    value = letter == 't';
  }
  void operator()(std::int16_t& value) { number(value); }
  void operator()(std::int32_t& value) { number(value); }
  void operator()(std::uint32_t& value) { number(value); }
  void note(std::uint64_t& value) { number(value); }
  void xid(std::uint64_t& value) { number(value); }
  template <class T>
  void operator()(std::optional<T>& value) {
    char letter = 0;
    (*this)(letter);
    if (letter == '-') return value.reset();
    if (letter != '+') return fail();
    (*this)(value.emplace());
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    list_of(list, *this);
  }
  template <class T, class Item>
  void list_of(std::vector<T>& list, Item& item) {
    std::uint32_t count = 0;
    number(count);
    list.clear();
    // Each item takes a word at least, so that a damaged count ends with the text.
    for (; count > 0 && !damaged_; --count) item(list.emplace_back());
  }

  bool whole() const { return !damaged_ && rest_.empty(); }

 private:
  void fail() { damaged_ = true; }

  std::string_view word() {
    if (rest_.empty()) fail();
    const auto end = std::min(rest_.find(' '), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return found;
  }
  template <class T>
  void number(T& value) {
    const std::string_view digits = word();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) fail();
  }

  std::string_view rest_;
  bool damaged_ = false;
};

// One description for both directions: In is Reader or Writer, Facts const for the latter.
template <class In, class Facts>
void describe(In& in, Facts& facts) {
  in.note(facts.as_of);
  in(facts.oid);
  in(facts.schema);
  in(facts.name);
  in(facts.relkind);
  in(facts.replica_identity);
  in(facts.primary_key);
  in(facts.primary_constraint);
  in(facts.identity_index);
  in(facts.operations);
  in(facts.row_filter);
  in(facts.column_list);
  in(facts.memberships);
  auto attribute = [&in](auto& one) {
    in(one.attnum);
    in(one.name);
    in(one.type_oid);
    in(one.base_type_oid);
    in(one.type_mod);
    in(one.xmin);
    in(one.generated);
    in(one.not_null);
    in(one.dropped);
    in(one.published);
    in(one.has_default);
    in(one.missing);
    in(one.missing_differs);
  };
  in.list_of(facts.attributes, attribute);
  auto edge = [&in](auto& one) {
    in(one.child);
    in(one.xmin);
  };
  auto leaf = [&in, &edge](auto& one) {
    in(one.oid);
    in(one.relfilenode);
    in.note(one.name);
    in.list_of(one.edges, edge);
  };
  in.list_of(facts.storage, leaf);
  auto label = [&in](auto& one) {
    in(one.oid);
    in(one.type_oid);
    in(one.label);
    in.note(one.type);
    in.xid(one.touched);
  };
  in.list_of(facts.labels, label);
  auto member = [&in](auto& one) {
    in(one.type_oid);
    in(one.attnum);
    in.note(one.type);
    in.xid(one.touched);
  };
  in.list_of(facts.members, member);
}

std::string text_of(const TableFacts& facts, bool all) {
  Writer out(all);
  describe(out, facts);
  return out.take();
}

}  // namespace

std::string serialize(const TableFacts& facts) { return text_of(facts, true); }

std::optional<TableFacts> parse_table_facts(std::string_view text) {
  Reader in(text);
  TableFacts facts;
  describe(in, facts);
  if (!in.whole()) return std::nullopt;
  return facts;
}

std::uint64_t facts_hash(const TableFacts& facts) {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (const char c : text_of(facts, false)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  }
  return hash;
}

}  // namespace walspout::postgres
