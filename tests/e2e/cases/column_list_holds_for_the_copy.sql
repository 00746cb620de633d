-- @since 15
create table person (id integer primary key, name text, secret text, age integer);
insert into person values (1, 'ann', 'hush', 30), (2, 'bob', 'hush', 40);
create publication case_pub for table person (id, name, age);
-- @@LIVE
insert into person values (3, 'eve', 'hush', 50);
update person set secret = 'changed', age = 31 where id = 1;
delete from person where id = 2;
