-- @settle
create table first (id integer primary key, v text);
insert into first values (1, 'v');
create schema side;
create publication case_pub for all tables with (publish_via_partition_root = true);
-- @@LIVE
create table with_rows as select g as id, 'v' || g as v from generate_series(1, 100) g;
alter table with_rows add primary key (id);
update with_rows set v = 'touched' where id = 5;
create table side.empty (id integer primary key);
begin;
create table in_one_transaction (id integer primary key, v text);
insert into in_one_transaction values (1, 'a'), (2, 'b');
update in_one_transaction set v = 'c' where id = 1;
commit;
create table bag (a integer, b text);
insert into bag select 1, 'same' from generate_series(1, 3) g;
create table split (id integer, v text) partition by list (id);
create table split_1 partition of split for values in (1, 2);
create table split_other partition of split default;
insert into split select g, 'v' from generate_series(1, 5) g;
update first set v = 'w';
