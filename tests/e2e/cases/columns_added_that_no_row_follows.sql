-- The server fills old rows and sends nothing: constants from its catalogue, others by a rewrite.
-- @settle
create table plain (id integer primary key, v text);
create table constant (id integer primary key, v text);
create table required (id integer primary key, v text);
create table made (id integer primary key, v text);
create table keyless (v text);
alter table keyless replica identity full;
insert into plain select g, 'v' || g from generate_series(1, 20) g;
insert into constant select g, 'v' || g from generate_series(1, 20) g;
insert into required select g, 'v' || g from generate_series(1, 20) g;
insert into made select g, 'v' || g from generate_series(1, 20) g;
insert into keyless select 'same' from generate_series(1, 5) g;
create publication case_pub for table plain, constant, required, made, keyless;
-- @@LIVE
alter table plain add column w text;
alter table constant add column n integer default 42, add column t text default 'it''s', add column b bytea default '\x00ff', add column a integer[] default '{1,NULL,3}';
alter table required add column at timestamptz not null default '2026-01-31 12:00:00+02';
alter table made add column r double precision default random(), add column s bigserial;
alter table keyless add column n numeric(8,2) default 1.5;
