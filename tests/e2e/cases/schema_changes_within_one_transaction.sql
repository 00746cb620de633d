-- @settle
create table s (id integer primary key, v text, n integer);
insert into s select g, 'v' || g, g from generate_series(1, 5) g;
create publication case_pub for table s;
-- @@LIVE
begin;
update s set v = 'one' where id = 1;
alter table s add column w text default 'w';
update s set w = 'two' where id = 2;
savepoint a;
alter table s drop column n;
insert into s values (6, 'never', 'w');
rollback to a;
alter table s rename column v to x;
insert into s values (7, 'seven', 70, 'x');
alter table s alter column n type text using 'n' || n;
update s set x = 'three' where id = 3;
alter table s drop column w;
delete from s where id = 4;
insert into s values (8, 'eight', 'n80');
commit;
