// walspout/reader.hpp - how a sink's target is read back, for `walspout verify`
// (WALSPOUT_CAP_READ_BACK): derive from walspout::Reader, and give the sink
//
//   static constexpr const walspout_reader_calls* reader() {
//     return &walspout::ReaderEntry<MyReader>::calls;
//   }
//
// A reader is made from a const Context&, as the sink is, but it may live in another process than
// the sink and while the sink writes: it opens the target for itself and changes nothing in it. It
// sees the target as of one moment, that of its construction. Errors are thrown as by a sink; Retry
// from the constructor means that the target is not there just now. What the calls promise is in
// walspout/abi_reader.h.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include <walspout/abi_reader.h>
#include <walspout/array.hpp>
#include <walspout/sink.hpp>

namespace walspout {

// Takes one row; false: no more rows are wanted.
class RowSink {
 public:
  RowSink(walspout_row_fn row, void* ctx) : row_(row), ctx_(ctx) {}
  bool operator()(const walspout_value* row) const { return row_(ctx_, row) == 0; }

 private:
  walspout_row_fn row_;
  void* ctx_;
};

// One open reader. One call at a time, from any thread.
class Reader {
 public:
  struct Presence {
    std::int32_t present = 1;  // 0: no whole copy yet; -1: given up
    std::string why;           // when it is not there
  };

  virtual ~Reader() = default;
  virtual Lsn position() = 0;
  // forms: one of WALSPOUT_FORM_... for each column, to be filled.
  virtual Presence table(const walspout_relation& relation, std::uint8_t* forms) = 0;
  virtual void scan(RowSink row) = 0;
  // key: one value per column; those that are WALSPOUT_ABSENT do not matter.
  virtual void find(const walspout_value* key, RowSink row) = 0;
};

// From the C contract to a class derived from Reader. No exception leaves these functions.
template <class T>
struct ReaderEntry {
  static Reader* self(walspout_reader* r) { return reinterpret_cast<Reader*>(r); }

  static walspout_status open(const walspout_open_args* args, walspout_reader** reader,
                              walspout_lsn* position, walspout_error* error) {
    return detail::guard(error, [&] {
      std::unique_ptr<Reader> made = std::make_unique<T>(Context(*args));
      *position = made->position();
      *reader = reinterpret_cast<walspout_reader*>(made.release());
    });
  }
  static walspout_status table(walspout_reader* r, const walspout_relation* relation,
                               std::uint8_t* forms, std::int32_t* present, walspout_error* error) {
    return detail::guard(error, [&] {
      const Reader::Presence presence = self(r)->table(*relation, forms);
      *present = presence.present;
      if (presence.present != 1) detail::fail(error, WALSPOUT_OK, presence.why.c_str());
    });
  }
  static walspout_status scan(walspout_reader* r, walspout_row_fn row, void* ctx,
                              walspout_error* error) {
    return detail::guard(error, [&] { self(r)->scan(RowSink(row, ctx)); });
  }
  static walspout_status find(walspout_reader* r, const walspout_value* key, walspout_row_fn row,
                              void* ctx, walspout_error* error) {
    return detail::guard(error, [&] { self(r)->find(key, RowSink(row, ctx)); });
  }
  static void close(walspout_reader* r) { delete self(r); }

  static constexpr walspout_reader_calls calls = {
      sizeof(walspout_reader_calls), 0, open, table, scan, find, close};
};

namespace detail {

// The three characters that append_string() escapes and WALSPOUT_FORM_ELEMENTS does not.
inline void unescape_line_ends(std::string& out, std::string_view json) {
  std::size_t from = 0;
  for (std::size_t at = json.find('\\'); at != std::string_view::npos;
       at = json.find('\\', at + 2)) {
    const std::string_view escape = json.substr(at, 6);
    const std::string_view raw = escape == "\\u0085"   ? "\xC2\x85"
                                 : escape == "\\u2028" ? "\xE2\x80\xA8"
                                 : escape == "\\u2029" ? "\xE2\x80\xA9"
                                                       : "";
    if (raw.empty()) continue;
    out.append(json.substr(from, at - from)).append(raw);
    from = at + 6;
    at += 4;
  }
  out.append(json.substr(from));
}

inline std::uint32_t base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<std::uint32_t>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<std::uint32_t>(c - 'a' + 26);
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0' + 52);
  return c == '+' ? 62 : 63;
}

// "YWI=" in quotes -> "\\x6162" in quotes, everywhere.
inline void hex_of_base64(std::string& out, std::string_view json) {
  constexpr char kHex[] = "0123456789abcdef";
  bool inside = false;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : json) {
    if (c == '"') {
      inside = !inside;
      out += inside ? "\"\\\\x" : "\"";
      count = 0;
    } else if (!inside) {
      out += c;
    } else if (c != '=') {
      bits = bits << 6 | base64_digit(c);
      count += 6;
      if (count < 8) continue;
      count -= 8;
      out += kHex[bits >> (count + 4) & 15];
      out += kHex[bits >> count & 15];
    }
  }
}

}  // namespace detail

// WALSPOUT_FORM_ELEMENTS of a JSON array that append_array() has written.
inline void append_elements_of_json(std::string& out, std::string_view json,
                                    std::uint32_t element_type_oid) {
  if (element_type_oid == oid::kBytea) return detail::hex_of_base64(out, json);
  if (json_kind(element_type_oid, 0) == JsonKind::kJson) {
    out.append(json);  // the escapes are the elements' own
    return;
  }
  detail::unescape_line_ends(out, json);
}

// The same of PostgreSQL's array literal.
inline void append_elements(std::string& out, std::string_view literal,
                            std::uint32_t element_type_oid) {
  std::string json;
  append_array(json, literal, element_type_oid);
  append_elements_of_json(out, json, element_type_oid);
}

}  // namespace walspout
