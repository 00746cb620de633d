-- USING writes every row anew, and sends nothing.
-- @settle
create table quiet (id integer primary key, n integer, t text);
create table busy (id integer primary key, n integer, t text, big text);
create table keys (id integer primary key, v text);
create table same_type (id integer primary key, n integer);
insert into quiet select g, g, 't' || g from generate_series(1, 5) g;
insert into busy select g, g, 't' || g, (select string_agg(md5((g * i)::text), '') from generate_series(1, 300) i) from generate_series(1, 5) g;
insert into keys select g, 'v' from generate_series(1, 5) g;
insert into same_type select g, g from generate_series(1, 5) g;
create publication case_pub for table quiet, busy, keys, same_type;
-- @@LIVE
alter table quiet alter column n type text using 'n' || n, alter column t type integer using length(t);
update busy set t = 'before' where id = 1;
alter table busy alter column n type bigint using n * 1000000000000;
update busy set t = 'after' where id = 2;
insert into busy values (6, 6, 'new', 'small');
alter table keys alter column id type bigint using id + 3000000000;
insert into keys values (7, 'seven');
delete from keys where id = 3000000001;
alter table same_type alter column n type integer using -n;
