create table measure (at timestamptz, unit integer, km float8, note text);
alter table measure replica identity full;
insert into measure values ('2025-01-01 00:00+00', 10, 10, null), ('2025-01-01 00:00+00', 20, null, null), (null, null, null, null);
create publication case_pub for table measure;
-- @@LIVE
update measure set km = 300 where unit = 20;
update measure set note = 'x' where unit = 10;
delete from measure where at is null;
insert into measure values (null, 1, null, ''), (null, 1, null, null);
delete from measure where note = '';
