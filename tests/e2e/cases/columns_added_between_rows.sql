-- @settle
create table c (id integer primary key, v text, big text);
alter table c alter column big set storage external;
insert into c select g, 'old', repeat('b', 9000) from generate_series(1, 6) g;
create publication case_pub for table c;
-- @@LIVE
update c set v = 'before' where id = 1;
alter table c add column n integer default 7;
insert into c values (7, 'new', 'small', 8);
update c set v = 'after' where id = 2;
alter table c alter column n set default 9;
insert into c (id, v) values (8, 'default is 9');
delete from c where id = 3;
begin;
alter table c add column w text not null default 'w';
update c set v = 'inside' where id = 4;
commit;
update c set id = 50 where id = 5;
