create table mother (id integer primary key);
create table child (id integer primary key, p integer references mother);
create table hidden (id integer primary key, p integer references mother);
create table alone (id integer primary key);
insert into mother values (1), (2);
insert into child values (1, 1);
insert into hidden values (1, 2);
insert into alone values (1);
create publication case_pub for table mother, child, alone;
-- @@LIVE
truncate mother cascade;
insert into mother values (7);
insert into child values (7, 7);
begin; insert into alone values (2); truncate alone, child restart identity; insert into alone values (3); commit;
