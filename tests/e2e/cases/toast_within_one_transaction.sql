create table blobs (id integer primary key, n integer, data text);
alter table blobs alter data set storage external;
create function long(seed text, n integer) returns text language sql as
  $$ select string_agg(md5(seed || i), '' order by i) from generate_series(1, n) i $$;
create publication case_pub for table blobs;
-- @@LIVE
begin; insert into blobs values (1, 1, long('x', 300)); update blobs set n = 2 where id = 1; commit;
begin; insert into blobs values (2, 1, long('x', 300)); update blobs set data = long('y', 200) where id = 2; update blobs set n = 3 where id = 2; commit;
begin; insert into blobs values (3, 1, long('x', 300)); delete from blobs where id = 3; insert into blobs values (3, 9, long('y', 200));
update blobs set n = 10 where id = 3; commit;
insert into blobs values (4, 1, long('x', 300));
update blobs set n = 2 where id = 4;
update blobs set data = null where id = 4;
update blobs set n = 3 where id = 4;
