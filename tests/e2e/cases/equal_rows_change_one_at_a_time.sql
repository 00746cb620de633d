create table tally (v integer, note text);
alter table tally replica identity full;
insert into tally select 1, 'same' from generate_series(1, 4);
create publication case_pub for table tally;
-- @@LIVE
update tally set v = 2 where ctid = (select min(ctid) from tally);
delete from tally where ctid = (select min(ctid) from tally where v = 1);
insert into tally values (1, 'same');
