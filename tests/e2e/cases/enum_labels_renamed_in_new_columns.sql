-- The label is renamed before anybody could see the column with its old one. A type that is as it
-- was made needs no copy.
-- @settle
create type mood as enum ('sad', 'ok');
create table person (id integer primary key);
insert into person select generate_series(1, 2);
create publication case_pub for table person;
-- @@LIVE
alter table person add m mood default 'ok';
insert into person values (3, 'sad'), (4, 'ok');
alter type mood rename value 'ok' to 'fine';
insert into person values (5, 'fine');
create type hue as enum ('red', 'green');
alter table person add h hue;
insert into person values (6, 'sad', 'red');
