create table epoch (id integer primary key, ts timestamp, tz timestamptz, d date);
insert into epoch values (1, '0100-07-12 06:00:00 BC', '0002-01-01 00:00:00+00 BC', '4713-02-01 BC'), (2, 'infinity', '-infinity', 'infinity');
create publication case_pub for table epoch;
-- @@LIVE
insert into epoch values (3, '294276-12-31 23:59:59.999998', '294276-12-31 23:59:59.999998+00', '5874897-12-30'),
  (4, '4713-01-02 00:00:00 BC', '4713-01-02 00:00:00+00 BC', '0001-12-30 BC'),
  (5, '2016-12-31 23:59:60', '2024-02-29 23:59:58.5+00', '-infinity'),
  (6, '12000-05-06 07:08:09', '1883-11-18 12:03:57.25+00', '12000-05-06');
update epoch set ts = '-infinity' where id = 1;
