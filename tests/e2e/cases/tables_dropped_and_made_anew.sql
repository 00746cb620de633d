-- @settle
create table t (id integer primary key, v text);
create table quiet (id integer primary key, v text);
create table other_shape (id integer primary key, v text);
create table takes_the_name (id integer primary key, n integer);
create table gives_the_name (id integer primary key, v text);
insert into t select g, 'old' from generate_series(1, 3) g;
insert into quiet select g, 'old' from generate_series(1, 3) g;
insert into other_shape select g, 'old' from generate_series(1, 3) g;
insert into takes_the_name values (1, 10);
insert into gives_the_name values (2, 'old');
create publication case_pub for all tables;
-- @@LIVE
drop table t;
create table t (id integer primary key, v text);
insert into t values (1, 'new'), (9, 'new');
drop table quiet;
create table quiet (id integer primary key, v text);
drop table other_shape;
create table other_shape (key text primary key, data bytea);
insert into other_shape values ('k', '\x01');
drop table gives_the_name;
alter table takes_the_name rename to gives_the_name;
update gives_the_name set n = 11;
