#include "storm/values.hpp"

#include "support/sqlite_file.hpp"

namespace walspout::test::storm {
namespace {

bool starts_with(const std::string& text, const std::string& start) {
  return text.rfind(start, 0) == 0;
}

bool is_text(const std::string& type) {
  return type == "text" || starts_with(type, "character varying");
}

}  // namespace

std::string any_type(Dice& dice) {
  static const std::vector<std::string> types = {"integer",
                                                 "bigint",
                                                 "text",
                                                 "text",
                                                 "character varying(60)",
                                                 "numeric(10,2)",
                                                 "numeric",
                                                 "boolean",
                                                 "timestamp with time zone",
                                                 "date",
                                                 "jsonb",
                                                 "bytea",
                                                 "integer[]",
                                                 "text[]",
                                                 "double precision",
                                                 "uuid",
                                                 "mood"};
  return dice.pick(types);
}

std::string Values::plain(const std::string& type, const std::string& row) {
  const std::string k = std::to_string(dice_.between(1, 9999));
  const std::string number = "(" + row + " * 7919 + " + k + ")";
  const std::string word = "md5(" + number + "::text)";
  if (type == "integer") return "(" + number + " % 100000)";
  if (type == "bigint") return "(" + number + "::bigint * 1000000007)";
  if (type == "boolean") return "(" + number + " % 2 = 0)";
  if (type == "timestamp with time zone")
    return "timestamptz '2020-01-01 00:00:00+00' + " + number + " * interval '1.25 seconds'";
  if (type == "date") return "date '2000-01-01' + " + number + " % 9999";
  if (type == "jsonb") return "jsonb_build_object('k', " + number + ", 'w', " + word + ")";
  if (type == "bytea") return "decode(" + word + ", 'hex')";
  if (type == "integer[]") return "array[" + number + ", null, " + k + "]";
  if (type == "text[]") return "array[" + word + ", 'a \"b\" \\c,{}', null]";
  if (type == "double precision") return "(" + number + "::float8 / 7)";
  if (type == "uuid") return word + "::uuid";
  if (type == "mood") return quote_text(dice_.pick(labels_)) + "::mood";
  if (starts_with(type, "numeric")) return "(" + number + " % 100000 / 4.0)::" + type;
  if (starts_with(type, "character varying")) return "left(" + word + ", 10)";
  return "'w' || " + word;
}

std::string Values::any(const std::string& type, const std::string& row, bool null) {
  if (null && dice_.percent(5)) return "null::" + type;
  if (type == "text" && dice_.percent(35))
    return "(select string_agg(md5((i * 31 + " + row + " + " +
           std::to_string(dice_.between(1, 9999)) + ")::text), '') from generate_series(1, " +
           std::to_string(dice_.between(270, 400)) + ") i)";
  const std::string value = plain(type, row);
  if (null && dice_.percent(20))
    return "case when " + row + " % 4 = 0 then null else " + value + " end";
  return value;
}

std::string Values::distinct(const std::string& type, const std::string& row, int base) {
  const std::string number = "(" + std::to_string(base) + " + " + row + ")";
  if (type == "integer" || type == "bigint" || starts_with(type, "numeric")) return number;
  if (is_text(type)) return "'k' || " + number;
  if (type == "uuid") return "md5(" + number + "::text)::uuid";
  if (type == "timestamp with time zone")
    return "timestamptz '2020-01-01 00:00:00+00' + " + number + " * interval '1 second'";
  if (type == "date") return "date '2000-01-01' + " + number;
  if (type == "double precision") return number + "::float8";
  if (type == "bytea") return "decode(md5(" + number + "::text), 'hex')";
  return plain(type, number);
}

std::string Values::made_for_each(const std::string& type) {
  if (type == "integer" || type == "bigint") return "(random() * 1000000)::int";
  if (type == "boolean") return "random() < 0.5";
  if (type == "timestamp with time zone") return "clock_timestamp()";
  if (type == "date") return "date '2000-01-01' + (random() * 9999)::int";
  if (type == "double precision") return "random()";
  if (type == "uuid") return "gen_random_uuid()";
  if (type == "jsonb") return "to_jsonb(random())";
  if (type == "integer[]") return "array[(random() * 1000)::int]";
  if (starts_with(type, "numeric")) return "(random() * 1000)::" + type;
  if (is_text(type)) return "left(md5(random()::text), 20)";
  return constant(type);
}

Retype another_type(Dice& dice, const Column& column) {
  const std::string c = column.sql();
  const std::string& type = column.type;
  std::vector<Retype> ways;
  if (type == "integer" || type == "bigint") {
    ways = {{type == "integer" ? "bigint" : "numeric", c},
            {"bigint", c + "::bigint * 2 + 1"},
            {"text", c + "::text"},
            {"numeric(14,3)", c + " / 8.0"},
            {"character varying(30)", "'n' || " + c}};
  } else if (is_text(type)) {
    ways = {{"character varying(80)", "left(" + c + ", 70)"},
            {"text", "reverse(" + c + ")"},
            {"text", c},
            {"integer", "length(" + c + ")"},
            {"bytea", "convert_to(" + c + ", 'UTF8')"},
            {"text[]", "array[" + c + "]"}};
  } else if (starts_with(type, "numeric")) {
    ways = {{"numeric", c}, {"numeric(16,1)", c}, {"double precision", c}, {"text", c + "::text"}};
  } else if (type == "boolean") {
    ways = {{"integer", "case when " + c + " then 10 else 20 end"}, {"text", c + "::text"}};
  } else if (type == "timestamp with time zone") {
    ways = {{"date", c + "::date"}, {"text", c + "::text"}, {type, c + " + interval '1 hour'"}};
  } else {
    ways = {{"text", c + "::text"}};
  }
  return dice.pick(ways);
}

}  // namespace walspout::test::storm
