create schema "a.Schema";
create table "a.Schema"."It""em; drop table y;--" ("from" integer primary key, "x.y" text, "LOUD" integer, "with blank" text, "ü🦉" text,
  "%d" text, "it's" text, "rowid" integer, "end" text);
create table public.sqlite_sequence9 (id integer primary key, "index" text);
create table public."zzzzzzzzzzyyyyyyyyyyxxxxxxxxxxwwwwwwwwwwvvvvvvvvvvuuuuuuuuuuttt" (id integer primary key);
insert into "a.Schema"."It""em; drop table y;--" values (1, 'a', 1, 'b', 'c', 'd', 'e', 42, 'f');
create publication case_pub for all tables;
-- @@LIVE
insert into "a.Schema"."It""em; drop table y;--" values (2, 'a', 2, 'b', 'c', 'd', 'e', 43, 'f');
update "a.Schema"."It""em; drop table y;--" set "it's" = $$say "it's"$$ where "from" = 1;
insert into public.sqlite_sequence9 values (1, 't');
insert into public."zzzzzzzzzzyyyyyyyyyyxxxxxxxxxxwwwwwwwwwwvvvvvvvvvvuuuuuuuuuuttt" values (1);
