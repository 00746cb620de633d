-- @settle
create table a (id integer primary key, v text);
create table b (id integer primary key, n integer);
create table old_name (id integer primary key, v text);
create table quiet_name (id integer primary key, v text);
create schema attic;
create table moves (id integer primary key, v text);
insert into a select g, 'a' || g from generate_series(1, 3) g;
insert into b select g, g * 10 from generate_series(1, 4) g;
insert into old_name values (1, 'x');
insert into quiet_name values (1, 'q'), (2, 'q');
insert into moves values (1, 'm'), (2, 'm');
create publication case_pub for table a, b, old_name, quiet_name, moves;
-- @@LIVE
alter table a rename to between;
alter table b rename to a;
alter table between rename to b;
insert into a values (5, 50);
insert into b values (4, 'a4');
update b set v = 'touched' where id = 1;
alter table old_name rename to new_name;
insert into new_name values (2, 'y');
alter table quiet_name rename to "Quiet Name";
alter table moves set schema attic;
delete from attic.moves where id = 1;
