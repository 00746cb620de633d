create table tour (id integer primary key, g text, n integer) partition by range (id);
create table tour_a partition of tour for values from (0) to (100);
create table tour_b partition of tour for values from (100) to (200);
alter table tour replica identity full;
insert into tour values (1, 'a', 1), (2, 'b', 2), (101, 'c', 3), (102, 'd', 4);
create publication case_pub for table tour with (publish_via_partition_root = true);
-- @@LIVE
update tour set n = 9 where id = 1;
delete from tour where id = 2;
delete from tour where id = 101;
update tour set id = 3 where id = 102;
alter table tour_a replica identity full;
update tour set g = 'AA' where id = 1;
update tour set g = null where id = 3;
delete from tour where id = 3;
