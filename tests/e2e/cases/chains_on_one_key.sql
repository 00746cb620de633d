create table thing (id integer primary key, v text);
insert into thing select g, 'old' from generate_series(1, 4) g;
create publication case_pub for table thing;
-- @@LIVE
begin;
delete from thing where id = 1; insert into thing values (1, 'new');
insert into thing values (10, 'gone'); delete from thing where id = 10;
update thing set v = 'a' where id = 2; delete from thing where id = 2; insert into thing values (2, 'b'); update thing set v = 'c' where id = 2;
delete from thing where id = 3; insert into thing values (3, 'x'); delete from thing where id = 3;
update thing set id = 5 where id = 4; insert into thing values (4, 'again'); update thing set id = 6 where id = 5;
delete from thing where id = 6; insert into thing values (5, 'five');
commit;
