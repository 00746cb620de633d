-- The key moves to a column whose values a rewrite makes, so the mirror's rows have neither.
-- @settle
create sequence serials;
create table a (id integer, part integer primary key, v text);
create table b (id bigint, part integer primary key, v text);
create table c (id bigint, part integer primary key, v text);
create table d (id integer, part integer primary key, v text);
insert into a select g, g * 10, 'v' from generate_series(1, 30) g;
insert into b select g, g * 10, 'v' from generate_series(1, 30) g;
insert into c select g, g * 10, 'v' from generate_series(1, 30) g;
insert into d select g, g * 10, 'v' from generate_series(1, 30) g;
create publication case_pub for table a, b, c, d;
-- @@LIVE
begin;
alter table a drop constraint a_pkey;
alter table a alter column id drop default, alter column id type bigint using 1000 - id;
alter table a add primary key (id);
alter table a replica identity default;
insert into a values (4094, 5, 'new');
commit;
begin;
alter table b drop constraint b_pkey;
alter table b alter column id drop default, alter column id type bigint using nextval('serials') + 100;
alter table b add primary key (id);
insert into b values (4094, 5, 'new');
commit;
begin;
alter table c drop constraint c_pkey;
alter table c alter column id type bigint using 1000 - id;
alter table c add primary key (id);
commit;
insert into c values (4094, 5, 'new');
update c set v = 'touched' where id = 999;
begin;
alter table d drop constraint d_pkey;
alter table d alter column id type bigint using 1000 - id;
alter table d add primary key (id);
commit;
