-- @since 15
create table region (id integer primary key, code text not null, v integer);
alter table region replica identity full;
insert into region values (1, 'us', 1), (2, 'eu', 2), (3, 'us', 3), (4, 'eu', 4);
create publication case_pub for table region where (code = 'us');
-- @@LIVE
update region set code = 'eu' where id = 1;
update region set code = 'us' where id = 2;
update region set v = 30 where id = 3;
update region set v = 40 where id = 4;
insert into region values (5, 'us', 5), (6, 'eu', 6);
delete from region where id = 5;
delete from region where id = 6;
