// Values of every type that a table may have, each a SQL literal: the hard ones among them.
#pragma once

#include <string>
#include <vector>

namespace walspout::test {

struct TypeValues {
  std::string type;  // as in CREATE TABLE
  std::vector<std::string> values;
};

// What type_values() names has to be there: an enum, a composite, domains.
inline const char* const kTypes =
    "create type mood as enum ('sad', 'o|k', 'very \"happy\"');"
    "create type pair as (a int, b text);"
    "create domain cents as numeric(10,2); create domain label as text;"
    "create domain ids as int[]; create domain small as int2";

// server_version: as in server_version_num.
inline std::vector<TypeValues> type_values(const std::string& server_version) {
  const std::vector<std::string> texts = {"''",
                                          "'a'",
                                          "'a|1:b'",
                                          "'NULL'",
                                          "' x '",
                                          "E'line\\n\\ttab \\\\ \"q\" ''s'",
                                          "'\xC3\xA4\xC3\xB6 \xE2\x82\xAC'",
                                          "repeat('long ', 3000)"};
  const std::vector<std::string> floats = {"0",           "'-0'",
                                           "0.1",         "1e15",
                                           "1e-5",        "'NaN'",
                                           "-1.5e30",     "'Infinity'",
                                           "'-Infinity'", "16777217",
                                           "3.4e38",      "1.17549435e-38",
                                           "123456",      "9007199254740993"};
  std::vector<TypeValues> all = {
      {"smallint", {"-32768", "0", "32767"}},
      {"integer", {"-2147483648", "0", "7"}},
      {"bigint", {"-9223372036854775808", "9007199254740993", "0"}},
      {"oid", {"0", "4294967295"}},
      {"boolean", {"true", "false"}},
      {"real", floats},
      {"double precision", floats},
      {"double precision", {"5e-324", "1.7976931348623157e308", "0.30000000000000004", "1e23"}},
      {"numeric", {"0", "1.50", "1.5", "12345678901234567890.123456789", "'NaN'", "1e-20"}},
      {"numeric(10,2)", {"0", "12.50", "-0.07", "99999999.99", "'NaN'"}},
      {"numeric(15,5)", {"9999999999.99999", "0.1"}},
      {"numeric(20,4)", {"1.5000", "1234567890123456.7891"}},
      {"cents", {"1.10", "'NaN'"}},
      {"money", {"'12.34'", "'-1'"}},
      {"text", texts},
      {"varchar(40000)", texts},
      {"label", texts},
      {"name", {"'a'", "''", "'x|y'"}},
      {"char(5)", {"'ab'", "''", "'abcde'", "'\xC3\xA4'"}},
      {"\"char\"", {"'x'", "''"}},
      {"bytea", {"''", "'\\x00ff7c'", "'abc'"}},
      {"date", {"'2026-01-31'", "'0044-03-15 BC'", "'infinity'", "'12345-01-01'"}},
      {"time", {"'12:00'", "'23:59:59.999999'", "'24:00'"}},
      {"timetz", {"'12:00+05:30'", "'12:00:00.5-08'"}},
      {"timestamp", {"'2026-01-31 12:00:00.5'", "'-infinity'", "'0044-03-15 12:00 BC'"}},
      {"timestamptz",
       {"'2026-01-31 12:00:00.5+01'", "'infinity'", "'0044-03-15 12:00+00 BC'", "'12345-01-01'"}},
      {"interval", {"'1 year -3 days 04:05:06.7'", "'0'", "'-1 month'"}},
      {"uuid", {"'00000000-0000-0000-0000-0000000000ff'"}},
      {"json", {"'{\"a\" : [1,2],  \"b\": \"x|y\"}'", "E'{\\n\"a\": 1 }'", "'null'", "' 1 '"}},
      {"jsonb", {"'{\"b\": 1, \"a\": \"\\u00e4|\"}'", "'[]'", "'\"t\"'", "'null'"}},
      {"xml", {"'<a>x</a>'"}},
      {"mood", {"'sad'", "'o|k'", "'very \"happy\"'"}},
      {"pair", {"(1,'x')", "(null,null)", "(2,'a,b|\"c\"')"}},
      {"inet", {"'10.0.0.1'", "'10.0.0.0/8'", "'::1'"}},
      {"cidr", {"'10.0.0.0/8'"}},
      {"macaddr", {"'08:00:2b:01:02:03'"}},
      {"bit(3)", {"B'101'"}},
      {"varbit", {"B''", "B'10101'"}},
      {"point", {"'(1.5,-0)'"}},
      {"box", {"'(1,2),(0,0)'"}},
      {"int4range", {"'[1,5)'", "'empty'", "'(,)'"}},
      {"tstzrange", {"'[2026-01-01,2026-02-01)'"}},
      {"tsvector", {"'a:1 b:2'", "''"}},
      {"small", {"7"}},
      {"integer[]", {"'{}'", "'{1,NULL,3}'", "'{{1,2},{3,4}}'", "'[5:6]={1,2}'"}},
      {"ids", {"'{1,2}'", "'{}'"}},
      {"bigint[]", {"'{9007199254740993}'"}},
      {"oid[]", {"'{4294967295,NULL}'"}},
      {"boolean[]", {"'{t,f,NULL}'"}},
      {"real[]", {"'{0.1,NaN,1e20}'", "'{Infinity,-0}'"}},
      {"double precision[]", {"'{1e15,5e-324,NULL}'"}},
      {"numeric[]", {"'{1.50,NaN,1e30}'"}},
      {"text[]",
       {"'{}'", "array['', 'NULL', null, 'a,b', '{x}', E'q\" \\\\ \\n\\t\\x01']",
        "array[['a','b'],['c',null]]", "array[U&'\\2028\\2029\\0085 \\00e4']",
        "array['\\u2028', '\x7f']"}},
      {"varchar(9)[]", {"'{a,\"b c\"}'"}},
      {"char(4)[]", {"'{a,bcd}'"}},
      {"bytea[]", {"array['\\x616263'::bytea, '\\x', null, '\\xff']", "array[['\\x00'::bytea]]"}},
      {"timestamptz[]", {"'{2026-01-31 12:00:00.5+01,infinity}'"}},
      {"date[]", {"'{2026-01-31}'"}},
      {"interval[]", {"'{1 day,\"-1 month\"}'"}},
      {"uuid[]", {"'{00000000-0000-0000-0000-0000000000ff}'"}},
      {"inet[]", {"'{10.0.0.1,10.0.0.0/8}'"}},
      {"json[]", {"array['{\"a\": [1]}'::json, E'{\\n\"b\":\\t2}', null, '\"\\u2028\"']"}},
      {"jsonb[]", {"array['{\"a\": [1]}'::jsonb, 'null', '\"x\"']", "array[['1'::jsonb]]"}},
      {"mood[]", {"'{sad,o|k,\"very \\\"happy\\\"\"}'"}},
      {"pair[]", {"array[(1,'a b')::pair, null, (null,null)::pair]"}},
      {"cents[]", {"'{1.10,2}'"}},
      {"label[]", {"'{a,\"\"}'"}},
      {"box[]", {"array['(1,2),(0,0)'::box, '(3,4),(1,1)']"}},
      {"int4range[]", {"array['[1,5)'::int4range, 'empty']"}}};
  if (server_version >= "150000") {
    all.push_back({"numeric(15,-3)", {"123456789012345000", "1000"}});
    all.push_back({"numeric(3,5)", {"0.00123"}});
  }
  return all;
}

}  // namespace walspout::test
