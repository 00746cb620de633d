-- A drop and an add are no rename: the old values are gone.
-- @settle
create table same (id integer primary key, v text, n integer);
create table other (id integer primary key, v text);
create table silent (id integer primary key, v text);
create table moved (id integer primary key, a text, b text);
insert into same select g, 'old', g from generate_series(1, 5) g;
insert into other select g, 'old' from generate_series(1, 5) g;
insert into silent select g, 'old' from generate_series(1, 5) g;
insert into moved select g, 'a', 'b' from generate_series(1, 5) g;
create publication case_pub for table same, other, silent, moved;
-- @@LIVE
alter table same drop column v;
alter table same add column v text;
update same set n = n + 1 where id = 1;
alter table other drop column v;
alter table other add column v integer default 5;
insert into other values (6, 6);
alter table silent drop column v;
alter table silent add column v text;
alter table moved drop column a;
alter table moved rename column b to a;
update moved set id = 10 where id = 1;
