-- @settle
create type mood as enum ('sad', 'ok', 'happy');
create table person (id integer primary key, m mood, many mood[]);
insert into person select g, (array['sad', 'ok', 'happy'])[g % 3 + 1]::mood, '{sad,happy}' from generate_series(1, 6) g;
create publication case_pub for table person;
-- @@LIVE
alter type mood rename value 'sad' to 'blue';
alter type mood add value 'so so' after 'ok';
insert into person values (7, 'blue', '{"so so"}');
alter type mood rename value 'happy' to 'sad';
