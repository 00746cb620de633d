create table line (id integer primary key, v integer not null);
insert into line select g, g from generate_series(700, 1, -1) g;
create publication case_pub for table line;
-- @@LIVE
update line set id = id + 1;
begin; update line set id = -id; update line set id = -id - 1; commit;
