create table sw (id integer primary key, u text not null unique, v integer);
insert into sw values (1, 'p', 1), (2, 'q', 2), (3, 'r', 3);
create publication case_pub for table sw;
-- @@LIVE
update sw set v = 10 where id = 1;
alter table sw replica identity full;
update sw set v = 20 where id = 2;
update sw set id = 11 where id = 1;
alter table sw replica identity using index sw_u_key;
update sw set v = 30 where id = 3;
update sw set u = 'rr' where id = 3;
alter table sw replica identity default;
update sw set id = 12 where id = 2;
delete from sw where id = 3;
