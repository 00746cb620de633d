create table page (id integer primary key, title text, body text, meta jsonb, raw bytea);
alter table page alter body set storage external, alter meta set storage external, alter raw set storage external;
create function long(seed text, n integer) returns text language sql as
  $$ select string_agg(md5(seed || i), '' order by i) from generate_series(1, n) i $$;
insert into page values (1, 'a', long('x', 300), jsonb_build_object('k', long('y', 280)), convert_to(long('x', 300), 'UTF8')),
  (2, 'b', long('x', 300), null, null);
create publication case_pub for table page;
-- @@LIVE
update page set title = 'A' where id = 1;
update page set title = 'B', body = null where id = 2;
update page set meta = '{"k": 1}' where id = 1;
update page set title = title || upper(title);
