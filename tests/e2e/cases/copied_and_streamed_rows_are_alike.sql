create type shade as enum ('r', 'g');
create domain price as numeric(6,2);
create table twin (id integer primary key, grp integer, a smallint, b bigint, c numeric(12,0), d float4, e float8, f boolean, g char(8), h varchar,
  i bytea, j json, k jsonb, l timestamp, m timestamptz, n date, o time, p interval, q uuid, r text[], s shade, t price, u inet, v bit(3), w money, x text);
insert into twin values (1, 0, -2, 5300, 5300, 2.5, 1e16, true, 'abc', 'v ', '\xcafebabe', '{"b":1, "a":2}', '{"b":1,"a":2}',
  '2025-06-15 10:30:45.123456', '2025-06-15 10:30:45.1+02', '2025-06-15', '10:30:45', '1 day 02:00', 'b1ffcd88-8d1c-4fe9-ac7e-7ccaae491b22',
  '{a,NULL}', 'g', 2.5, '10.0.0.2', B'011', '45.60', E'x\\y\tz\n\\N');
insert into twin (id, grp) values (2, 1);
create publication case_pub for table twin;
-- @@LIVE
insert into twin select 11, grp, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x from twin where id = 1;
insert into twin (id, grp) values (12, 1);
