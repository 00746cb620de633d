create domain percent as numeric(4,1);
create type pair as (a integer, b text);
create table rare (id integer primary key, c1 money, c2 bit(8), c3 varbit, c4 int4range, c5 tstzrange, c6 nummultirange, c7 tsvector,
  c8 xml, c9 pg_lsn, c10 inet, c11 cidr, c12 macaddr8, c13 point, c14 polygon, c15 uuid, c16 "char", c17 oid, c18 xid8, c19 regclass,
  c20 tsquery, c21 jsonpath, c22 boolean, c23 percent, c24 pair, c25 timetz, c26 interval);
insert into rare values (1, '-77.50', B'00000011', B'', 'empty', '[2025-01-01 00:00+00,)', '{[1.50,2),(5,6]}', 'dog:2B bird', '<p>&lt;</p>',
  '1A/2B3C4D5E', '10.1.0.1/9', '10.0.0.0/9', '08:00:2b:0a:0b:0c:0d:0e', '(1e200,-0)', '((0,0),(2,2))', 'B1FFCD88-8D1C-4FE9-AC7E-7CCAAE491B22', 'y',
  4294967294, '18446744073709551614', 'pg_type', 'c & !d', '$.b[*] ? (@ < 2)', true, 12.5, row(1, 'x,"y'), '01:02:03+02', '-3 mons 1 day');
create publication case_pub for table rare;
-- @@LIVE
insert into rare select 2, c1, B'00000000', B'0010', c4, c5, c6, c7, c8, c9, '::2', c11, c12, c13, c14, c15, '', c17, c18, c19, c20, c21, false,
  c23, c24, c25, c26 from rare where id = 1;
