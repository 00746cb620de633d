create table meter (id integer, region text, ts date, v integer, primary key (id, region, ts)) partition by list (region);
create table meter_n partition of meter for values in ('north') partition by range (ts);
create table meter_n_1 partition of meter_n for values from ('2025-01-01') to ('2025-07-01');
create table meter_n_2 (v integer, ts date not null, id integer not null, region text not null, junk integer);
alter table meter_n_2 drop column junk;
alter table meter_n_2 add primary key (id, region, ts);
alter table meter_n attach partition meter_n_2 for values from ('2025-07-01') to ('2026-01-01');
create table meter_rest partition of meter default;
insert into meter values (1, 'north', '2025-02-01', 1), (2, 'south', '2025-02-01', 2);
create publication case_pub for table meter with (publish_via_partition_root = true);
-- @@LIVE
update meter set ts = '2025-08-01', v = 10 where id = 1;
update meter set region = 'north', ts = '2025-03-03' where id = 2;
insert into meter values (3, 'north', '2025-09-09', 3);
update meter set v = 30 where id = 3;
begin; update meter set region = 'east' where id = 3; update meter set region = 'north' where id = 3; commit;
delete from meter where id = 1;
