-- No value changes at the source, but the mirror keeps them in another form.
-- @settle
create table quiet (id integer primary key, n numeric(10,2), m numeric);
create table busy (id integer primary key, n numeric(10,2), m numeric);
insert into quiet values (1, 1.50, 1.50), (2, 2, 2.00), (3, null, null);
insert into busy values (1, 1.50, 1.50), (2, 2, 2.00), (3, null, null);
create publication case_pub for table quiet, busy;
-- @@LIVE
alter table quiet alter column n type numeric;
alter table quiet alter column m type numeric(12,3);
update busy set n = 3.10 where id = 3;
alter table busy alter column n type numeric(30,2);
insert into busy values (4, 4.00, 4.00);
alter table busy alter column m type numeric(8,2);
update busy set m = 5 where id = 2;
