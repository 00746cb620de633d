create table mix (f4 float4, f8 float8, n numeric, j json, b bytea, ts timestamp, c char(4), t text);
alter table mix replica identity full;
insert into mix values (0.3, 0.1 + 0.2::float8, 7.10, '{"a":1,  "b":2}', '\x00', 'infinity', 'x', 'a'),
  (16777217, 1e23, 'NaN', '[]', '', '0044-03-15 00:00:00 BC', '', 'b'), ('NaN', '-0', 7.1, 'null', null, null, null, 'c');
create publication case_pub for table mix;
-- @@LIVE
update mix set t = upper(t);
insert into mix values (3.33, 3.33, 3.33, '1.0', '\xfe', '2025-01-01 00:00:00.000001', 'ab', 'd');
update mix set n = 4.50 where t = 'd';
delete from mix where t = 'B';
