-- No row is rewritten, so that none is sent and no copy is due; the mirror's numbers have lost the
-- zeros that the text has.
-- @settle
create table price (id integer primary key, n numeric(10,2), m numeric(12,0));
insert into price values (1, 1.50, 7), (2, 2, 999999999999), (3, null, null), (4, 'NaN', 0);
create publication case_pub for table price;
-- @@LIVE
alter table price alter column n type numeric;
insert into price values (5, 5.5, 5);
alter table price alter column m type numeric(40,0);
