-- A name goes from a table to a partition, which is no table of its own until it is detached.
-- @settle
create table parts (id integer primary key, v text, w text) partition by range (id);
create table parts_0 partition of parts for values from (0) to (1000);
create table parts_1 partition of parts for values from (1000) to (2000);
create table beta (id integer not null, n integer primary key, a text);
insert into parts select g * 100, 'v' || g, 'w' from generate_series(1, 15) g;
insert into beta select g, g * 10, 'a' || g from generate_series(1, 5) g;
create publication case_pub for all tables with (publish_via_partition_root = true);
-- @@LIVE
insert into beta values (6, 60, 'before');
begin;
alter table beta rename to between;
alter table parts_0 rename to beta;
alter table between rename to gamma;
commit;
insert into parts values (50, 'v', 'through the root');
insert into gamma values (7, 70, 'after');
update gamma set a = 'touched' where n = 10;
alter table parts detach partition beta;
delete from beta where id > 300;
insert into beta values (1, 'alone', 'w');
update gamma set n = 21 where n = 20;
insert into parts values (1050, 'v', 'still there');
