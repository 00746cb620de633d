-- Beneath a root that is published as one table none of this is sent.
-- @settle
create table attached (id integer primary key, v text) partition by range (id);
create table attached_a partition of attached for values from (0) to (100);
create table attached_b (v text, id integer primary key);
create table detached (id integer primary key, v text) partition by range (id);
create table detached_a partition of detached for values from (0) to (100);
create table detached_b partition of detached for values from (100) to (200);
create table dropped (id integer primary key, v text) partition by range (id);
create table dropped_a partition of dropped for values from (0) to (100);
create table dropped_b partition of dropped for values from (100) to (200);
create table emptied (id integer primary key, v text) partition by range (id);
create table emptied_a partition of emptied for values from (0) to (100);
create table emptied_b partition of emptied for values from (100) to (200);
create table deep (id integer primary key, v text) partition by range (id);
create table deep_a partition of deep for values from (0) to (200) partition by range (id);
create table deep_a_1 partition of deep_a for values from (0) to (100);
create table deep_a_2 (id integer primary key, v text);
insert into attached values (1, 'a');
insert into attached_b (id, v) values (101, 'before'), (102, 'before');
insert into detached values (1, 'a'), (101, 'b');
insert into dropped values (1, 'a'), (101, 'b');
insert into emptied values (1, 'a'), (101, 'b');
insert into deep values (1, 'a');
insert into deep_a_2 values (101, 'b');
create publication case_pub for table attached, detached, dropped, emptied, deep with (publish_via_partition_root = true);
-- @@LIVE
alter table attached attach partition attached_b for values from (100) to (200);
update attached set v = 'touched' where id = 101;
alter table detached detach partition detached_a;
insert into detached_a values (2, 'not published');
insert into detached values (103, 'c');
drop table dropped_a;
truncate emptied_a;
insert into emptied values (2, 'again');
alter table deep_a attach partition deep_a_2 for values from (100) to (200);
