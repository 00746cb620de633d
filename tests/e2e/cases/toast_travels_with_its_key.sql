create table account (id integer primary key, n integer, body text);
alter table account alter body set storage external;
create function long(seed text, n integer) returns text language sql as
  $$ select string_agg(md5(seed || i), '' order by i) from generate_series(1, n) i $$;
insert into account values (1, 1, long('x', 300)), (2, 2, long('y', 200));
create publication case_pub for table account;
-- @@LIVE
update account set id = 10 where id = 1;
begin; update account set id = 1 where id = 10; update account set id = 20, n = 5 where id = 2; commit;
begin; update account set id = 30 where id = 20; update account set id = 31 where id = 30; insert into account values (30, 0, 'new'); commit;
